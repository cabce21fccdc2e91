import { access, constants, mkdir } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };
import { runFiles } from '../export/run-files.ts';
import { summaryTable } from '../export/summary-table.ts';
import { ProgressLine } from '../headless/progress-line.ts';
import { train } from '../headless/train.ts';
import { replaceFolder } from '../node/files/whole-files.ts';
import { UsageError } from '../node/usage-error.ts';
import type { Command } from './command-line.ts';
import { readExampleFile } from './example-file.ts';
import { readJsonPath, writeJson } from './json-file.ts';
import { readTrainOptions, trainOptions } from './train-options.ts';

/** Trains once in real tabs. Exit code 0 only if it trained. */
export const trainCommand: Command = {
  name: 'train',
  describe: 'trains in worker tabs of a headless Chromium, with a host in a tab or in this process, and reports',
  options: trainOptions,
  async run(given) {
    const options = readTrainOptions(given);
    const file = readExampleFile(given);
    const jsonPath = await readJsonPath(given);
    const outPath = typeof given.out === 'string' ? given.out : null;
    if (outPath !== null) await assertNew(outPath);

    const line = new ProgressLine(process.stderr);
    const { report, model, failure, problems, browser } = await train(
      { ...options, file, keepsModel: outPath !== null, profiles: outPath !== null },
      { note: (text) => line.note(text), progress: (text) => line.show(text, performance.now()) },
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
      await writeJson(jsonPath, whole);
    }
    if (failure === null) return 0;
    console.error(`manyhands: ${failure}`);
    return 1;
  },
};

/** A folder that is there may hold what somebody wants to keep. */
async function assertNew(path: string): Promise<void> {
  const isThere = await access(path).then(
    () => true,
    () => false,
  );
  if (isThere) throw new UsageError(`--out "${path}" is there already: choose the name of a new folder`);
  const parent = dirname(resolve(path));
  await mkdir(parent, { recursive: true })
    .then(() => access(parent, constants.W_OK))
    .catch((error: NodeJS.ErrnoException) => {
      throw new UsageError(`--out "${path}" cannot be made (${error.code}): choose another folder`);
    });
}
