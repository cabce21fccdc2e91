import { DEFAULT_MALFORMED_LIMIT, formatOfName } from '../../data/sparse/formats/formats.ts';
import { ProblemsError, problemLine } from '../../experiment/problems.ts';
import { layOut } from '../../lab/layout.ts';
import { quickened, type Sweep, type SweepRun } from '../../lab/sweep.ts';
import { resolveExperiment } from '../../models/plan.ts';
import type { LabFile } from '../../store/labs.ts';
import { tabsNeeded } from './run.ts';

/** A sweep at one of its sizes. */
export interface Choice {
  readonly sweep: Sweep;
  readonly isQuick: boolean;
  /** What the command line calls it: a preset, or a file. */
  readonly source: string;
  /** How often each setting is run; null: as the sweep says. */
  readonly repeats: number | null;
  /** Examples come from a file, whatever data the sweep has. */
  readonly takesFile: boolean;
  /** Trained models of more than `LARGE_MODEL_BYTES` are kept too. */
  readonly keepsLargeModels: boolean;
}

/** A sweep that was begun. */
export interface Lab extends Choice {
  readonly id: string;
  readonly startedAtMs: number;
  /** What its runs take their examples from; null where everyone has the data. */
  readonly file: LabFile | null;
}

/** Larger models are only kept where that is asked for: a sweep has many. */
export const LARGE_MODEL_BYTES = 32e6;

/** The runs of a choice. */
export type Plan =
  | {
      readonly ok: true;
      readonly runs: readonly SweepRun[];
      /** How often each setting is run. */
      readonly repeats: number;
      /** Beside this one, for the run that needs the most. */
      readonly mostTabs: number;
      /** Of the largest. */
      readonly modelBytes: number;
      readonly needsFile: boolean;
      /** Examples of a file could stand in place of its own data. */
      readonly canTakeFile: boolean;
    }
  | { readonly ok: false; readonly problems: readonly string[] };

/** A sweep as it is when nothing else is asked for. */
export const choiceOf = (sweep: Sweep, source: string, isQuick: boolean): Choice => ({
  sweep,
  source,
  isQuick: isQuick && sweep.quick !== undefined,
  repeats: null,
  takesFile: false,
  keepsLargeModels: false,
});

/** The sweep as it is run. */
export function sized({ sweep, isQuick, repeats, takesFile }: Choice): Sweep {
  const { quick: _, ...whole } = isQuick ? quickened(sweep) : sweep;
  const base = takesFile ? { ...whole.base, data: 'file' } : whole.base;
  return { ...whole, base, repeats: repeats ?? whole.repeats };
}

/** Lays a choice out, or says what cannot be. */
export function planOf(choice: Choice): Plan {
  try {
    const sweep = sized(choice);
    const runs = layOut(sweep);
    const mostTabs = Math.max(...runs.map((run) => tabsNeeded(run, sweep.hostTrains)));
    const modelBytes = Math.max(...runs.map(modelBytesOf));
    const needsFile = runs.some(isOfFile);
    const canTakeFile = choice.takesFile || (!needsFile && fitsFile({ ...choice, takesFile: true }));
    return { ok: true, runs, repeats: sweep.repeats, mostTabs, modelBytes, needsFile, canTakeFile };
  } catch (error) {
    if (!(error instanceof ProblemsError)) throw error;
    return { ok: false, problems: error.problems.map(problemLine) };
  }
}

const isOfFile = ({ experiment }: SweepRun): boolean => experiment.data === 'file';

function fitsFile(choice: Choice): boolean {
  try {
    return layOut(sized(choice)).some(isOfFile);
  } catch {
    return false;
  }
}

/** What the parameters of a run take. */
export const modelBytesOf = ({ experiment }: SweepRun): number => resolveExperiment(experiment).schema.size * 4;

/** What repeats a lab, typed at a command line. */
export function commandOf(choice: Choice, file: LabFile | null): string {
  const { source, sweep, isQuick, repeats, keepsLargeModels } = choice;
  const words = [source, ...(isQuick ? ['--quick'] : []), ...(repeats === null ? [] : ['--repeats', String(repeats)])];
  if (file !== null) {
    words.push('--data', file.name);
    if (file.format !== formatOfName(file.name)) words.push('--format', file.format);
    if (file.malformedLimit !== DEFAULT_MALFORMED_LIMIT) words.push('--malformed', String(file.malformedLimit));
    if (file.firstIndex === 0) words.push('--first-index', '0');
  }
  if (keepsLargeModels) words.push('--all-models');
  return ['npm run lab --', ...words.map(shellWord), '--out', sweep.name].join(' ');
}

const shellWord = (word: string): string => (/^[\w.-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
