import { parseArgs } from 'node:util';
import { dataSpecs } from '../src/models/data.ts';
import { gradientFlops, models } from '../src/models/model.ts';
import { bandOf, interleave } from './interleave.ts';
import type { Task } from './pages/measured.ts';
import { withTwoPages } from './two-pages.ts';

export const name = 'step';
export const describe =
  'a training step on wasm ÷ stock tfjs on its best backend, and as a share of a 512³ product (--pairs n, --only model-batch)';

const WINDOW_MS = 500;

/** Stock tfjs takes seconds for a step of the last one: fewer pairs, by the same rule of whole windows. */
const tasks: (Task & { readonly pairs: number })[] = [
  { model: 'lenet', data: 'mnist', batch: 64, pairs: 9 },
  { model: 'lenet', data: 'mnist', batch: 8, pairs: 9 },
  { model: 'softmax', data: 'mnist', batch: 100, pairs: 9 },
  { model: 'alexnet-small', data: 'fake-32', batch: 32, pairs: 3 },
];

export async function run(args: readonly string[]): Promise<object> {
  const { values } = parseArgs({ args: [...args], options: { pairs: { type: 'string' }, only: { type: 'string' } } });
  const note = (line: string) => console.error(line);
  const chosen = tasks.filter(({ model, batch }) => values.only === undefined || values.only === `${model}-${batch}`);
  return withTwoPages(async (ours, stock) => {
    const results: Record<string, object> = {};
    for (const { pairs, ...task } of chosen) {
      const title = `${task.model}-${task.batch}`;
      const { input, classes } = dataSpecs[task.data];
      const flops = gradientFlops(models[task.model], input, classes) * task.batch;
      const [backend, stockBackend] = [await ours.prepare(task), await stock.prepare(task)];
      note(`${title}: ours on ${backend} against stock on ${stockBackend}`);
      const count = Number(values.pairs ?? pairs);
      const step = () => ours.stepRate(WINDOW_MS);
      const times = await interleave(step, () => stock.stepRate(WINDOW_MS), { pairs: count, note });
      note(`${title}: share of the matrix product's speed`);
      const limit = () => stock.matMulRate(WINDOW_MS);
      const share = await interleave(async () => (await step()) * flops, limit, { note });
      results[title] = {
        stockBackend,
        oursExamplesPerSecond: bandOf(times.a.map((rate) => rate * task.batch)),
        stockExamplesPerSecond: bandOf(times.b.map((rate) => rate * task.batch)),
        timesStock: times.ratio,
        shareOfMatMul: share.ratio,
        matMulGflops: bandOf(share.b.map((rate) => rate / 1e9)),
        flopsPerStep: flops,
      };
    }
    return results;
  });
}
