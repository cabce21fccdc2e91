import { type Rng, rng } from '../core/math/rng.ts';
import { type Conditions, conditionsFor, parseEmulation, unhindered } from '../experiment/emulation.ts';
import type { Experiment } from '../experiment/experiment.ts';

/** The conditions that an experiment makes up for one worker; none before `begin`. */
export class EmulatedConditions {
  #conditions: Conditions = unhindered;
  #random: Rng = rng('emulate');

  get conditions(): Conditions {
    return this.#conditions;
  }

  /** For made-up losses and cuts: by the experiment's seed and the worker's number, once they are known. */
  get random(): Rng {
    return this.#random;
  }

  begin(experiment: Experiment, worker: number): void {
    try {
      this.#conditions = conditionsFor(parseEmulation(experiment.emulate), worker);
    } catch {
      this.#conditions = unhindered;
    }
    this.#random = rng(experiment.seed, 'emulate', worker);
  }

  /** Below full intensity the device rests in proportion to its work; a made-up slow one takes longer for it. */
  async rest(workedMs: number, intensity: number, now: () => number): Promise<number> {
    const restMs = workedMs * (this.#conditions.slow / intensity - 1);
    if (restMs <= 0.5) return 0;
    const startMs = now();
    await new Promise((resolve) => setTimeout(resolve, restMs));
    return now() - startMs;
  }

  /** Makes a saboteur of a worker, where the experiment asks for one. */
  poison(gradient: Float32Array): void {
    const { poison } = this.#conditions;
    if (poison !== 1) for (let i = 0; i < gradient.length; i++) gradient[i] = (gradient[i] as number) * poison;
  }
}
