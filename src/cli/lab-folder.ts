import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { TrainedModel } from '../export/run-files.ts';
import {
  keptOutcome,
  type LabSetting,
  OUTCOME_FILE,
  type OutcomeFile,
  outcomeFiles,
  reportFiles,
  runFolder,
  SWEEP_FILE,
  type SweepFile,
  sweepFile,
} from '../lab/files.ts';
import type { TrainedRun } from '../lab/run-order.ts';
import type { OutcomeStore } from '../lab/session.ts';
import type { Sweep, SweepRun } from '../lab/sweep.ts';
import type { SweepOutcome, SweepResult } from '../lab/sweep-result.ts';
import { FolderInUseError, lockFolder } from '../node/files/folder-lock.ts';
import { replaceFiles, replaceFolder } from '../node/files/whole-files.ts';
import { UsageError } from '../node/usage-error.ts';

/** The folder of a lab. Each run in it is whole or not there at all; it belongs to one sweep and one process at a time. */
export class LabFolder implements OutcomeStore<TrainedModel> {
  readonly path: string;
  /** When the sweep first began. */
  readonly startedAt: string;
  readonly #unlock: () => Promise<void>;

  private constructor(path: string, startedAt: string, unlock: () => Promise<void>) {
    this.path = path;
    this.startedAt = startedAt;
    this.#unlock = unlock;
  }

  /** Makes the folder, or takes up the one of the same sweep; refuses any other in words that say what to do. */
  static async open(path: string, setting: LabSetting, nowMs: number): Promise<LabFolder> {
    const names = await readdir(path).catch((error: NodeJS.ErrnoException): string[] => {
      if (error.code === 'ENOENT') return [];
      throw new UsageError(`--out "${path}" cannot be used (${error.code}): choose another folder`);
    });
    const known = names.includes(SWEEP_FILE) ? await readSweepFile(join(path, SWEEP_FILE)) : null;
    if (known === null && names.length > 0) {
      throw new UsageError(`${path} holds other things than a sweep: choose another folder with --out`);
    }
    const other = known && difference(known, setting);
    if (other) {
      throw new UsageError(
        `${path} has ${other}: choose another folder with --out, or remove that one; its runs are not mixed with others`,
      );
    }
    const unlock = await lockFolder(path).catch((error: unknown) => {
      if (!(error instanceof FolderInUseError)) throw error;
      throw new UsageError(
        `${path} is in use by another sweep that is being run: end that one, or choose another --out (if it is not, remove ${error.path})`,
      );
    });
    const startedAt = known?.startedAt ?? new Date(nowMs).toISOString();
    await replaceFiles(path, [sweepFile(setting, startedAt)]);
    await mkdir(join(path, 'runs'), { recursive: true });
    return new LabFolder(path, startedAt, unlock);
  }

  /** What came of those of the runs that are here, by the very same experiment. What an interruption left is removed. */
  async load(runs: readonly SweepRun[]) {
    const names = await readdir(join(this.path, 'runs'));
    const parts = names.filter((name) => name.endsWith('.part'));
    await Promise.all(parts.map((name) => rm(join(this.path, 'runs', name), { recursive: true })));
    const found = (await Promise.all(runs.map((run) => this.#read(run)))).filter((one) => one !== null);
    const last = found.at(-1);
    return { outcomes: found.map(({ outcome }) => outcome), ...(last && { machine: last.machine }) };
  }

  keep(outcome: SweepOutcome, trained: TrainedRun<TrainedModel>): Promise<void> {
    return replaceFolder(join(this.path, runFolder(outcome.key)), outcomeFiles(outcome, trained));
  }

  writeReport(result: SweepResult): Promise<void> {
    return replaceFiles(this.path, reportFiles(result));
  }

  close(): Promise<void> {
    return this.#unlock();
  }

  async #read(run: SweepRun) {
    const folder = join(this.path, runFolder(run.key));
    const readJson = async (name: string): Promise<unknown> => JSON.parse(await readFile(join(folder, name), 'utf8'));
    try {
      const { failure, machine } = (await readJson(OUTCOME_FILE)) as OutcomeFile;
      const report = failure === null ? await readJson('run.json') : null;
      const outcome = keptOutcome(run, { report, failure });
      return outcome && { outcome, machine };
    } catch {
      // Not there, or not readable: it is run again.
      return null;
    }
  }
}

async function readSweepFile(path: string): Promise<SweepFile> {
  try {
    const file = JSON.parse(await readFile(path, 'utf8')) as SweepFile;
    if (file.format === 'manyhands-sweep/1') return file;
  } catch {
    // Said below.
  }
  throw new UsageError(`${path} is not a sweep of this program: choose another folder with --out`);
}

/** How the folder's sweep differs, in words; null if it does not. More repeats only continue the same sweep. */
function difference(known: LabSetting, asked: LabSetting): string | null {
  if (known.sweep.name !== asked.sweep.name) return `the sweep ${known.sweep.name}, not ${asked.sweep.name}`;
  if (known.isQuick !== asked.isQuick) {
    return known.isQuick ? 'the quick size of this sweep: add --quick' : 'the whole of this sweep: leave out --quick';
  }
  if (known.host !== asked.host) return `this sweep with --host ${known.host}`;
  if (known.backend !== asked.backend) return `this sweep with --backend ${known.backend}`;
  if (known.file !== asked.file) return `this sweep with ${known.file === null ? 'no file' : `--data ${known.file}`}`;
  const what = ({ base, cases, vary, hostTrains }: Sweep) => ({ base, cases, vary, hostTrains });
  // As files hold them: there is no undefined in JSON.
  const plain = (sweep: Sweep): unknown => JSON.parse(JSON.stringify(what(sweep)));
  return isDeepStrictEqual(plain(known.sweep), plain(asked.sweep))
    ? null
    : `a sweep ${known.sweep.name} of other settings`;
}
