import type { OptimizerName } from '../../../experiment/experiment.ts';
import type { Gradient } from '../gradient.ts';
import { adam } from './adam.ts';
import { momentum } from './momentum.ts';
import { sgd } from './sgd.ts';

/** Moves parameters against a gradient, all of them or those at its keys, in place, without allocating. */
export interface Optimizer {
  /** State as long as the parameters; saved in checkpoints in this order. */
  readonly slots: readonly Float32Array[];
  /** Applies `gradient × scale` as update number `step` (from 1). */
  apply(params: Float32Array, gradient: Gradient, scale: number, step: number): void;
}

export type OptimizerFactory = (size: number, lr: number) => Optimizer;

/** Every optimizer of all parameters there is, in the order the page lists them. */
export const optimizers = { sgd, momentum, adam } as const satisfies Partial<Record<OptimizerName, OptimizerFactory>>;

/** The optimizer an experiment names; those that need keys are refused. */
export function denseOptimizer(name: OptimizerName, size: number, lr: number): Optimizer {
  if (name === 'adagrad' || name === 'ftrl') throw new RangeError(`${name} is for models whose parameters have keys`);
  return optimizers[name](size, lr);
}
