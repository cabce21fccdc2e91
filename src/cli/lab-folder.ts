import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readReport } from '../export/report-schema.ts';
import { textFile } from '../export/run-file.ts';
import { type RunFile, runFiles, type TrainedModel } from '../export/run-files.ts';
import type { Sweep, SweepRun } from '../lab/sweep.ts';
import type { SweepOutcome } from '../lab/sweep-result.ts';
import { FolderInUseError, lockFolder } from '../node/files/folder-lock.ts';
import { replaceFiles, replaceFolder } from '../node/files/whole-files.ts';
import { UsageError } from '../node/usage-error.ts';
import type { Machine } from '../observe/run-report.ts';

/** What all runs of a folder have in common; runs of anything else are not mixed with them. */
export interface LabSetting {
  /** As it is run: at its quick size, if that was asked for. */
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  readonly host: 'tab' | 'relay';
  readonly backend: string;
  /** The path of the file that is their data, if one is. */
  readonly file: string | null;
}

/** What `sweep.json` holds. */
interface SweepFile extends LabSetting {
  readonly format: 'manyhands-sweep/1';
  readonly startedAt: string;
}

/** What `runs/<key>/outcome.json` holds. */
interface OutcomeFile extends SweepRun {
  readonly failure: string | null;
  /** What pages complained about. */
  readonly problems: readonly string[];
  readonly machine: Machine;
}

const SWEEP = 'sweep.json';
const OUTCOME = 'outcome.json';

/**
 * The folder of a sweep: `sweep.json` says what it is, `runs/<key>/` has one run each, whole or not at all, and the report
 * is beside them. It belongs to one sweep and one process at a time.
 */
export class LabFolder {
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
    const known = names.includes(SWEEP) ? await readSweepFile(join(path, SWEEP)) : null;
    if (known === null && names.length > 0) {
      throw new UsageError(`${path} holds other things than a sweep: choose another folder with --out`);
    }
    const other = known && difference(known, setting);
    if (other) {
      throw new UsageError(
        `${path} has ${other}: choose another folder with --out, or remove that one; its runs are not mixed with others`,
      );
    }
    const unlock = await lockFolder(path).catch((error: Error) => {
      if (!(error instanceof FolderInUseError)) throw error;
      throw new UsageError(
        `${path} is in use by another sweep that is being run: end that one, or choose another --out (if it is not, remove ${join(path, 'in-use-by')})`,
      );
    });
    const startedAt = known?.startedAt ?? new Date(nowMs).toISOString();
    const file: SweepFile = { format: 'manyhands-sweep/1', ...setting, startedAt };
    await replaceFiles(path, [textFile(SWEEP, `${JSON.stringify(file, null, 2)}\n`)]);
    await mkdir(join(path, 'runs'), { recursive: true });
    return new LabFolder(path, startedAt, unlock);
  }

  /** Those of the runs that trained to their end here, by the very same experiment, and what ran the last of them. What an interruption left is removed. */
  async kept(
    runs: readonly SweepRun[],
  ): Promise<{ readonly outcomes: SweepOutcome[]; readonly machine: Machine | null }> {
    const names = await readdir(join(this.path, 'runs'));
    const parts = names.filter((name) => name.endsWith('.part'));
    await Promise.all(parts.map((name) => rm(join(this.path, 'runs', name), { recursive: true })));
    const found = await Promise.all(runs.map((run) => this.#outcome(run)));
    const known = found.filter((one) => one !== null);
    return { outcomes: known.map(({ outcome }) => outcome), machine: known.at(-1)?.machine ?? null };
  }

  async keep(
    outcome: SweepOutcome,
    model: TrainedModel | null,
    { problems, machine }: Pick<OutcomeFile, 'problems' | 'machine'>,
  ): Promise<void> {
    const { report, ...rest } = outcome;
    const file: OutcomeFile = { ...rest, problems, machine };
    await replaceFolder(join(this.path, 'runs', outcome.key), [
      textFile(OUTCOME, `${JSON.stringify(file, null, 2)}\n`),
      ...(report === null ? [] : runFiles(report, model)),
    ]);
  }

  write(files: readonly RunFile[]): Promise<void> {
    return replaceFiles(this.path, files);
  }

  close(): Promise<void> {
    return this.#unlock();
  }

  async #outcome(run: SweepRun): Promise<{ readonly outcome: SweepOutcome; readonly machine: Machine } | null> {
    const folder = join(this.path, 'runs', run.key);
    try {
      const file = JSON.parse(await readFile(join(folder, OUTCOME), 'utf8')) as OutcomeFile;
      const { experiment, failure, machine } = file;
      if (failure !== null || !isDeepStrictEqual(experiment, run.experiment)) return null;
      const report = readReport(JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')));
      if (report === null) return null;
      return { outcome: { ...run, report, failure }, machine };
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

/** In what the folder's sweep is another, in words; null if it is the same. More repeats are the same sweep gone on with. */
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
