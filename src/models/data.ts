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

/** Every data set there is, in the order the page lists them. Those named fake-… are made on the spot from a seed. */
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
  'fashion-mnist': {
    name: 'fashion-mnist',
    title: 'Fashion-MNIST',
    input: [28, 28, 1],
    classes: 10,
    trainCount: 60_000,
    testCount: 10_000,
    downloadBytes: 26_511_657,
  },
  cifar10: {
    name: 'cifar10',
    title: 'CIFAR-10',
    input: [32, 32, 3],
    classes: 10,
    trainCount: 50_000,
    testCount: 10_000,
    downloadBytes: 144_152_580,
  },
  'fake-28': {
    name: 'fake-28',
    title: 'Generated images 28×28',
    input: [28, 28, 1],
    classes: 10,
    trainCount: 10_000,
    testCount: 2000,
    downloadBytes: 0,
  },
  'fake-32': {
    name: 'fake-32',
    title: 'Generated images 32×32×3',
    input: [32, 32, 3],
    classes: 10,
    trainCount: 10_000,
    testCount: 2000,
    downloadBytes: 0,
  },
  'fake-227': {
    name: 'fake-227',
    title: 'Generated images 227×227×3',
    input: [227, 227, 3],
    classes: 1000,
    // 79 MB of pixels in each tab.
    trainCount: 512,
    testCount: 64,
    downloadBytes: 0,
  },
} as const satisfies Record<string, DataSpec>;
export type DataName = keyof typeof dataSpecs;
