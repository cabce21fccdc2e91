import type { DataName } from '../models/data.ts';
import type { Labels } from '../models/labels.ts';

/** A raw file as it must be once unpacked; `checksum` is xxHash32 of the raw bytes. */
export interface DataFile {
  /** Where it is under the app's address, without `.gz`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly checksum: number;
}

/** Data sets that are files; the others are generated. */
export type FileDataName = Exclude<DataName, `fake-${string}`>;

export type SplitName = 'train' | 'test';

/** Examples for training, or those kept apart for testing. */
export interface Split {
  readonly count: number;
  /** count × elements, 0 … 255. */
  readonly images: Uint8Array;
  readonly labels: Labels;
}

/** The files behind each data set. */
export const dataFiles: Record<
  FileDataName,
  Record<SplitName, { readonly images: DataFile; readonly labels: DataFile }>
> = {
  mnist: {
    train: {
      images: { path: 'data/mnist/train-images-idx3-ubyte', sizeBytes: 47_040_016, checksum: 0xe1f9d59f },
      labels: { path: 'data/mnist/train-labels-idx1-ubyte', sizeBytes: 60_008, checksum: 0x34a76e0d },
    },
    test: {
      images: { path: 'data/mnist/t10k-images-idx3-ubyte', sizeBytes: 7_840_016, checksum: 0x56c41363 },
      labels: { path: 'data/mnist/t10k-labels-idx1-ubyte', sizeBytes: 10_008, checksum: 0x567bad53 },
    },
  },
  'fashion-mnist': {
    train: {
      images: { path: 'data/fashion-mnist/train-images-idx3-ubyte', sizeBytes: 47_040_016, checksum: 0x4f6b54ae },
      labels: { path: 'data/fashion-mnist/train-labels-idx1-ubyte', sizeBytes: 60_008, checksum: 0xfd62d1e7 },
    },
    test: {
      images: { path: 'data/fashion-mnist/t10k-images-idx3-ubyte', sizeBytes: 7_840_016, checksum: 0x09d48a1d },
      labels: { path: 'data/fashion-mnist/t10k-labels-idx1-ubyte', sizeBytes: 10_008, checksum: 0xe7ff1175 },
    },
  },
  cifar10: {
    train: {
      images: { path: 'data/cifar10/train-images-idx4-ubyte', sizeBytes: 153_600_020, checksum: 0xb9c94a0a },
      labels: { path: 'data/cifar10/train-labels-idx1-ubyte', sizeBytes: 50_008, checksum: 0x608920e4 },
    },
    test: {
      images: { path: 'data/cifar10/t10k-images-idx4-ubyte', sizeBytes: 30_720_020, checksum: 0x3ec3b973 },
      labels: { path: 'data/cifar10/t10k-labels-idx1-ubyte', sizeBytes: 10_008, checksum: 0xa85a7974 },
    },
  },
};
