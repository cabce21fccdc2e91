import { DEFAULT_MALFORMED_LIMIT, formatOfName } from '../../data/sparse/formats/formats.ts';
import { ProblemsError, problemLine } from '../../experiment/problems.ts';
import { layOut } from '../../lab/layout.ts';
import { modelBytesOf, tabsNeeded } from '../../lab/run-order.ts';
import { labCommandText, sizedSweep } from '../../lab/sized-sweep.ts';
import type { Sweep, SweepRun } from '../../lab/sweep.ts';
import type { LabFile, LabRecord } from '../../store/labs.ts';

/** A sweep that was begun. */
export interface Lab extends LabRecord {
  readonly sweep: Sweep;
}

/** What would be begun. */
export type Choice = Omit<Lab, 'id' | 'startedAtMs' | 'file'>;

/** The runs of a choice. */
export type Plan =
  | {
      readonly ok: true;
      readonly runs: readonly SweepRun[];
      /** How often each setting is run. */
      readonly repeats: number;
      /** Beside this one, for the run that needs the most. */
      readonly maxTabs: number;
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
export const sized = ({ sweep, isQuick, repeats, takesFile }: Choice): Sweep =>
  sizedSweep(sweep, { isQuick, repeats, data: takesFile ? 'file' : null });

/** Lays a choice out, or says what cannot be. */
export function planOf(choice: Choice): Plan {
  try {
    const sweep = sized(choice);
    const runs = layOut(sweep);
    const maxTabs = Math.max(...runs.map((run) => tabsNeeded(run, sweep)));
    const modelBytes = Math.max(...runs.map(modelBytesOf));
    const needsFile = runs.some(isOfFile);
    const canTakeFile = choice.takesFile || (!needsFile && fitsFile({ ...choice, takesFile: true }));
    return { ok: true, runs, repeats: sweep.repeats, maxTabs, modelBytes, needsFile, canTakeFile };
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
  return labCommandText([...words, '--out', sweep.name]);
}
