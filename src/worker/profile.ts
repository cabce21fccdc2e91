import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { StepProfile } from '../observe/step-trace.ts';

/** Takes one step of an experiment apart, on the best device as far as `backend` lets it. */
export async function profileStep(
  experiment: Experiment,
  baseUrl: string,
  backend: BackendChoice,
): Promise<StepProfile> {
  const named = resolveExperiment(experiment);
  if (named.kind === 'sparse') return (await import('./sparse-profile.ts')).sparseProfile(experiment);
  return (await import('./layers-profile.ts')).layersProfile(named, experiment, baseUrl, backend);
}
