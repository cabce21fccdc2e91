import type { Experiment, OptimizerName } from '../config.ts';
import { adam } from './adam.ts';
import { momentum } from './momentum.ts';
import { nesterov } from './nesterov.ts';
import { sgd } from './sgd.ts';

/** Moves parameters against a gradient, in place, without allocating. */
export interface Optimizer {
  /** State as long as the parameters; saved in checkpoints in this order. */
  readonly slots: readonly Float32Array[];
  /** Applies `gradient × scale` as update number `step` (from 1). */
  apply(params: Float32Array, gradient: Float32Array, scale: number, step: number): void;
}

export type OptimizerFactory = (size: number, lr: number) => Optimizer;

/** Every optimizer there is, in the order the page lists them. */
export const optimizers = { sgd, momentum, adam } as const satisfies Record<OptimizerName, OptimizerFactory>;

/** What moves the host's parameters: with local steps the outer optimizer, else the one that was chosen. */
export function hostOptimizer({ strategy, optimizer, lr, outer, outerLr }: Experiment, size: number): Optimizer {
  if (strategy !== 'local') return optimizers[optimizer](size, lr);
  return outer === 'average' ? sgd(size, outerLr ?? 1) : nesterov(size, outerLr ?? 0.7);
}
