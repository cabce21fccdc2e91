import type { Experiment } from '../../experiment/experiment.ts';
import type { Reference, Sweep } from '../sweep.ts';

/** A sweep in which only the cases differ, each is run once and the host does not train, but for what it says otherwise. */
export const preset = (sweep: Pick<Sweep, 'name' | 'title' | 'about' | 'base'> & Partial<Sweep>): Sweep => ({
  ...{ cases: [], vary: {}, repeats: 1, hostTrains: false, references: [] },
  ...sweep,
});

/** A figure that a course report on distributed TensorFlow gives for runs with these settings. */
export const courseReport = (where: Partial<Experiment>, measure: Reference['measure'], value: string): Reference => ({
  where,
  measure,
  value,
  source: 'course report',
});
