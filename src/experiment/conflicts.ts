import type { Experiment, ExperimentKey, StrategyName } from './experiment.ts';

/** Settings that only some strategies look at; all others look at what is not listed. */
const usedBy: Partial<Record<ExperimentKey, readonly StrategyName[]>> = {
  workers: ['sync', 'async', 'bounded', 'local', 'allreduce'],
  backup: ['sync', 'local'],
  deadline: ['sync', 'local', 'allreduce'],
  maxStaleness: ['async'],
  damping: ['async', 'bounded'],
  overlap: ['async'],
  lead: ['bounded'],
  localSteps: ['local'],
  outer: ['local'],
  outerLr: ['local'],
  aggregate: ['sync', 'local'],
  faulty: ['sync', 'local'],
  down: ['single', 'sync', 'async', 'bounded', 'local'],
};

/** Settings that belong to some data only. */
const usedWith: Partial<Record<ExperimentKey, readonly string[]>> = {
  features: ['criteo-fake', 'file'],
  examples: ['criteo-fake'],
  entries: ['file'],
};

/** What decides whether the other settings matter. */
export type Deciding = Pick<Experiment, 'data' | 'strategy' | 'aggregate' | 'up' | 'optimizer'>;

/** Whether this setting makes a difference to such a run. */
export function isUsed(key: ExperimentKey, { data, strategy, aggregate, up, optimizer }: Deciding): boolean {
  if (usedBy[key]?.includes(strategy) === false || usedWith[key]?.includes(data) === false) return false;
  if (key === 'l1' || key === 'l2') return optimizer === 'ftrl';
  if (key === 'faulty') return aggregate === 'trimmed' || aggregate === 'krum';
  if (key === 'topk') return up === 'topk';
  return true;
}

/** The first setting that says something else than the run would do, with what to do about it; null if all go together. */
export function conflict(experiment: Experiment): { readonly key: ExperimentKey; readonly text: string } | null {
  const { strategy, aggregate, up, down, overlap } = experiment;
  if (aggregate !== 'mean' && !isUsed('aggregate', experiment)) {
    const text = `${strategy} has no rounds of several gradients at the host to choose among: use mean, sync or local.`;
    return { key: 'aggregate', text };
  }
  if (up === 'topk' && strategy === 'allreduce') {
    const text = 'What top-k leaves out would be lost at every worker it passes: use another codec with allreduce.';
    return { key: 'up', text };
  }
  if (down !== 'float32' && !isUsed('down', experiment)) {
    const text = `With ${strategy} no parameters come from the host: leave this at float32.`;
    return { key: 'down', text };
  }
  if (overlap && !isUsed('overlap', experiment)) {
    const text = `Only async lets a worker compute while its push is on the way: with ${strategy} it must wait.`;
    return { key: 'overlap', text };
  }
  return null;
}
