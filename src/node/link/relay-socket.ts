import { WebSocket } from 'ws';
import { MAX_FRAME_BYTES } from '../../net/link/link.ts';
import type { RelaySocket } from '../../net/link/relay-link.ts';
import { addressOn, type RelayAddress, trustIn } from './signal.ts';

/** This process's end of a link through the relay, once it is open; null if it is refused, e.g. when the worker has gone. */
export function openRelaySocket(
  relay: RelayAddress,
  query: { readonly link: string } | { readonly token: string },
): Promise<RelaySocket | null> {
  const limits = { maxPayload: MAX_FRAME_BYTES, perMessageDeflate: false };
  const socket = new WebSocket(addressOn(relay, 'relay', query), { ...limits, ...trustIn(relay) });
  socket.binaryType = 'arraybuffer';
  // Unheard, the event would throw; the close event follows it.
  socket.on('error', () => {});
  return new Promise((resolve) => {
    socket.once('close', () => resolve(null));
    socket.once('open', () => {
      // What comes before somebody listens waits in the socket.
      socket.pause();
      resolve({
        send(data) {
          if (socket.readyState === WebSocket.OPEN) socket.send(data);
        },
        // A close frame carries 123 bytes of words.
        close: (reason) => socket.close(1000, reason.slice(0, 100)),
        listen(onMessage, onClose) {
          socket.on('message', (data, isBinary) => onMessage(isBinary ? data : String(data)));
          socket.on('close', (_, reason) => onClose(String(reason)));
          socket.resume();
        },
      });
    });
  });
}
