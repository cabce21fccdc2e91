import { readFile } from 'node:fs/promises';
import { ProblemsError, problemLine } from '../experiment/problems.ts';
import type { TrainerOptions } from '../headless/browser-trainer.ts';
import type { ExampleFile } from '../headless/example-file.ts';
import { layOut } from '../lab/layout.ts';
import { presets } from '../lab/presets.ts';
import { sizedSweep } from '../lab/sized-sweep.ts';
import { parseSweep, type Sweep, type SweepRun } from '../lab/sweep.ts';
import { backendChoices } from '../models/backend.ts';
import { UsageError } from '../node/usage-error.ts';
import { numberOf, type Options, type OptionValues, wordOf } from './command-line.ts';
import { fileOptions, readExampleFile } from './example-file.ts';
import { MAX_TABS } from './train-options.ts';

/** The options of the lab command, in the order --help lists them. */
export const labOptions = {
  quick: { describe: 'the size that takes minutes, not hours' },
  out: { value: 'folder', describe: 'where runs and report go; a sweep that was interrupted there goes on' },
  repeats: { value: 'count', describe: 'how often each run is done (as the sweep says)' },
  only: { value: 'text', describe: 'only runs that have this in their name, e.g. "sync × 2" or "batch 100"' },
  data: { value: 'name', describe: 'other data than the sweep has, or a file of sparse examples for a sparse model' },
  ...fileOptions,
  backend: { value: 'name', describe: `${backendChoices.join(', ')} (auto)` },
  host: { value: 'place', describe: 'where the parameter server is: tab, or relay for this process (tab)' },
  'all-models': { describe: 'keep trained models of more than 32 MB too' },
  timeout: { value: 'minutes', describe: 'give a run up after this long (120)' },
  headed: { describe: 'show the browser' },
  list: { describe: 'list the sweeps there are, or the runs of one' },
} satisfies Options;

/** A sweep in real tabs, ready to start. */
export interface LabOptions extends TrainerOptions {
  /** As it is run: at its quick size, if that was asked for. */
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  readonly file: ExampleFile | null;
  readonly out: string;
  readonly keepsLargeModels: boolean;
  isWanted(run: SweepRun): boolean;
}

/** Turns what was typed into a sweep; every mistake is a UsageError, of one line where there is one. */
export async function readLabOptions(given: OptionValues): Promise<LabOptions> {
  const { sweep, isQuick, file } = await readSweep(given);
  const { out, only } = given;
  if (typeof out !== 'string' || out === '') throw new UsageError('--out <folder> is needed: runs and report go there');
  const runs = layOut(sweep);
  const isWanted = (run: SweepRun) => typeof only !== 'string' || matches(run, only);
  if (!runs.some(isWanted)) {
    const labels = [...new Set(runs.map(({ label }) => label))].join('; ');
    throw new UsageError(`--only "${only}" is in the name of no run; there is: ${labels}`);
  }
  const maxWorkers = Math.max(...runs.map(({ experiment }) => experiment.workers));
  if (maxWorkers > MAX_TABS)
    throw new UsageError(`${sweep.name} has runs of ${maxWorkers} workers; at most ${MAX_TABS} tabs are opened`);
  return {
    sweep,
    isQuick,
    file,
    out,
    host: wordOf(given, 'host', ['tab', 'relay']) ?? 'tab',
    backend: wordOf(given, 'backend', backendChoices) ?? 'auto',
    isHeaded: given.headed === true,
    keepsLargeModels: given['all-models'] === true,
    timeoutMs: (numberOf(given, 'timeout', { min: 0.01, max: 100_000, isWhole: false }) ?? 120) * 60_000,
    isWanted,
  };
}

/** The sweep that was named, a preset or a file, at the size and with the data that were asked for, and one that can be laid out. */
export async function readSweep(given: OptionValues): Promise<Pick<LabOptions, 'sweep' | 'isQuick' | 'file'>> {
  const named = String(given.sweep);
  const isQuick = given.quick === true;
  const found = presets.find(({ name }) => name === named) ?? (await sweepOfFile(named));
  const repeats = numberOf(given, 'repeats', { min: 1, max: 100, isWhole: true }) ?? null;
  const file = readExampleFile(given);
  const data = file !== null ? 'file' : typeof given.data === 'string' ? given.data : null;
  try {
    const sweep = sizedSweep(found, { isQuick, repeats, data });
    const needsFile = layOut(sweep).some(({ experiment }) => experiment.data === 'file');
    if (needsFile && file === null)
      throw new ProblemsError([{ key: 'data', text: 'is a file: give its path as --data' }]);
    return { sweep, isQuick, file };
  } catch (error) {
    throw new UsageError(`${named}: ${firstProblem(error)}`);
  }
}

async function sweepOfFile(path: string): Promise<Sweep> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    const names = presets.map(({ name }) => name).join(', ');
    throw new UsageError(
      `"${path}" is neither a sweep nor a file that can be read (${error.code}); there is: ${names}`,
    );
  });
  try {
    return parseSweep(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) throw new UsageError(`${path}: it is not JSON: ${error.message}`);
    throw new UsageError(`${path}: ${firstProblem(error)}`);
  }
}

function firstProblem(error: unknown): string {
  if (!(error instanceof ProblemsError)) throw error;
  const [first, ...others] = error.problems.map(problemLine);
  return others.length === 0 ? `${first}` : `${first} (and ${others.length} more such mistakes)`;
}

const plain = (text: string): string => text.toLowerCase().replaceAll('×', 'x').replaceAll(',', '');
/** From the beginning of a word: sync × 2 is no part of async × 2. */
const matches = ({ key, label }: SweepRun, text: string): boolean =>
  ` ${plain(label)}`.includes(` ${plain(text)}`) || `-${key}`.includes(`-${text}`);
