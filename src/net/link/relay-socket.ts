/** An open WebSocket to the relay. */
export interface RelaySocket {
  send(data: ArrayBuffer | string): void;
  close(reason: string): void;
  /** Called once. `data` is an ArrayBuffer or a string; what came before the call is handed out first. */
  listen(onMessage: (data: unknown) => void, onClose: (reason: string) => void): void;
}

/** Opens a WebSocket to the relay; rejects where it is refused or not there, or with the signal's reason. */
export type OpenSocket = (url: string, signal: AbortSignal) => Promise<RelaySocket>;

/** Opens the sockets that `create` makes: a browser's, or others with their interface. */
export const socketOpener =
  (create: (url: string) => WebSocket): OpenSocket =>
  async (url, signal) => {
    signal.throwIfAborted();
    const socket = create(url);
    socket.binaryType = 'arraybuffer';
    // The close event follows; in Node an error that nobody hears would throw.
    socket.onerror = () => {};
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        socket.close();
        reject(signal.reason);
      };
      signal.addEventListener('abort', onAbort);
      // A refusal has no words in a browser: it is a close before the opening.
      socket.onclose = ({ reason }) => {
        signal.removeEventListener('abort', onAbort);
        reject(new Error(reason || 'the relay refused the connection'));
      };
      socket.onopen = () => {
        signal.removeEventListener('abort', onAbort);
        resolve(relaySocket(socket));
      };
    });
  };

/** What comes before `listen`, in the same turn as the opening, waits for it. */
function relaySocket(socket: WebSocket): RelaySocket {
  const early: unknown[] = [];
  let end: string | null = null;
  let hear = (data: unknown): void => void early.push(data);
  let hearEnd = (reason: string): void => {
    end = reason;
  };
  socket.onmessage = ({ data }: MessageEvent<unknown>) => hear(data);
  socket.onclose = ({ reason }) => hearEnd(reason);
  return {
    send(data) {
      if (socket.readyState === socket.OPEN) socket.send(data);
    },
    // A close frame carries 123 bytes of words.
    close: (reason) => socket.close(1000, reason.slice(0, 100)),
    listen(onMessage, onClose) {
      hear = onMessage;
      hearEnd = onClose;
      for (const data of early) onMessage(data);
      if (end !== null) onClose(end);
    },
  };
}
