import type { AggregateName } from '../../../experiment/experiment.ts';
import type { Gradient } from '../gradient.ts';
import { clipping } from './clipping.ts';
import { krum } from './krum.ts';
import { mean } from './mean.ts';
import { median } from './median.ts';
import { trimmed } from './trimmed.ts';

/** Makes one update of a round's gradients. Allocates its buffers once, not per round. */
export interface Aggregate {
  /** One more gradient of the round, in slot order. It must not change until `clear`. */
  add(gradient: Gradient, weight: number): void;
  /** The round's gradient is `gradient × scale`. Called once per round, with at least one gradient added. */
  finish(): { readonly gradient: Gradient; readonly scale: number };
  /** Ready for the next round. */
  clear(): void;
}

/** `size` numbers per gradient; `faulty` is how many of a round's workers may lie. */
export type AggregateFactory = (size: number, faulty: number) => Aggregate;

/** Every aggregate of gradients for all parameters, in the order the page lists them. */
export const aggregates = { mean, median, trimmed, clipping, krum } as const satisfies Record<
  AggregateName,
  AggregateFactory
>;
