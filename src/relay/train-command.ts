import { access, mkdir, open, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { runFiles } from '../export/run-files.ts';
import { summaryTable } from '../export/summary-table.ts';
import { type Command, UsageError } from './command-line.ts';
import { readExampleFile } from './example-file.ts';
import { ProgressLine } from './progress-line.ts';
import { train } from './train.ts';
import { readTrainOptions, trainOptions } from './train-options.ts';
import { replaceFolder } from './whole-files.ts';

/** Trains once in real tabs. Exit code 0 only if it trained. */
export const trainCommand: Command = {
  name: 'train',
  describe: 'trains in worker tabs of a headless Chromium, with a host in a tab or in this process, and reports',
  options: trainOptions,
  async run(given) {
    const options = readTrainOptions(given);
    const file = readExampleFile(given);
    const jsonPath = typeof given.json === 'string' ? given.json : null;
    if (jsonPath !== null) await assertWritable(jsonPath);
    const outPath = typeof given.out === 'string' ? given.out : null;
    if (outPath !== null) await assertNew(outPath);

    const line = new ProgressLine(process.stderr);
    const { report, model, failure, problems, browser } = await train(
      options,
      { note: (text) => line.note(text), progress: (text) => line.show(text, performance.now()) },
      { file, keepsModel: outPath !== null, profiles: outPath !== null },
    );
    line.end();
    if (report !== null) console.log(summaryTable(report));
    if (outPath !== null && report !== null) {
      await replaceFolder(outPath, runFiles(report, model));
      console.log(`\nfiles: ${outPath}`);
    }
    if (jsonPath !== null) {
      const { experiment, backend } = options;
      const versions = { manyhands: packageJson.version, chromium: browser, node: process.version };
      const whole = { experiment, asked: { backend, tabs: options.tabs }, failure, problems, versions, ...report };
      await writeFile(jsonPath, `${JSON.stringify(whole, null, 2)}\n`);
    }
    if (failure === null) return 0;
    console.error(`manyhands: ${failure}`);
    return 1;
  },
};

/** Found out now, not after an hour of training. */
async function assertWritable(path: string): Promise<void> {
  try {
    await (await open(path, 'a')).close();
  } catch (error) {
    throw new UsageError(`--json "${path}" cannot be written (${(error as NodeJS.ErrnoException).code})`);
  }
}

/** A folder that is there may hold what somebody wants to keep. */
async function assertNew(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new UsageError(`--out "${path}" is there already: choose the name of a new folder`);
  await mkdir(dirname(resolve(path)), { recursive: true }).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`--out "${path}" cannot be made (${error.code})`);
  });
}
