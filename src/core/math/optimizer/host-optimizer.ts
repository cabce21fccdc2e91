import type { Experiment } from '../../../experiment/experiment.ts';
import { defaultSparseRates, sparseNesterov, sparseOptimizers } from '../../sparse/optimizer.ts';
import { nesterov } from './nesterov.ts';
import { denseOptimizer, type Optimizer } from './optimizer.ts';
import { sgd } from './sgd.ts';

/** What moves the host's parameters: with local steps the outer optimizer, else the one that was chosen. */
export function hostOptimizer(experiment: Experiment, size: number, hasKeys: boolean): Optimizer {
  const { strategy, optimizer, lr, l1, l2, outer, outerLr } = experiment;
  if (strategy === 'local') {
    const rates = { ...defaultSparseRates, lr: outerLr ?? (outer === 'average' ? 1 : 0.7) };
    if (outer === 'average') return hasKeys ? sparseOptimizers.sgd(size, rates) : sgd(size, rates.lr);
    return hasKeys ? sparseNesterov(size, rates) : nesterov(size, rates.lr);
  }
  if (!hasKeys) return denseOptimizer(optimizer, size, lr);
  if (optimizer === 'momentum' || optimizer === 'adam') {
    throw new RangeError(`${optimizer} moves all parameters: where they have keys, use sgd, adagrad or ftrl`);
  }
  return sparseOptimizers[optimizer](size, { ...defaultSparseRates, lr, l1, l2 });
}
