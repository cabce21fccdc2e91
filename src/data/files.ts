import { type DataName, dataSpecs } from '../models/data.ts';
import type { Labels } from '../models/labels.ts';
import { elements } from '../models/layer.ts';

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

/** Of the images and of the labels. */
type Checksums = Readonly<Record<SplitName, readonly [images: number, labels: number]>>;

/** Named and laid out as MNIST's: a head of four bytes and four more for each dimension, then a byte for each element. */
function idxFiles(name: FileDataName, checksums: Checksums) {
  const { input, trainCount, testCount } = dataSpecs[name];
  const split = (prefix: string, count: number, [images, labels]: Checksums[SplitName]) => {
    // Grey images have no dimension for their one colour.
    const shape = [count, ...input].filter((size) => size !== 1);
    const file = (what: string, sizes: readonly number[], checksum: number): DataFile => ({
      path: `data/${name}/${prefix}-${what}-idx${sizes.length}-ubyte`,
      sizeBytes: 4 + 4 * sizes.length + elements(sizes),
      checksum,
    });
    return { images: file('images', shape, images), labels: file('labels', [count], labels) };
  };
  return { train: split('train', trainCount, checksums.train), test: split('t10k', testCount, checksums.test) };
}

/** The files behind each data set. */
export const dataFiles: Record<FileDataName, ReturnType<typeof idxFiles>> = {
  mnist: idxFiles('mnist', { train: [0xe1f9d59f, 0x34a76e0d], test: [0x56c41363, 0x567bad53] }),
  'fashion-mnist': idxFiles('fashion-mnist', { train: [0x4f6b54ae, 0xfd62d1e7], test: [0x09d48a1d, 0xe7ff1175] }),
  cifar10: idxFiles('cifar10', { train: [0xb9c94a0a, 0x608920e4], test: [0x3ec3b973, 0xa85a7974] }),
};
