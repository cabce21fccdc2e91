import { type CountedLink, carriedBytes } from '../net/link/link.ts';
import { bridge } from '../net/link/port.ts';
import type { IceServer } from '../net/link/signal.ts';
import { Mesh } from '../net/mesh.ts';
import type { LinkBytes } from '../observe/resource-sampler.ts';
import type { FromTrainer, ToTrainer } from './thread.ts';

/** The main thread's part in a trainer's links to other workers: WebRTC exists only there. */
export interface TrainerMesh {
  hear(message: Extract<FromTrainer, { type: 'peers' | 'signal' }>): void;
  /** What its links carry, each under a key of its own. */
  carried(): Promise<LinkBytes[]>;
  /** Ends all links; more may be asked for. */
  restart(): void;
  close(): void;
}

/** Makes the links that the trainer who is told asks for, and bridges them to it. */
export function meshOf(
  tell: (message: ToTrainer, transfer?: Transferable[]) => void,
  iceServers: readonly IceServer[],
): TrainerMesh {
  const links = new Map<string, CountedLink>();
  let made = 0;
  const create = () =>
    new Mesh({
      iceServers,
      send: (peer, data) => tell({ type: 'signal', peer, data }),
      onLink(peer, link) {
        const { port1, port2 } = new MessageChannel();
        bridge(link, port1);
        made += 1;
        const key = `peer ${made}`;
        links.set(key, link);
        const forget = link.onClose;
        link.onClose = (reason) => {
          links.delete(key);
          forget(reason);
        };
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
    carried: () =>
      Promise.all(Array.from(links, async ([key, link]) => ({ key, ...carriedBytes(await link.stats()) }))),
    restart() {
      mesh.close();
      mesh = create();
    },
    close: () => mesh.close(),
  };
}
