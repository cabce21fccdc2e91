import type { ServerEvent } from '../core/server/server.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';

/** What parameters come to on the test set. */
export type Evaluation = Omit<Extract<ServerEvent, { type: 'evaluated' }>, 'type' | 'run' | 'version'>;

/** Evaluates parameters on one test set, one after another. */
export interface Evaluator {
  /** The parameters it needs to see, rising; null if all of them. */
  readonly keys: Uint32Array | null;
  evaluate(params: Float32Array): Promise<Evaluation>;
  close(): void;
}

/**
 * Loads what the experiment's test set needs, the tensor library only for a model that is made of layers. `testExamples` are
 * those that only the server has, as `encodeExamples` writes them.
 */
export async function openEvaluator(
  experiment: Experiment,
  baseUrl: string,
  backend: BackendChoice,
  testExamples: Uint8Array | null = null,
): Promise<Evaluator> {
  const named = resolveExperiment(experiment);
  if (named.kind === 'sparse') return (await import('./sparse-evaluator.ts')).sparseEvaluator(experiment, testExamples);
  return (await import('./layers-evaluator.ts')).layersEvaluator(named, baseUrl, backend);
}
