import type { Experiment, ExperimentKey } from '../core/config.ts';
import { resolveExperiment } from '../models/plan.ts';

/** A run with how long it took, all told. */
export interface TimedRun {
  readonly experiment: Experiment;
  readonly tookMs: number;
}

/** How long a run will take, by those that are most like it; null while there is none. */
export function guessMs(experiment: Experiment, done: readonly TimedRun[]): number | null {
  let [nearest, sumMs, count] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const { experiment: other, tookMs } of done) {
    const distance = differences(experiment, other);
    if (distance > nearest) continue;
    if (distance < nearest) [nearest, sumMs, count] = [distance, 0, 0];
    sumMs += tookMs * workRatio(experiment, other);
    count += 1;
  }
  return count === 0 ? null : sumMs / count;
}

const differences = (a: Experiment, b: Experiment): number =>
  (Object.keys(a) as ExperimentKey[]).filter((key) => key !== 'seed' && a[key] !== b[key]).length;

/** By how much the one has more to do than the other; 1 where that is not known before. */
function workRatio(a: Experiment, b: Experiment): number {
  const [ours, theirs] = [plannedWork(a), plannedWork(b)];
  return a.model === b.model && ours !== null && theirs !== null ? ours / theirs : 1;
}

/** An exchange takes about as long as so many examples: with small models more, with large batches nobody notices. */
const EXCHANGE_EXAMPLES = 100;

function plannedWork(experiment: Experiment): number | null {
  const { batch, strategy, localSteps } = experiment;
  const examples = plannedExamples(experiment);
  const perExchange = batch * (strategy === 'local' ? localSteps : 1);
  return examples && examples * (1 + EXCHANGE_EXAMPLES / perExchange);
}

function plannedExamples(experiment: Experiment): number | null {
  const { epochs, maxSteps, batch, strategy, workers, localSteps } = experiment;
  if (epochs !== null) return epochs * resolveExperiment(experiment).trainCount;
  if (maxSteps === null) return null;
  const isRound = strategy === 'sync' || strategy === 'local' || strategy === 'allreduce';
  return maxSteps * batch * (isRound ? workers : 1) * (strategy === 'local' ? localSteps : 1);
}
