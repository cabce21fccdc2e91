import { type OpenSocket, type RelaySocket, SocketError } from './relay-socket.ts';

/** WebSockets as a page has them. */
export const openBrowserSocket: OpenSocket = async (url, signal) => {
  signal.throwIfAborted();
  const socket = new WebSocket(url);
  socket.binaryType = 'arraybuffer';
  return new Promise((resolve, reject) => {
    const onAbort = (): void => {
      socket.close();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort);
    socket.onclose = ({ reason }) => {
      signal.removeEventListener('abort', onAbort);
      reject(new SocketError('unreachable', reason || 'the relay refused the connection'));
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
      if (socket.readyState === WebSocket.OPEN) socket.send(data);
    },
    close: (reason) => socket.close(1000, reason.slice(0, 100)),
    listen(onMessage, onClose) {
      hear = onMessage;
      hearEnd = onClose;
      for (const data of early) onMessage(data);
      if (end !== null) onClose(end);
    },
  };
}
