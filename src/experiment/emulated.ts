import { describeEmulation, parseEmulation } from './emulation.ts';
import type { Experiment } from './experiment.ts';

/** The made-up conditions of a run in words; null if there were none. What cannot be read is given as it is: never unmarked. */
export function emulatedWords({ emulate }: Pick<Experiment, 'emulate'>): string | null {
  if (emulate.trim() === '') return null;
  try {
    return describeEmulation(parseEmulation(emulate)) || null;
  } catch {
    return emulate;
  }
}
