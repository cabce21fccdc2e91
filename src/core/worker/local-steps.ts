import type { Experiment } from '../../experiment/experiment.ts';
import { chosenOptimizer, type Optimizer } from '../math/optimizer/optimizer.ts';
import type { Lease } from '../wire/protocol.ts';

/**
 * A worker's own steps between two exchanges; its optimizer goes on from one exchange to the next, as in DiLoCo. Where
 * parameters have keys, each exchange brings others, and it starts anew.
 */
export class LocalSteps {
  readonly #experiment: Experiment;
  #optimizer: Optimizer;
  #params: Float32Array;
  #start: Float32Array;
  #stepsEver = 0;
  #step = 0;

  constructor(experiment: Experiment, size: number) {
    this.#experiment = experiment;
    this.#optimizer = chosenOptimizer(experiment, size, false);
    this.#params = new Float32Array(size);
    this.#start = this.#params;
  }

  get params(): Float32Array {
    return this.#params;
  }

  get taken(): number {
    return this.#step;
  }

  /** Begins from the host's parameters, which must not change until `delta`. */
  begin(start: Float32Array): void {
    if (start.length !== this.#params.length) {
      this.#optimizer = chosenOptimizer(this.#experiment, start.length, false);
      this.#params = new Float32Array(start.length);
    }
    this.#start = start;
    this.#params.set(start);
    this.#step = 0;
  }

  /** The examples of the next step, or null when the lease is done. */
  next({ id, from, count }: Lease): Lease | null {
    const { batch } = this.#experiment;
    const offset = this.#step * batch;
    return offset >= count ? null : { id, from: from + offset, count: Math.min(batch, count - offset) };
  }

  apply(gradient: Float32Array): void {
    this.#step += 1;
    this.#stepsEver += 1;
    this.#optimizer.apply(this.#params, { values: gradient, keys: null }, 1, this.#stepsEver);
  }

  /** How far it got, with the sign of a gradient, in memory of its own. */
  delta(): Float32Array {
    const delta = new Float32Array(this.#params.length);
    for (let i = 0; i < delta.length; i++) delta[i] = (this.#start[i] as number) - (this.#params[i] as number);
    return delta;
  }
}
