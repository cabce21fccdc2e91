import { type SparseBatch, SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { type BlockIndex, readBlock } from './block-index.ts';
import type { ByteSource } from './byte-source.ts';
import { indexFile, type OpenOptions } from './indexed-file.ts';
import type { ExampleSettings } from './record-reader.ts';
import { unpackToBlob } from './unpacked-blob.ts';

export interface PlainExample {
  readonly keys: readonly number[];
  readonly values: readonly number[];
  readonly label: number;
}

/** The batch's examples as plain objects. */
export const plainExamples = (batch: SparseBatch): PlainExample[] =>
  Array.from({ length: batch.count }, (_, i) => {
    const [from, to] = [batch.offsets[i], batch.offsets[i + 1]];
    const label = batch.labels[i] as number;
    return { keys: [...batch.keys.subarray(from, to)], values: [...batch.values.subarray(from, to)], label };
  });

/** A file in memory that comes in chunks of the given size. */
export const memorySource = (name: string, bytes: Uint8Array, chunkBytes = 61): ByteSource => ({
  name,
  sizeBytes: bytes.length,
  async *open(fromByte, untilByte = bytes.length) {
    for (let at = fromByte; at < untilByte; at += chunkBytes)
      yield bytes.slice(at, Math.min(at + chunkBytes, untilByte));
  },
});

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

export async function gzipped(bytes: Uint8Array): Promise<Uint8Array> {
  const packed = new Blob([new Uint8Array(bytes)]).stream().pipeThrough(new CompressionStream('gzip'));
  return new Uint8Array(await new Response(packed).arrayBuffer());
}

/** All examples of a file, block by block, and what was found on the way. */
export async function readAll(
  source: ByteSource,
  settings: ExampleSettings,
): Promise<{ examples: PlainExample[]; index: BlockIndex; progress: Progress[] }> {
  const progress: Progress[] = [];
  const file = await indexFile(source, { ...settings, unpack: unpackToBlob, onProgress: (now) => progress.push(now) });
  const batch = new SparseBatchBuilder();
  for (let block = 0; block < file.index.blocks; block++) await readBlock(file, block, batch);
  return { examples: plainExamples(batch), index: file.index, progress };
}

type Progress = Parameters<OpenOptions['onProgress']>[0];

/** CRC-32C bit by bit, as its definition says: independent of the tables in the program. */
function slowCrc32c(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    for (let bit = 0; bit < 8; bit++) {
      const isSet = ((crc ^ (byte >>> bit)) & 1) === 1;
      crc = (crc >>> 1) ^ (isSet ? 0x82f63b78 : 0);
    }
  }
  return (crc ^ 0xffffffff) >>> 0;
}

function maskedBytes(data: Uint8Array): Uint8Array {
  const crc = BigInt(slowCrc32c(data));
  const masked = (((crc >> 15n) | (crc << 17n)) + 0xa282ead8n) & 0xffffffffn;
  return new Uint8Array(Uint32Array.of(Number(masked)).buffer);
}

const joined = (...parts: readonly Uint8Array[]) => Uint8Array.from(parts.flatMap((part) => [...part]));

export function tfRecord(data: Uint8Array): Uint8Array {
  const length = new Uint8Array(BigUint64Array.of(BigInt(data.length)).buffer);
  return joined(length, maskedBytes(length), data, maskedBytes(data));
}

function varint(value: number | bigint): Uint8Array {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.of(...bytes, Number(rest));
}

const part = (field: number, ...content: readonly Uint8Array[]) => {
  const body = joined(...content);
  return joined(Uint8Array.of(field * 8 + 2), varint(body.length), body);
};

const floatBytes = (value: number) => new Uint8Array(Float32Array.of(value).buffer);

export type TestFeature = { readonly int64: readonly (number | bigint)[] } | { readonly float: readonly number[] };

function featureProto(feature: TestFeature, isPacked: boolean): Uint8Array {
  const [listField, wire, numbers] =
    'float' in feature ? [2, 5, feature.float.map(floatBytes)] : [3, 0, feature.int64.map(varint)];
  if (isPacked) return part(listField, part(1, ...numbers));
  return part(listField, ...numbers.map((bytes) => joined(Uint8Array.of(8 + wire), bytes)));
}

/** A tf.Example as TensorFlow writes it (packed), or as old writers did. */
export const exampleProto = (features: Readonly<Record<string, TestFeature>>, isPacked = true): Uint8Array =>
  part(
    1,
    ...Object.entries(features).map(([name, feature]) =>
      part(1, part(1, utf8(name)), part(2, featureProto(feature, isPacked))),
    ),
  );
