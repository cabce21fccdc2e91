import { quickened, type Sweep } from './sweep.ts';

/** In what a sweep is run otherwise than it says. */
export interface SweepSize {
  readonly isQuick: boolean;
  /** How often each setting is run; null: as the sweep says. */
  readonly repeats: number | null;
  /** The data of all runs; null: as the sweep says. */
  readonly data: string | null;
}

/** The sweep as it is run; throws if it has no quick size and that is asked for. */
export function sizedSweep(sweep: Sweep, { isQuick, repeats, data }: SweepSize): Sweep {
  const { quick: _, ...whole } = isQuick ? quickened(sweep) : sweep;
  const base = data === null ? whole.base : { ...whole.base, data };
  return { ...whole, base, repeats: repeats ?? whole.repeats };
}

/** The command that runs a lab, as a shell takes it. */
export const labCommandText = (words: readonly string[]): string =>
  ['npm run lab --', ...words.map(shellWord)].join(' ');

const shellWord = (word: string): string =>
  /^[\w./:=@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
