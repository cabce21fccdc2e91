import { createMesh } from '../net/mesh.ts';
import { bridge } from '../net/port.ts';
import type { FromTrainer, ToTrainer } from './thread.ts';

/** The main thread's part in a trainer's links to other workers: WebRTC exists only there. */
export interface TrainerMesh {
  hear(message: Extract<FromTrainer, { type: 'peers' | 'signal' }>): void;
  /** Ends all links; more may be asked for. */
  restart(): void;
  close(): void;
}

/** Makes the links that the trainer who is told asks for, and bridges them to it. */
export function meshOf(
  tell: (message: ToTrainer, transfer?: Transferable[]) => void,
  iceServers: readonly RTCIceServer[],
): TrainerMesh {
  const create = () =>
    createMesh({
      iceServers,
      send: (peer, data) => tell({ type: 'signal', peer, data }),
      onLink(peer, link) {
        const { port1, port2 } = new MessageChannel();
        bridge(link, port1);
        tell({ type: 'peer', peer, port: port2 }, [port2]);
      },
      onFailed: (peer) => tell({ type: 'peer-failed', peer }),
    });
  let mesh = create();
  return {
    hear(message) {
      if (message.type === 'signal') return mesh.signal(message.peer, message.data);
      mesh.expect([...message.calls, ...message.expects]);
      for (const peer of message.calls) mesh.connect(peer);
    },
    restart() {
      mesh.close();
      mesh = create();
    },
    close: () => mesh.close(),
  };
}
