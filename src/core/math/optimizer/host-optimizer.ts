import type { Experiment } from '../../../experiment/experiment.ts';
import { defaultSparseRates, type SparseOptimizer, sparseNesterov, sparseOptimizers } from '../../sparse/optimizer.ts';
import type { Gradient } from '../gradient.ts';
import { nesterov } from './nesterov.ts';
import { denseOptimizer, type Optimizer } from './optimizer.ts';
import { sgd } from './sgd.ts';

/** Moves the host's parameters, all of them or those at a gradient's keys, in place, without allocating. */
export interface HostOptimizer {
  /** State as long as the parameters; saved in checkpoints in this order. */
  readonly slots: readonly Float32Array[];
  /** Applies `gradient × scale` as update number `step` (from 1). */
  apply(params: Float32Array, gradient: Gradient, scale: number, step: number): void;
}

/** What moves the host's parameters: with local steps the outer optimizer, else the one that was chosen. */
export function hostOptimizer(experiment: Experiment, size: number, hasKeys: boolean): HostOptimizer {
  if (hasKeys) return forKeys(sparseOptimizer(experiment, size));
  const optimizer = allOptimizer(experiment, size);
  return {
    slots: optimizer.slots,
    apply: (params, { values }, scale, step) => optimizer.apply(params, values, scale, step),
  };
}

function allOptimizer({ strategy, optimizer, lr, outer, outerLr }: Experiment, size: number): Optimizer {
  if (strategy !== 'local') return denseOptimizer(optimizer, size, lr);
  return outer === 'average' ? sgd(size, outerLr ?? 1) : nesterov(size, outerLr ?? 0.7);
}

function sparseOptimizer(experiment: Experiment, size: number): SparseOptimizer {
  const { strategy, optimizer, lr, l1, l2, outer, outerLr } = experiment;
  if (strategy === 'local') {
    if (outer === 'average') return sparseOptimizers.sgd(size, { ...defaultSparseRates, lr: outerLr ?? 1 });
    return sparseNesterov(size, { ...defaultSparseRates, lr: outerLr ?? 0.7 });
  }
  if (optimizer === 'momentum' || optimizer === 'adam') {
    throw new RangeError(`${optimizer} moves all parameters: where they have keys, use sgd, adagrad or ftrl`);
  }
  return sparseOptimizers[optimizer](size, { ...defaultSparseRates, lr, l1, l2 });
}

const forKeys = (optimizer: SparseOptimizer): HostOptimizer => ({
  slots: optimizer.slots,
  apply(params, { keys, values }, scale) {
    if (keys === null) throw new TypeError('a gradient for all parameters where they have keys');
    optimizer.apply(params, keys, values, keys.length, scale);
  },
});
