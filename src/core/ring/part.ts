import { type Outgoing, type RingOptions, RingReduce } from './ring.ts';

/** What goes from one member of a ring to the next. */
export interface Slice extends Outgoing {
  readonly peer: number;
  readonly ring: number;
}

interface Ring {
  readonly ring: number;
  readonly version: number;
  readonly members: readonly number[];
  reduce: RingReduce;
}

/** Two per member of the largest ring. */
const MAX_EARLY = 2000;

/**
 * One worker's part in the mean of a ring's gradients: keeps its own until the mean counts, so that it can be made again in
 * another ring. All leases of a run are equally long, so every gradient weighs the same.
 */
export class RingPart {
  readonly #options: Omit<RingOptions, 'members'>;
  #ring: Ring | null = null;
  #own: { readonly version: number; readonly gradient: Float32Array } | null = null;
  /** The newest ring the host told us about. */
  #lastRing = 0;
  /** Slices of one newer ring: the neighbour heard of it first. */
  #early: Omit<Slice, 'peer'>[] = [];

  constructor(options: Omit<RingOptions, 'members'>) {
    this.#options = options;
  }

  get ring(): number | null {
    return this.#ring?.ring ?? null;
  }

  /** Whether the mean is not complete yet and needs this peer. */
  needs(peer: number): boolean {
    if (!this.#ring || this.#ring.reduce.sum) return false;
    return peer === this.#ring.reduce.predecessor || peer === this.#ring.reduce.successor;
  }

  /** The mean of all members' gradients, once it is complete. */
  get mean(): Float32Array | null {
    return this.#ring?.reduce.sum ?? null;
  }

  /** Starts over in this ring. */
  form(ring: number, version: number, members: readonly number[]): readonly Slice[] {
    const reduce = new RingReduce({ ...this.#options, members });
    this.#ring = { ring, version, members, reduce };
    this.#lastRing = ring;
    const early = this.#early.filter((slice) => slice.ring === ring);
    this.#early = this.#early.filter((slice) => slice.ring > ring);
    const out = this.#begin();
    return [...out, ...early.flatMap(({ step, bytes }) => this.#wrap(reduce.receive(step, bytes)))];
  }

  /** Out of every ring; the gradient is no longer needed. */
  drop(): void {
    this.#ring = null;
    this.#own = null;
  }

  /** This worker's own gradient for a version; it must not change until `drop`. */
  offer(gradient: Float32Array, version: number): readonly Slice[] {
    this.#own = { version, gradient };
    return this.#begin();
  }

  /** A slice from another worker. Throws a RangeError if it is malformed. */
  receive({ peer, ring, step, bytes }: Slice): readonly Slice[] {
    const current = this.#ring;
    if (current?.ring === ring) {
      if (peer !== current.reduce.predecessor) throw new RangeError(`a slice from worker ${peer}, who is no neighbour`);
      return this.#wrap(current.reduce.receive(step, bytes));
    }
    const newest = this.#early[0]?.ring ?? this.#lastRing;
    if (ring <= this.#lastRing || ring < newest) return [];
    if (ring > newest) this.#early = [];
    // A neighbour can be a whole mean ahead; each step brings one slice.
    if (this.#early.length >= MAX_EARLY || bytes.length > this.#options.codec.bytesFor(this.#options.size)) {
      throw new RangeError('more slices of a ring to come than a mean has');
    }
    this.#early.push({ ring, step, bytes });
    return [];
  }

  #begin(): readonly Slice[] {
    const ring = this.#ring;
    if (!ring || this.#own?.version !== ring.version) return [];
    const share = this.#own.gradient.slice();
    for (let i = 0; i < share.length; i++) share[i] = (share[i] as number) / ring.members.length;
    return this.#wrap(ring.reduce.start(share));
  }

  #wrap(out: readonly Outgoing[]): readonly Slice[] {
    const ring = this.#ring;
    if (!ring) return [];
    return out.map(({ step, bytes }) => ({ peer: ring.reduce.successor, ring: ring.ring, step, bytes }));
  }
}
