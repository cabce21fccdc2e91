import { type Phases, phasesSchema } from './protocol.ts';

const names = Object.keys(phasesSchema.shape) as (keyof Phases)[];

/** No time spent yet. */
export const noPhases = Object.fromEntries(names.map((name) => [name, 0])) as Phases;

/** Both together. */
export function addPhases(a: Phases, b: Phases): Phases {
  const sum = { ...a };
  for (const name of names) sum[name] += b[name];
  return sum;
}
