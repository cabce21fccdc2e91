import type { Codec } from '../math/codec/codec.ts';
import { chosenOptimizer, type Optimizer } from '../math/optimizer/optimizer.ts';
import { initialParams } from '../math/params.ts';
import type { Rng } from '../math/rng.ts';
import { checksum } from '../wire/checksum.ts';
import type { ToPeer, ToWorker } from '../wire/protocol.ts';
import type { WorkerRunOptions } from '../worker/worker-run.ts';
import { RingPart, type Slice } from './part.ts';
import { joinState, splitState } from './state.ts';

interface KeptParamsOptions extends WorkerRunOptions {
  readonly up: Codec;
  readonly random: Rng;
}

/**
 * All-reduce: a worker's own parameters and optimizer, which move by the mean of a ring's gradients once the host says that
 * it counts, and come from another worker when this one has none.
 */
export class KeptParams {
  readonly params: Float32Array;
  readonly #optimizer: Optimizer;
  readonly #ring: RingPart;
  readonly #options: KeptParamsOptions;
  /** Of the parameters here; null before there are any. */
  #version: number | null = null;
  /** Parameters of this version are on their way from another worker. */
  #awaitedVersion: number | null = null;
  /** Arrived before the host's message that they are needed. */
  #fedEarly: { readonly version: number; readonly body: Uint8Array } | null = null;
  #toldRing = 0;

  constructor(options: KeptParamsOptions) {
    const { self, experiment, schema, up, random } = options;
    this.#options = options;
    this.params = new Float32Array(schema.size);
    this.#optimizer = chosenOptimizer(experiment, schema.size, false);
    this.#ring = new RingPart({ self, size: schema.size, codec: up, random });
  }

  /** Arrays of optimizer state. */
  get slots(): number {
    return this.#optimizer.slots.length;
  }

  get isAwaiting(): boolean {
    return this.#awaitedVersion !== null;
  }

  /** Whatever is on its way is no longer needed. */
  stopAwaiting(): void {
    this.#awaitedVersion = null;
  }

  /** The push was answered, and the mean counts or not. False if it counts but is not here. */
  settle(isApplied: boolean): boolean {
    const { mean } = this.#ring;
    this.#ring.drop();
    if (!isApplied) return true;
    if (!mean || this.#version === null) return false;
    this.#version += 1;
    this.#optimizer.apply(this.params, { values: mean, keys: null }, 1, this.#version);
    return true;
  }

  /** This version is to be worked on, and the body may bring it. Says whether it is here, on its way, or malformed. */
  take(version: number, body: Uint8Array): 'here' | 'awaited' | 'garbled' {
    if (body.length > 0) {
      if (!this.#adopt(version, body)) return 'garbled';
    } else if (version === 0 && this.#version === null) {
      this.params.set(initialParams(this.#options.schema, this.#options.experiment.seed));
      this.#version = 0;
    } else if (this.#version !== version && this.#fedEarly?.version === version) {
      this.#adopt(version, this.#fedEarly.body);
    }
    this.#fedEarly = null;
    const isHere = this.#version === version;
    this.#awaitedVersion = isHere ? null : version;
    return isHere ? 'here' : 'awaited';
  }

  /** A gradient for the mean of this version. */
  offer(gradient: Float32Array, version: number): void {
    this.#sendSlices(this.#ring.offer(gradient, version));
  }

  /** Forms a ring, and feeds the workers that this one is to feed. `outside`: this worker is not in it. */
  form({ ring, version, members, feeds }: Extract<ToWorker, { type: 'ring' }>): 'inside' | 'outside' {
    const { self } = this.#options;
    const partners = feeds.flatMap(({ from, to }) => (from === self ? [to] : to === self ? [from] : []));
    const rank = members.indexOf(self);
    const isInside = rank >= 0;
    if (isInside) {
      const [predecessor = self, successor = self] = [members.at(rank - 1), members[(rank + 1) % members.length]];
      this.#connect([predecessor, successor, ...partners]);
      this.#trusting(predecessor, () => this.#ring.form(ring, version, members));
    } else {
      this.#ring.drop();
      this.#connect(partners);
    }
    if (this.#version === version) for (const { from, to } of feeds) if (from === self) this.#feed(to, version);
    return isInside ? 'inside' : 'outside';
  }

  /** A message from another worker. Returns the version that can now be computed on, if there is a new one. */
  hear(peer: number, message: ToPeer, body: Uint8Array): number | null {
    if (message.type === 'state') return this.#fed(message.version, body);
    this.#trusting(peer, () => this.#ring.receive({ peer, ring: message.ring, step: message.step, bytes: body }));
    return null;
  }

  /** The link to another worker is gone. */
  lost(peer: number): void {
    if (this.#ring.needs(peer) || this.isAwaiting) this.#complain(peer);
  }

  /** Tells the host that the mean is complete, once. */
  tellReduced(): void {
    const { mean, ring } = this.#ring;
    if (!mean || ring === null || ring === this.#toldRing) return;
    this.#toldRing = ring;
    const sum = checksum(new Uint8Array(mean.buffer, mean.byteOffset, mean.byteLength));
    this.#options.turn.send({ type: 'reduced', run: this.#options.run, ring, checksum: sum });
  }

  /** Gives the host a copy. */
  sendState(): void {
    const { turn, run } = this.#options;
    if (this.#version !== null) turn.send({ type: 'state', run, version: this.#version }, this.#state());
  }

  #fed(version: number, body: Uint8Array): number | null {
    if (this.#awaitedVersion !== version) {
      this.#fedEarly = { version, body };
      return null;
    }
    if (!this.#adopt(version, body)) return null;
    this.#awaitedVersion = null;
    return version;
  }

  #adopt(version: number, body: Uint8Array): boolean {
    if (!splitState(body, [this.params, ...this.#optimizer.slots])) return false;
    this.#version = version;
    return true;
  }

  #feed(peer: number, version: number): void {
    const message = { type: 'state', run: this.#options.run, version } as const;
    this.#options.turn.emit({ type: 'peer-send', peer, message, body: this.#state() });
  }

  #state = () => joinState([this.params, ...this.#optimizer.slots]);

  /** The lower number calls, so that two do not call each other at once. */
  #connect(peers: readonly number[]): void {
    const { self } = this.#options;
    const others = [...new Set(peers)].filter((peer) => peer !== self);
    if (others.length === 0) return;
    const [calls, expects] = [others.filter((peer) => peer > self), others.filter((peer) => peer < self)];
    this.#options.turn.emit({ type: 'peers', calls, expects });
  }

  /** Sends what follows from a peer's slices. If they are malformed, reports the peer. */
  #trusting(peer: number, slices: () => readonly Slice[]): void {
    try {
      this.#sendSlices(slices());
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return this.#complain(peer);
    }
    this.tellReduced();
  }

  #complain(peer: number): void {
    const { ring } = this.#ring;
    if (ring !== null) this.#options.turn.send({ type: 'unreachable', run: this.#options.run, ring, peer });
  }

  #sendSlices(slices: readonly Slice[]): void {
    const { run } = this.#options;
    for (const { peer, ring, step, bytes } of slices) {
      this.#options.turn.emit({ type: 'peer-send', peer, message: { type: 'slice', run, ring, step }, body: bytes });
    }
  }
}
