import type { RunState, TestPoint } from '../../core/server/progress.ts';
import { resolveExperiment } from '../../models/plan.ts';
import type { ShownRun } from '../host/model.ts';

/** A run with what it came to. */
export type ComparedRun = Pick<ShownRun, 'log' | 'numbers'>;

export const lastTest = ({ log }: ComparedRun): TestPoint | undefined => log.test.at(-1);
/** The first evaluation with a test loss at or below the target. */
export const reached = ({ log }: ComparedRun, target: number | null): TestPoint | undefined =>
  target === null ? undefined : log.test.find((point) => point.loss <= target);
const later = ({ log }: ComparedRun, key: 'step' | 'elapsedMs'): number =>
  Math.max(log.test.at(-1)?.[key] ?? 0, log.train.at(-1)?.[key] ?? 0);
export const stepsOf = (run: ComparedRun): number => run.numbers?.steps ?? later(run, 'step');
export const timeOf = (run: ComparedRun): number => run.numbers?.elapsedMs ?? later(run, 'elapsedMs');
export const examplesOf = (run: ComparedRun): number | null => run.numbers?.examples ?? lastTest(run)?.examples ?? null;

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
