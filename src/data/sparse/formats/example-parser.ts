import type { SparseBatchBuilder } from '../../../core/sparse/batch.ts';
import type { Malformed } from './splitter.ts';

/** Reads one example from bytes[start, end) to the end of the batch, or says why there is none. */
export type ExampleParser = (
  bytes: Uint8Array,
  start: number,
  end: number,
  into: SparseBatchBuilder,
) => 'example' | 'blank' | Malformed;

/** 0 or 1 for the labels 0, 1 and −1; undefined for any other number. */
export const labelOf = (label: number): 0 | 1 | undefined =>
  label === 1 ? 1 : label === 0 || label === -1 ? 0 : undefined;
