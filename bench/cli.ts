import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** What every bench/*.bench.ts exports. `run` writes notes to stderr only; what it gives is printed. */
export interface Bench {
  readonly name: string;
  readonly describe: string;
  run(args: readonly string[]): Promise<object>;
}

/** Every bench there is, by file name. */
export async function findBenches(folder: string): Promise<Bench[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.bench.ts')).sort();
  return Promise.all(files.map(async (file) => (await import(pathToFileURL(join(folder, file)).href)) as Bench));
}

async function main(argv: readonly string[]): Promise<number> {
  const [wanted, ...rest] = argv;
  const benches = await findBenches(import.meta.dirname);
  const list = benches.map((bench) => `  ${bench.name}  ${bench.describe}`).join('\n');
  if (wanted === undefined || wanted === '--help') {
    console.log(`bench <name> [--json] [options of the bench]\n${list}`);
    return wanted === undefined ? 2 : 0;
  }
  const bench = benches.find((candidate) => candidate.name === wanted);
  if (bench === undefined) {
    console.error(`there is no bench "${wanted}"; there is: ${benches.map(({ name }) => name).join(', ')}`);
    return 2;
  }
  const isJsonOnly = rest.includes('--json');
  if (!isJsonOnly) console.log(`${bench.name}: ${bench.describe}`);
  const result = await bench.run(rest.filter((word) => word !== '--json'));
  console.log(JSON.stringify(result, null, isJsonOnly ? 0 : 2));
  return 0;
}

process.exitCode = await main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  return 1;
});
