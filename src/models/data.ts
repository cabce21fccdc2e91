import type { Shape } from './layer.ts';

/** What a data set holds, without loading it: enough to lay out a model and deal its examples. */
export interface DataSpec {
  readonly name: string;
  readonly title: string;
  readonly input: Shape;
  readonly classes: number;
  readonly trainCount: number;
  readonly testCount: number;
  /** What a worker fetches once, in bytes, before it can train. */
  readonly downloadBytes: number;
}

/** Every data set there is, in the order the page lists them. */
export const dataSpecs = {
  mnist: {
    name: 'mnist',
    title: 'MNIST digits',
    input: [28, 28, 1],
    classes: 10,
    trainCount: 60_000,
    testCount: 10_000,
    downloadBytes: 9_687_434,
  },
} as const satisfies Record<string, DataSpec>;
export type DataName = keyof typeof dataSpecs;
