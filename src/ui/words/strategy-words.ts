import type { AggregateName, CodecName, Experiment, StrategyName } from '../../experiment/experiment.ts';
import { counted, duration } from '../../observe/format.ts';

/** What a strategy costs and when to use it, beside the sentence on what it does. */
export const strategyAdvice = {
  single: 'No bytes on any wire. Use it to see what the others must beat.',
  sync: 'Same numbers as one big batch, at the pace of the slowest; one exchange per step. Use it among equal machines.',
  async: 'No waiting, but gradients of older parameters; one exchange per step. Use it where machines differ in speed.',
  bounded: 'A little waiting buys fresher gradients; one exchange per step. Use it where async gets unsteady.',
  local: 'One exchange for many steps, so a fraction of the bytes; learns a bit differently. Use it over the internet.',
  allreduce:
    'The host carries almost nothing; the slowest still sets the pace. Use it where the host’s line is the limit.',
} as const satisfies Record<StrategyName, string>;

/** How a round's gradients become one, and what that is good for. */
export const aggregateWords = {
  mean: 'All count by their examples. Overlong ones are cut, yet a liar still pulls it.',
  median: 'The middle of each number: holds while liars are fewer than half.',
  trimmed: 'Each number without its highest and lowest: wastes less than the median.',
  clipping: 'From the last result, nobody pulls further than the middle one does.',
  krum: 'Only the gradients closest to each other count. For dozens of workers.',
} as const satisfies Record<AggregateName, string>;

/** How numbers travel, and what that does to them. */
export const codecWords = {
  float32: 'Every number as it is.',
  float16: 'Half the bytes; each number to three digits.',
  int8: 'A quarter; rounded to 255 levels at random, right on average.',
  topk: 'Only the largest; what is left out is added to the next.',
} as const satisfies Record<CodecName, string>;

/** Said before a volunteer joins a run in which workers talk to each other, and while they do. */
export const directWords =
  'In this run tabs also connect to each other, not only to the host: volunteers’ browsers see each other’s network addresses.';

/** What a worker does in a step, and what it waits for. */
export function workWords(experiment: Experiment): string {
  const { strategy, backup, overlap, lead, localSteps } = experiment;
  switch (strategy) {
    case 'single':
      return 'The host trains alone in this run; this tab waits for the next.';
    case 'sync':
      return backup === 0
        ? 'After each step this tab waits until every other worker has handed in its own.'
        : `After each step this tab waits for the others, but not for the slowest ${backup === 1 ? 'one' : backup}.`;
    case 'async':
      return overlap
        ? 'This tab waits for nobody, and computes its next step while the last is still on its way.'
        : 'This tab waits for nobody: it hands in a step, gets fresh parameters, and goes on.';
    case 'bounded':
      return `This tab goes on without waiting until it is ${counted(lead, 'step')} ahead of the slowest worker.`;
    case 'local':
      return `This tab takes ${counted(localSteps, 'step')} on its own, then meets the others and waits for the last to come.`;
    case 'allreduce':
      return 'After each step this tab and the others add up what they found, and wait for the last to be done.';
    default:
      return strategy satisfies never;
  }
}

/** How long a worker that took so many steps has waited for others, per exchange; null where that is not worth telling. */
export function waitWords({ strategy, localSteps }: Experiment, waitMs: number, steps: number): string | null {
  const exchanges = strategy === 'local' ? steps / localSteps : steps;
  const each = exchanges === 0 ? 0 : waitMs / exchanges;
  return each < 1 ? null : `So far that wait took ${duration(each)} each time.`;
}
