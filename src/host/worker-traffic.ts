import { kinds } from '../core/wire/protocol.ts';
import { type Tally, TallyCounter, type Traffic } from '../core/wire/traffic.ts';

/** What each worker's links carried in this run, over all its reconnects. */
export class WorkerTraffic {
  #workerOf = new Map<number, number>();
  /** From links that are gone; what the present link carried before the run counts negative. */
  #past = new Map<number, Traffic>();

  /** The link turned out to be this worker's. */
  attach(worker: number, link: number): void {
    this.#workerOf.set(link, worker);
  }

  /** Whose link it is; null for one that has not said hello. */
  workerOn(link: number): number | null {
    return this.#workerOf.get(link) ?? null;
  }

  /** The link is over; what it carried stays with its worker. */
  detach(link: number, carried: Traffic): void {
    const worker = this.#workerOf.get(link);
    this.#workerOf.delete(link);
    if (worker !== undefined) this.#past.set(worker, this.of(worker, carried));
  }

  /** A new run: counts from here on. */
  restart(links: ReadonlyMap<number, { readonly traffic: Traffic }>): void {
    this.#past.clear();
    for (const [link, worker] of this.#workerOf) {
      const now = links.get(link)?.traffic;
      if (now) this.#past.set(worker, sum(none(), now, -1));
    }
  }

  /** What a worker's links carried, `present` being its present one's share. */
  of(worker: number, present: Traffic = none()): Traffic {
    return sum(this.#past.get(worker) ?? none(), present, 1);
  }
}

const none = (): Traffic => ({ sent: new TallyCounter().counts, received: new TallyCounter().counts });

function sum(a: Traffic, b: Traffic, factor: 1 | -1): Traffic {
  const tally = (a: Tally, b: Tally) =>
    Object.fromEntries(
      kinds.map((kind) => [
        kind,
        { frames: a[kind].frames + factor * b[kind].frames, bytes: a[kind].bytes + factor * b[kind].bytes },
      ]),
    ) as Tally;
  return { sent: tally(a.sent, b.sent), received: tally(a.received, b.received) };
}
