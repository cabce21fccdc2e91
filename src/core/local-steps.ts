import type { Experiment } from './config.ts';
import { type Optimizer, optimizers } from './optimizer/optimizer.ts';
import type { Lease } from './protocol.ts';

/** A worker's own steps between two exchanges; its optimizer goes on from one exchange to the next, as in DiLoCo. */
export class LocalSteps {
  readonly #optimizer: Optimizer;
  readonly #params: Float32Array;
  readonly #batch: number;
  #start: Float32Array;
  #stepsEver = 0;
  #step = 0;

  constructor({ optimizer, lr, batch }: Experiment, size: number) {
    this.#optimizer = optimizers[optimizer](size, lr);
    this.#params = new Float32Array(size);
    this.#start = this.#params;
    this.#batch = batch;
  }

  get params(): Float32Array {
    return this.#params;
  }

  get taken(): number {
    return this.#step;
  }

  /** Begins from the host's parameters, which must not change until `delta`. */
  begin(start: Float32Array): void {
    this.#start = start;
    this.#params.set(start);
    this.#step = 0;
  }

  /** The examples of the next step, or null when the lease is done. */
  next({ id, from, count }: Lease): Lease | null {
    const offset = this.#step * this.#batch;
    return offset >= count ? null : { id, from: from + offset, count: Math.min(this.#batch, count - offset) };
  }

  apply(gradient: Float32Array): void {
    this.#step += 1;
    this.#stepsEver += 1;
    this.#optimizer.apply(this.#params, gradient, 1, this.#stepsEver);
  }

  /** How far it came, with the sign of a gradient, in memory of its own. */
  delta(): Float32Array {
    const delta = new Float32Array(this.#params.length);
    for (let i = 0; i < delta.length; i++) delta[i] = (this.#start[i] as number) - (this.#params[i] as number);
    return delta;
  }
}
