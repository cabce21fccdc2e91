import { DataError } from './data-error.ts';

/**
 * A binary batch of CIFAR-10, one record per image:
 *
 *   0      1 byte       label, 0 … 9
 *   1      1024 bytes   red, row by row
 *   1025   1024 bytes   green
 *   2049   1024 bytes   blue
 */
const PIXELS = 32 * 32;
const CHANNELS = 3;
const RECORD_BYTES = 1 + PIXELS * CHANNELS;
const CLASSES = 10;

export interface CifarBatch {
  readonly labels: Uint8Array;
  /** [count, 32, 32, 3]: the colours of a pixel side by side. */
  readonly images: Uint8Array;
}

/** Reads a binary batch; throws with what is wrong if it is not one of CIFAR-10. */
export function parseCifar(bytes: Uint8Array): CifarBatch {
  if (bytes.length === 0 || bytes.length % RECORD_BYTES !== 0) {
    throw new DataError(`a batch of CIFAR-10 has a multiple of ${RECORD_BYTES} bytes, this has ${bytes.length}`);
  }
  const count = bytes.length / RECORD_BYTES;
  const labels = new Uint8Array(count);
  const images = new Uint8Array(count * PIXELS * CHANNELS);
  for (let index = 0; index < count; index++) {
    const record = index * RECORD_BYTES;
    const label = bytes[record] as number;
    if (label >= CLASSES) {
      throw new DataError(`labels of CIFAR-10 are 0 … 9, image ${index} has ${label}: is this CIFAR-100?`);
    }
    labels[index] = label;
    for (let channel = 0; channel < CHANNELS; channel++) {
      const plane = record + 1 + channel * PIXELS;
      const target = index * PIXELS * CHANNELS + channel;
      for (let pixel = 0; pixel < PIXELS; pixel++) images[target + pixel * CHANNELS] = bytes[plane + pixel] as number;
    }
  }
  return { labels, images };
}
