/** A WebSocket to the relay. What is sent before it is open, or after its end, is dropped. */
export interface RelaySocket {
  send(data: ArrayBuffer | string): void;
  close(reason: string): void;
}

export interface SocketEvents {
  onOpen(): void;
  /** `data` is an ArrayBuffer or a string. */
  onMessage(data: unknown): void;
  /** Called once, after `close` too. A refusal has no words in a browser: it is a close before the opening. */
  onClose(reason: string): void;
}

/** Opens a WebSocket; events come after it has returned. */
export type OpenSocket = (url: string, events: SocketEvents) => RelaySocket;

/** Opens the sockets that `create` makes: a browser's, or others with their interface. */
export const socketOpener =
  (create: (url: string) => WebSocket): OpenSocket =>
  (url, { onOpen, onMessage, onClose }) => {
    const socket = create(url);
    socket.binaryType = 'arraybuffer';
    socket.onopen = onOpen;
    socket.onmessage = ({ data }: MessageEvent<unknown>) => onMessage(data);
    socket.onclose = ({ reason }) => onClose(reason);
    // The close event follows; in Node an error that nobody hears would throw.
    socket.onerror = () => {};
    return {
      send(data) {
        if (socket.readyState === socket.OPEN) socket.send(data);
      },
      // A close frame carries 123 bytes of words.
      close: (reason) => socket.close(1000, reason.slice(0, 100)),
    };
  };
