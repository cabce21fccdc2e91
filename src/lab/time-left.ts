import type { Experiment, ExperimentKey } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';

/** A run with how long it trained: what it takes to start and to end one is apart, and is not more for longer ones. */
export interface TimedRun {
  readonly experiment: Experiment;
  readonly trainedMs: number;
}

/** The runs of a lab as far as they have come. */
export interface RunsLeft {
  readonly done: readonly TimedRun[];
  /** How long a run takes beside its training. */
  readonly besideMs: number;
  /** The run under way; `leftMs` by its own pace, null where that says nothing. */
  readonly now: { readonly experiment: Experiment; readonly spentMs: number; readonly leftMs: number | null } | null;
  readonly toCome: readonly { readonly experiment: Experiment }[];
}

/** A run that takes longer than others let expect, and cannot say how long, may take this part of its time more. */
const OVERDUE = 0.25;

/** How long all of them still take, by the runs that are done; null while there is nothing to go by. */
export function leftMs({ done, besideMs, now, toCome }: RunsLeft): number | null {
  let sumMs = 0;
  let known = done;
  if (now !== null) {
    const { experiment, spentMs } = now;
    const guessedMs = guessMs(experiment, done);
    const isOverdue = guessedMs !== null && spentMs > guessedMs + besideMs;
    const restMs = now.leftMs ?? (isOverdue ? spentMs * OVERDUE : null);
    if (restMs !== null) known = [...done, { experiment, trainedMs: Math.max(0, spentMs + restMs - besideMs) }];
    else if (guessedMs === null) return null;
    sumMs += restMs ?? (guessedMs ?? 0) + besideMs - spentMs;
  }
  for (const { experiment } of toCome) {
    const ms = guessMs(experiment, known);
    if (ms === null) return null;
    sumMs += ms + besideMs;
  }
  return sumMs;
}

/** How long a run will train, by those that are most like it; null while there is none. */
function guessMs(experiment: Experiment, done: readonly TimedRun[]): number | null {
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
