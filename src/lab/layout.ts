import {
  defaultExperiment,
  type Experiment,
  type ExperimentKey,
  experimentKeys,
  experimentProblems,
  isUsed,
  tooManyBackups,
} from '../experiment/experiment.ts';
import { type Problem, ProblemsError, problemLine } from '../experiment/problems.ts';
import { stopKeys } from '../experiment/settings.ts';
import { misfitOf } from '../models/plan.ts';
import { labelsOf } from './label.ts';
import type { Sweep, SweepRun } from './sweep.ts';

/** More would run for days, and no table would show them. */
export const MAX_RUNS = 500;

/**
 * The runs of a sweep in order: all cases with all values, then all of them again with the next seed. Settings that a
 * strategy does not look at are as usual, and what is the same thereby is run once. Throws a ProblemsError whose keys are the labels of runs that cannot be.
 */
export function layOut(sweep: Sweep): SweepRun[] {
  const asked = combinations(sweep);
  const askedLabels = labelsOf(asked);
  const wrong = asked.flatMap((experiment, index) =>
    mistakes(experiment, sweep.repeats).map((problem) => ({
      key: askedLabels[index] ?? '',
      text: problemLine(problem),
    })),
  );
  if (wrong.length > 0) throw new ProblemsError(wrong);

  const distinct = [...new Map(asked.map(withoutUnused).map((one) => [JSON.stringify(one), one])).values()];
  assertFew(distinct.length * sweep.repeats);
  const labels = labelsOf(distinct).map((label) => label || distinct[0]?.strategy || '');
  const width = Math.max(2, String(distinct.length).length);
  return Array.from({ length: sweep.repeats }, (_, round) =>
    distinct.map((experiment, index): SweepRun => {
      const label = labels[index] ?? '';
      const number = String(index + 1).padStart(width, '0');
      const repeat = round + 1;
      const key = `${number}-${folderName(label)}${repeat > 1 ? `-r${repeat}` : ''}`;
      return { key, label, repeat, experiment: { ...experiment, seed: experiment.seed + round } };
    }),
  ).flat();
}

/** Every combination, as asked for. A stop rule of the sweep's own stands in place of the usual one. */
function combinations({ base, cases, vary }: Sweep): Experiment[] {
  const entries = Object.entries(vary) as [ExperimentKey, readonly Experiment[ExperimentKey][]][];
  assertFew(entries.reduce((count, [, values]) => count * values.length, Math.max(1, cases.length)));
  const given = entries.reduce<Partial<Experiment>[]>(
    (all, [key, values]) => all.flatMap((one) => values.map((value) => ({ ...one, [key]: value }))),
    (cases.length === 0 ? [{}] : cases).map((one) => ({ ...base, ...one })),
  );
  return given.map((one) => {
    const hasStop = [one.untilLoss, one.maxSteps, one.minutes].some((rule) => rule !== undefined && rule !== null);
    const whole: Experiment = { ...defaultExperiment, ...(hasStop ? { epochs: null } : {}), ...one };
    return whole.strategy === 'single' ? { ...whole, workers: 1 } : whole;
  });
}

function mistakes(experiment: Experiment, repeats: number): Problem[] {
  const problems = experimentProblems({ ...experiment, seed: experiment.seed + repeats - 1 });
  if (problems.length > 0) return problems;
  const misfit = misfitOf(experiment) ?? (isUsed('backup', experiment) ? tooManyBackups(experiment) : null);
  if (misfit !== null) return [misfit];
  const hasStop = stopKeys.some((rule) => experiment[rule] !== null);
  return hasStop ? [] : [{ key: '', text: 'it would never end: set epochs, maxSteps, untilLoss or minutes' }];
}

function withoutUnused(experiment: Experiment): Experiment {
  const unused = experimentKeys.filter((key) => key !== 'workers' && !isUsed(key, experiment));
  return { ...experiment, ...Object.fromEntries(unused.map((key) => [key, defaultExperiment[key]])) };
}

function assertFew(count: number): void {
  if (count > MAX_RUNS) {
    throw new ProblemsError([{ key: 'the sweep', text: `has ${count} runs; at most ${MAX_RUNS} are laid out` }]);
  }
}

/** Letters, digits and dashes of a label: safe on every file system. */
const folderName = (label: string): string =>
  label
    .toLowerCase()
    .replaceAll(/(\d),(\d)/g, '$1$2')
    .replaceAll(/[^a-z0-9.]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60)
    .replace(/[-.]+$/, '') || 'run';
