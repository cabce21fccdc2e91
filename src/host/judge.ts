import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import { resolveExperiment } from '../models/plan.ts';

/** What a look at the test set came to. */
export interface Judgement {
  readonly loss: number;
  readonly accuracy: number;
  /** The share of right answers in each part of the test set, in order. */
  readonly precisions: readonly number[];
  /** Null unless there are two classes. */
  readonly auc: number | null;
}

/** Judges parameters on one test set, one after another. */
export interface Judge {
  /** The parameters it needs to see, rising; null if all of them. */
  readonly keys: Uint32Array | null;
  evaluate(params: Float32Array): Promise<Judgement>;
  close(): void;
}

/**
 * Loads what the experiment's test set needs, the tensor library only for a model that is made of layers. `given` are the
 * test examples where only the server has them.
 */
export async function judgeFor(
  experiment: Experiment,
  baseUrl: string,
  backend: BackendChoice,
  given: Uint8Array | null = null,
): Promise<Judge> {
  const named = resolveExperiment(experiment);
  if (named.kind === 'sparse') return (await import('./sparse-judge.ts')).sparseJudge(experiment, given);
  return (await import('./tensor-judge.ts')).tensorJudge(named, baseUrl, backend);
}
