import { type LightWorker, lightWorker } from '../src/node/light-workers-for-tests.ts';

/* Many light workers in a process of their own: light-workers.ts <url> <code> <invite> <count> <thinkMs>. Ends with stdin. */

/** What it prints when it ends, as one line of JSON. */
export interface LightReport {
  readonly pushes: readonly number[];
  readonly breaks: readonly string[];
}

const [url = '', code = '', invite = '', count = '1', thinkMs = '100'] = process.argv.slice(2);
const workers: LightWorker[] = [];
for (let index = 0; index < Number(count); index++) {
  workers.push(lightWorker(`light ${index + 1}`, { url, code, invite, thinkMs: Number(thinkMs) }));
  // A class does not come in one millisecond either.
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdin.resume();
await new Promise((resolve) => process.stdin.once('end', resolve));
await Promise.all(workers.map((worker) => worker.finish()));
const report: LightReport = {
  pushes: workers.map(({ pushes }) => pushes),
  breaks: workers.flatMap(({ breaks }) => breaks),
};
process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
