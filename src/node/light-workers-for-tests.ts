import type { Link } from '../net/link/link.ts';
import { bridge } from '../net/link/port.ts';
import type { Compute } from '../worker/compute.ts';
import type { FromTrainer } from '../worker/thread.ts';
import { workLoop } from '../worker/work-loop.ts';
import { dialInNode } from './link/dial-for-tests.ts';

/** A worker of this process that computes nothing worth mentioning, over a real data channel. */
export interface LightWorker {
  /** Pushes handed to the link. */
  readonly pushes: number;
  /** Links that ended without being asked to, and dials that failed. */
  readonly breaks: readonly string[];
  /** Finishes what is under way, waits for its answer, and leaves. */
  finish(): Promise<void>;
}

const RETRY_MS = 500;

/** Joins and comes back whenever its link breaks, as a tab does. `thinkMs` is how long each step takes. */
export function lightWorker(
  name: string,
  { url, code, invite, thinkMs }: { url: string; code: string; invite: string; thinkMs: number },
): LightWorker {
  const breaks: string[] = [];
  let pushes = 0;
  let isFinishing = false;
  let onLeft = () => {};
  const left = new Promise<void>((resolve) => {
    onLeft = resolve;
  });

  const compute: Compute = {
    prepare: async () => ({ name: 'none', why: 'for measuring' }),
    prefetch() {},
    async step(params) {
      if (thinkMs > 0) await new Promise((resolve) => setTimeout(resolve, thinkMs));
      const gradient = params.map((value) => value * 1e-3 + 1e-4);
      return { gradient, loss: 1, correct: null, decodeMs: 0, computeMs: 0, readMs: 0 };
    },
  };
  const hear = (message: FromTrainer) => {
    if (message.type !== 'ended') return;
    if (isFinishing) return onLeft();
    breaks.push(`ended: ${message.trouble?.code ?? 'no trouble'}`);
    setTimeout(connect, RETRY_MS);
  };
  const onStep = () => {
    pushes += 1;
  };
  const now = () => performance.now();
  const loop = workLoop({ compute, name, device: 'Node', now, onStep }, '', hear);

  const connect = async () => {
    if (isFinishing) return onLeft();
    let link: Link;
    try {
      link = await dialInNode(code, invite, { url, isOwn: true, bindAddress: '127.0.0.1' });
    } catch (error) {
      breaks.push(`dial: ${(error as Error).message}`);
      setTimeout(connect, RETRY_MS);
      return;
    }
    const { port1, port2 } = new MessageChannel();
    bridge(link, port1);
    loop({ type: 'attach', port: port2 });
  };
  void connect();

  return {
    get pushes() {
      return pushes;
    },
    breaks,
    finish() {
      isFinishing = true;
      loop({ type: 'set', intensity: 1, isPaused: false, isFinishing: true });
      return left;
    },
  };
}
