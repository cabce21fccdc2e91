import type { DataName } from '../models/data.ts';

/** A raw file as it must be once unpacked; `checksum` is xxHash32 of the raw bytes. */
export interface DataFile {
  /** Where it is under the app's address, without `.gz`. */
  readonly path: string;
  readonly sizeBytes: number;
  readonly checksum: number;
}

export type SplitName = 'train' | 'test';

/** The files behind each data set. */
export const dataFiles: Record<
  DataName,
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
};
