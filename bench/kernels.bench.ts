import { interleave } from './interleave.ts';
import { operators } from './pages/operators.ts';
import { withTwoPages } from './two-pages.ts';

export const name = 'kernels';
export const describe =
  'each kernel on wasm ÷ tfjs’s own, on wasm or, where it has none, on cpu (LeNet 64, alexnet-small 32)';

const WINDOW_MS = 200;

export async function run(): Promise<object> {
  const note = (line: string) => console.error(line);
  return withTwoPages(async (ours, stock) => {
    const results: object[] = [];
    for (const [index, { title, kernel }] of operators.entries()) {
      const stockBackend = (await ours.prepareOperator(index)) && (await stock.prepareOperator(index));
      const times = await interleave(
        () => ours.operatorRate(WINDOW_MS),
        () => stock.operatorRate(WINDOW_MS),
      );
      const msOf = (rates: readonly number[]) => 1000 / Math.max(...rates);
      results.push({
        title,
        kernel,
        stockBackend,
        bestMs: msOf(times.a),
        stockBestMs: msOf(times.b),
        timesStock: times.ratio,
      });
      note(`${title}: ${msOf(times.a).toFixed(2)} ms, ${times.ratio.median.toFixed(1)} times ${stockBackend}`);
    }
    return { kernels: results };
  });
}
