import { rng } from '../../src/core/math/rng.ts';
import { type DataName, dataSpecs } from '../../src/models/data.ts';
import { elements } from '../../src/models/layer.ts';
import type { ModelName } from '../../src/models/model.ts';

/** What is trained, by both sides alike. */
export interface Task {
  readonly model: ModelName;
  readonly data: DataName;
  readonly batch: number;
}

/** What a page offers to the bench that drives it; each gives a rate measured over at least `ms`. */
export interface MeasuringPage {
  /** Gets a task ready; says on which backend. */
  prepare(task: Task): Promise<string>;
  /** Steps per second of the task. */
  stepRate(ms: number): Promise<number>;
  /** Gets one of the operators ready; says on which backend. */
  prepareOperator(index: number): Promise<string>;
  /** Runs per second of the operator. */
  operatorRate(ms: number): Promise<number>;
  /** Floating-point operations per second of a 512³ matrix product. */
  matMulRate(ms: number): Promise<number>;
}

const COUNT = 256;

/** Random examples in the data's shape: speed does not depend on what they show. */
export function someExamples(name: DataName): { images: Uint8Array; labels: Uint8Array } {
  const { input } = dataSpecs[name];
  const random = rng(1, 'bench');
  return {
    images: Uint8Array.from({ length: COUNT * elements(input) }, () => random.below(256)),
    labels: Uint8Array.from({ length: COUNT }, () => random.below(10)),
  };
}

/** How often `run` runs in a second; takes at least `ms`. */
export async function rateOf(run: () => unknown, ms: number): Promise<number> {
  const startMs = performance.now();
  let count = 0;
  let elapsedMs = 0;
  while (elapsedMs < ms) {
    await run();
    count += 1;
    elapsedMs = performance.now() - startMs;
  }
  return (count * 1000) / elapsedMs;
}
