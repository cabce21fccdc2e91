import type { Experiment, OptimizerName } from '../../../experiment/experiment.ts';
import type { Gradient } from '../gradient.ts';
import { adagrad } from './adagrad.ts';
import { adam } from './adam.ts';
import { ftrl } from './ftrl.ts';
import { momentum } from './momentum.ts';
import { nesterov } from './nesterov.ts';
import { sgd } from './sgd.ts';

/** Moves parameters against a gradient, all of them or those at its keys, in place, without allocating. */
export interface Optimizer {
  /** State as long as the parameters; saved in checkpoints in this order. */
  readonly slots: readonly Float32Array<ArrayBuffer>[];
  /** Applies `gradient × scale` as update number `step` (from 1). */
  apply(params: Float32Array, gradient: Gradient, scale: number, step: number): void;
}

/** `l1`, `l2` and `beta` are FTRL's. */
export interface Rates {
  readonly lr: number;
  readonly l1?: number;
  readonly l2?: number;
  readonly beta?: number;
}

export type OptimizerFactory = (size: number, rates: Rates) => Optimizer;

/** Every optimizer there is, in the order the page lists them. */
export const optimizers = { sgd, momentum, adam, adagrad, ftrl } as const satisfies Record<
  OptimizerName,
  OptimizerFactory
>;

/** The optimizer an experiment names. Those for parameters without keys are refused where they have some, and vice versa. */
export function chosenOptimizer({ optimizer, lr, l1, l2 }: Experiment, size: number, hasKeys: boolean): Optimizer {
  if (hasKeys && (optimizer === 'momentum' || optimizer === 'adam')) {
    throw new RangeError(`${optimizer} moves all parameters: where they have keys, use sgd, adagrad or ftrl`);
  }
  if (!hasKeys && (optimizer === 'adagrad' || optimizer === 'ftrl')) {
    throw new RangeError(`${optimizer} is for models whose parameters have keys`);
  }
  return optimizers[optimizer](size, { lr, l1, l2 });
}

/** What moves the host's parameters: with local steps the outer optimizer, else the one that was chosen. */
export function hostOptimizer(experiment: Experiment, size: number, hasKeys: boolean): Optimizer {
  const { strategy, outer, outerLr } = experiment;
  if (strategy !== 'local') return chosenOptimizer(experiment, size, hasKeys);
  return outer === 'average' ? sgd(size, { lr: outerLr ?? 1 }) : nesterov(size, { lr: outerLr ?? 0.7 });
}
