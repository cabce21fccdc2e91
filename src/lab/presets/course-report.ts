import type { Experiment } from '../../experiment/experiment.ts';
import type { Reference } from '../sweep.ts';

/** A figure that a course report on distributed TensorFlow gives for runs with these settings. */
export const courseReport = (where: Partial<Experiment>, measure: Reference['measure'], value: string): Reference => ({
  where,
  measure,
  value,
  source: 'course report',
});
