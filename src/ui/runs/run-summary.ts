import type { RunState } from '../../core/server/progress.ts';
import type { RunLog } from '../../host/state.ts';
import { resolveExperiment } from '../../models/plan.ts';

/** The numbers runs are compared by; null where a run has not come that far. */
export interface RunSummary {
  readonly steps: number;
  readonly elapsedMs: number;
  readonly examples: number | null;
  readonly testLoss: number | null;
  readonly accuracy: number | null;
  /** Null where there are not just two classes. */
  readonly auc: number | null;
  /** Running time until the test loss was first at or below the target. */
  readonly toTargetMs: number | null;
}

/** Sums a run up from its curves. */
export function summarize(log: RunLog, targetLoss: number): RunSummary {
  const lastTest = log.test.at(-1);
  const lastTrain = log.train.at(-1);
  return {
    steps: Math.max(lastTest?.step ?? 0, lastTrain?.step ?? 0),
    elapsedMs: Math.max(lastTest?.elapsedMs ?? 0, lastTrain?.elapsedMs ?? 0),
    examples: lastTest?.examples ?? null,
    testLoss: lastTest?.loss ?? null,
    accuracy: lastTest?.accuracy ?? null,
    auc: lastTest?.auc ?? null,
    toTargetMs: log.test.find((point) => point.loss <= targetLoss)?.elapsedMs ?? null,
  };
}

/** How far a run is towards the nearest rule that can be foreseen, 0 to 1; null when none can. */
export function fractionDone(run: RunState): number | null {
  const { experiment, phase } = run;
  if (phase === 'finished') return 1;
  const trainCount = trainCountOf(experiment);
  const shares: number[] = [];
  if (experiment.maxSteps !== null) shares.push(run.version / experiment.maxSteps);
  if (experiment.epochs !== null && trainCount !== null) shares.push(run.examples / (experiment.epochs * trainCount));
  if (experiment.minutes !== null) shares.push(run.elapsedMs / (experiment.minutes * 60_000));
  return shares.length === 0 ? null : Math.min(1, Math.max(...shares));
}

/** A run of another version of this page may name what nobody knows here. */
function trainCountOf(experiment: RunState['experiment']): number | null {
  try {
    return resolveExperiment(experiment).trainCount;
  } catch {
    return null;
  }
}
