import { aggregates } from '../src/core/math/aggregate/aggregate.ts';
import { optimizers } from '../src/core/math/optimizer/optimizer.ts';
import { boundedNorm } from '../src/core/math/params.ts';
import { rng } from '../src/core/math/rng.ts';
import { aggregateNames } from '../src/experiment/experiment.ts';
import { bandOf, interleave } from './interleave.ts';

export const name = 'aggregate';
export const describe =
  'each aggregate of 8 gradients, and what the server does with one push, ÷ copying the same numbers';

const WORKERS = 8;
const FAULTY = 2;
/** LeNet's parameters, and a million. */
const sizes = [61_706, 1_000_000];
const WINDOW_US = 40_000;

export async function run(): Promise<object> {
  const results: Record<string, object> = {};
  for (const size of sizes) {
    const random = rng(1, 'bench', size);
    const gradients = Array.from({ length: WORKERS }, () => Float32Array.from({ length: size }, () => random.normal()));
    const target = new Float32Array(size);
    const copy = () => {
      for (const gradient of gradients) target.set(gradient);
    };
    const tasks = { ...aggregateTasks(gradients), ...pushTasks(gradients) };
    for (const [title, task] of Object.entries(tasks)) {
      // Both have to be compiled before either is timed.
      nsPerNumber(task, size);
      nsPerNumber(copy, size);
      const { a, b, ratio } = await interleave(
        async () => nsPerNumber(task, size),
        async () => nsPerNumber(copy, size),
      );
      results[`${title}-${size}`] = { nsPerNumber: bandOf(a), copyNsPerNumber: bandOf(b), timesCopy: ratio };
      console.error(`${title} of ${size}: ${bandOf(a).median.toFixed(2)} ns, ${ratio.median.toFixed(1)} × copying`);
    }
  }
  return { workers: WORKERS, faulty: FAULTY, perNumberOfOneGradient: results };
}

type Task = () => void;

/** One round each: all gradients added, and the result made. */
function aggregateTasks(gradients: readonly Float32Array[]): Record<string, Task> {
  const tasks = aggregateNames.map((kind): [string, Task] => {
    const aggregate = aggregates[kind](gradients[0]?.length ?? 0, FAULTY);
    return [
      kind,
      () => {
        aggregate.clear();
        for (const gradient of gradients) aggregate.add({ values: gradient, keys: null }, 64);
        aggregate.finish();
      },
    ];
  });
  return Object.fromEntries(tasks);
}

/** Each gradient checked, folded and applied as if it were alone in its round, as async has it. */
function pushTasks(gradients: readonly Float32Array[]): Record<string, Task> {
  const size = gradients[0]?.length ?? 0;
  const tasks = (['sgd', 'adam'] as const).map((kind): [string, Task] => {
    const mean = aggregates.mean(size, 0);
    const optimizer = optimizers[kind](size, { lr: 1e-3 });
    const params = new Float32Array(size);
    let step = 0;
    return [
      `push-${kind}`,
      () => {
        for (const gradient of gradients) {
          if (boundedNorm(gradient) === null) throw new Error('the gradients of this bench are bounded');
          mean.add({ values: gradient, keys: null }, 64);
          const { gradient: sum, scale } = mean.finish();
          optimizer.apply(params, sum, scale, ++step);
        }
      },
    ];
  });
  return Object.fromEntries([
    ['bounded-norm', () => gradients.forEach((gradient) => void boundedNorm(gradient))],
    ...tasks,
  ]);
}

/** Processor time for one number of one gradient, over as many turns as fill the window. */
function nsPerNumber(task: Task, size: number): number {
  const start = process.cpuUsage();
  let [turns, tookUs] = [0, 0];
  while (tookUs < WINDOW_US) {
    task();
    turns++;
    const { user, system } = process.cpuUsage(start);
    tookUs = user + system;
  }
  return (tookUs * 1000) / (turns * WORKERS * size);
}
