import type { Experiment } from '../../experiment/experiment.ts';
import type { Lease } from '../wire/protocol.ts';

interface Held extends Lease {
  readonly worker: number;
  /** Its push is here and waits for a verdict. */
  isDelivered: boolean;
}

/** What must survive a restart: outstanding leases count as given back. */
export interface LeasesSnapshot {
  readonly next: number;
  readonly nextId: number;
  readonly counted: number;
  readonly returned: readonly { readonly from: number; readonly count: number }[];
}

/** How many examples a lease has: with local steps those of all steps of a round. */
export const leaseExamples = ({ strategy, batch, localSteps }: Experiment): number =>
  strategy === 'local' ? batch * localSteps : batch;

/**
 * Who computes which examples. Examples are positions in an endless stream of epochs; each position is dealt to one
 * worker at a time and counted once. What a worker gives back goes to the next that asks.
 */
export class Leases {
  #held = new Map<number, Held>();
  #byWorker = new Map<number, Lease[]>();
  /** Sorted by position, so that an epoch's holes are filled in order. */
  #returned: { from: number; count: number }[] = [];
  #next = 0;
  #nextId = 1;
  #counted = 0;
  #returns = 0;
  /** Called for each lease that is no longer held. */
  onEnd: (id: number) => void = () => {};
  readonly #size: number;
  readonly #limit: number;

  /** Deals `size` examples at a time, until position `limit` (the end of the last epoch, or Infinity). */
  constructor(size: number, limit: number, restored?: LeasesSnapshot) {
    this.#size = size;
    this.#limit = limit;
    if (!restored) return;
    this.#next = restored.next;
    this.#nextId = restored.nextId;
    this.#counted = restored.counted;
    this.#returned = restored.returned.map((range) => ({ ...range }));
  }

  /** Examples whose gradients reached the parameters. */
  get counted(): number {
    return this.#counted;
  }

  /** How often a lease came back undone. */
  get returns(): number {
    return this.#returns;
  }

  get limit(): number {
    return this.#limit;
  }

  /** What the worker has yet to deliver, oldest first. */
  heldBy(worker: number): readonly Lease[] {
    return this.#byWorker.get(worker) ?? [];
  }

  /** The lease, if this worker has yet to deliver it. */
  find(id: number, worker: number): Lease | null {
    const lease = this.#held.get(id);
    return lease?.worker === worker && !lease.isDelivered ? lease : null;
  }

  /** The next examples for this worker, or null when the last epoch is dealt out. */
  deal(worker: number): Lease | null {
    let range = this.#returned.shift();
    if (!range) {
      if (this.#next >= this.#limit) return null;
      range = { from: this.#next, count: this.#size };
      this.#next += this.#size;
    }
    const { from, count } = range;
    const id = this.#nextId;
    const lease = { id, from, count };
    this.#nextId += 1;
    this.#held.set(id, { id, from, count, worker, isDelivered: false });
    this.#byWorker.set(worker, [...this.heldBy(worker), lease]);
    return lease;
  }

  /** The lease's push is here: it stays with its round, whatever becomes of its worker. */
  deliver(id: number): void {
    const lease = this.#held.get(id);
    if (!lease) throw new Error(`lease ${id} is not held`);
    lease.isDelivered = true;
    this.#unlist(lease);
  }

  /** The lease's gradient was applied. */
  settle(id: number): void {
    const lease = this.#take(id);
    if (!lease) throw new Error(`lease ${id} is not held`);
    this.#counted += lease.count;
  }

  /** The lease was not computed, or not used: another worker will get it. */
  giveBack(id: number): void {
    const lease = this.#take(id);
    if (!lease) return;
    this.#returns += 1;
    const at = this.#returned.findIndex((range) => range.from > lease.from);
    this.#returned.splice(at < 0 ? this.#returned.length : at, 0, { from: lease.from, count: lease.count });
  }

  /** Takes back all that the worker has yet to deliver. */
  giveBackAll(worker: number): void {
    for (const lease of this.heldBy(worker)) this.giveBack(lease.id);
  }

  /** Takes back what the worker delivered and has no verdict yet. */
  giveBackDelivered(worker: number): void {
    for (const lease of this.#held.values()) {
      if (lease.worker === worker && lease.isDelivered) this.giveBack(lease.id);
    }
  }

  snapshot(): LeasesSnapshot {
    const outstanding = [...this.#held.values()];
    const returned = [...this.#returned, ...outstanding].map(({ from, count }) => ({ from, count }));
    returned.sort((a, b) => a.from - b.from);
    return { next: this.#next, nextId: this.#nextId, counted: this.#counted, returned };
  }

  #take(id: number): Held | null {
    const lease = this.#held.get(id);
    if (!lease) return null;
    this.#held.delete(id);
    this.onEnd(id);
    if (!lease.isDelivered) this.#unlist(lease);
    return lease;
  }

  #unlist({ id, worker }: Held): void {
    const rest = this.heldBy(worker).filter((other) => other.id !== id);
    if (rest.length > 0) this.#byWorker.set(worker, rest);
    else this.#byWorker.delete(worker);
  }
}
