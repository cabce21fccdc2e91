import type { Experiment, ExperimentKey } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';

/** A run with how long it trained: what it takes to start and to end one is apart, and is not more for longer ones. */
export interface TimedRun {
  readonly experiment: Experiment;
  readonly trainedMs: number;
}

/** How long a run will train, by those that are most like it; null while there is none. */
export function guessMs(experiment: Experiment, done: readonly TimedRun[]): number | null {
  let [nearest, sumMs, count] = [Number.POSITIVE_INFINITY, 0, 0];
  for (const { experiment: other, trainedMs } of done) {
    const distance = differences(experiment, other);
    if (distance > nearest) continue;
    if (distance < nearest) [nearest, sumMs, count] = [distance, 0, 0];
    sumMs += trainedMs * workRatio(experiment, other);
    count += 1;
  }
  return count === 0 ? null : sumMs / count;
}

const differences = (a: Experiment, b: Experiment): number =>
  (Object.keys(a) as ExperimentKey[]).filter((key) => key !== 'seed' && a[key] !== b[key]).length;

/** By how much the one has more to do than the other; 1 where that is not known before. */
function workRatio(a: Experiment, b: Experiment): number {
  const [ours, theirs] = [plannedExamples(a), plannedExamples(b)];
  if (a.model !== b.model || (ours === null) !== (theirs === null)) return 1;
  // To a loss it takes about as many examples, however they are cut into batches.
  return ((ours ?? 1) * exampleWork(a)) / ((theirs ?? 1) * exampleWork(b));
}

/** An exchange takes about as long as so many examples: with small models more, with large batches nobody notices. */
const EXCHANGE_EXAMPLES = 100;

function exampleWork({ batch, strategy, localSteps }: Experiment): number {
  return 1 + EXCHANGE_EXAMPLES / (batch * (strategy === 'local' ? localSteps : 1));
}

function plannedExamples(experiment: Experiment): number | null {
  const { epochs, maxSteps, batch, strategy, workers, localSteps } = experiment;
  if (epochs !== null) return epochs * resolveExperiment(experiment).trainCount;
  if (maxSteps === null) return null;
  const isRound = strategy === 'sync' || strategy === 'local' || strategy === 'allreduce';
  return maxSteps * batch * (isRound ? workers : 1) * (strategy === 'local' ? localSteps : 1);
}
