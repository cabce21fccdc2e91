import { type SparseBatch, SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { DataError } from '../download.ts';
import type { ByteSource } from './byte-source.ts';
import { criteoTsvParser } from './formats/criteo-tsv.ts';
import type { ExampleParser } from './formats/example-parser.ts';
import { exampleProtoParser } from './formats/example-proto.ts';
import { DEFAULT_MALFORMED_LIMIT, type SparseFormat } from './formats/formats.ts';
import { gunzip, isGzipName } from './formats/gzip.ts';
import { libsvmParser } from './formats/libsvm.ts';
import { byteRangeOf, LineSplitter, openingByteOf } from './formats/lines.ts';
import { TfRecordSplitter } from './formats/tfrecord.ts';
import { MalformedTally } from './malformed-tally.ts';
import { ShuffleBuffer } from './shuffle.ts';

export interface ReadOptions {
  readonly format: SparseFormat;
  readonly features: number;
  /** The last batch may be smaller. */
  readonly batchSize: number;
  /** Of libsvm; 1 if left out. */
  readonly firstIndex?: 0 | 1;
  readonly malformedLimit?: number;
  readonly shuffle?: { readonly size: number; readonly seed: number };
  /** Part `index` of `count`: a range of bytes of plain lines, every count-th record of anything else. */
  readonly shard?: { readonly index: number; readonly count: number };
  /** Called for every chunk and once at the end. */
  onProgress?(progress: ReadProgress): void;
}

/** How far a file, or a shard of it, is read: every line or record so far is an example, malformed or blank. */
export interface ReadProgress {
  /** Of the file as it is stored, packed or not. */
  readonly bytesRead: number;
  readonly totalBytes: number;
  readonly examples: number;
  readonly malformed: number;
  /** The first few malformed ones, by number and reason. */
  readonly problems: readonly string[];
}

/**
 * Streams the examples of a file in batches, in memory that depends on the batch and the shuffle buffer alone. A batch
 * holds until the next is asked for. Throws a DataError with words for the user if the file cannot be used.
 */
export async function* readExamples(
  source: ByteSource,
  options: ReadOptions,
): AsyncGenerator<SparseBatch, ReadProgress, void> {
  if (source.sizeBytes === 0) throw new DataError(`${source.name} is empty: it has 0 bytes. Choose another file.`);
  const { batchSize, shard } = options;
  const isByRange = shard !== undefined && options.format !== 'tfrecord' && !isGzipName(source.name);
  const range = isByRange ? byteRangeOf(source.sizeBytes, shard.index, shard.count) : undefined;
  const splitter = options.format === 'tfrecord' ? new TfRecordSplitter() : new LineSplitter(range);
  const totalBytes = range === undefined ? source.sizeBytes : range.untilByte - range.fromByte;
  const where = range === undefined || range.fromByte === 0 ? '' : ` from byte ${range.fromByte} on`;
  const tally = new MalformedTally(source.name, options.malformedLimit ?? DEFAULT_MALFORMED_LIMIT);
  const parse = parserOf(options);
  const shuffle = options.shuffle && new ShuffleBuffer(options.shuffle.size, options.shuffle.seed);
  const batch = new SparseBatchBuilder(batchSize);
  const incoming = shuffle === undefined ? batch : new SparseBatchBuilder(1);
  let [examples, bytesRead] = [0, 0];
  const progress = (): ReadProgress => {
    return { bytesRead, totalBytes, examples, malformed: tally.count, problems: tally.first };
  };
  /** The last line of a range ends in the next one. */
  const count = (chunk: Uint8Array) => {
    bytesRead = Math.min(totalBytes, bytesRead + chunk.length);
    options.onProgress?.(progress());
  };

  const isOfShard = () => shard === undefined || isByRange || (splitter.number - 1) % shard.count === shard.index;

  /** Takes what the splitter has; gives batches as they fill up; returns true after the last record. */
  function* take(): Generator<SparseBatch, boolean, void> {
    for (;;) {
      const found = splitter.next();
      if (found === 'more' || found === 'end') return found === 'end';
      const isFatal = typeof found === 'object' && found.isFatal;
      if (!isFatal && !isOfShard()) continue;
      const result = found === 'record' ? parse(splitter.bytes, splitter.start, splitter.end, incoming) : found;
      if (result === 'blank') continue;
      if (result !== 'example') {
        incoming.abandon();
        tally.note(result, splitter, where);
        continue;
      }
      examples++;
      if (shuffle !== undefined) {
        shuffle.offer(incoming, 0, batch);
        incoming.clear();
      }
      if (batch.count === batchSize) yield* emptied(batch);
    }
  }

  let isAtEnd = false;
  for await (const chunk of chunksFrom(source, range === undefined ? 0 : openingByteOf(range), count)) {
    splitter.push(chunk);
    isAtEnd = yield* take();
    if (isAtEnd) break;
  }
  splitter.finish();
  if (!isAtEnd) yield* take();
  while (shuffle?.release(batch)) if (batch.count === batchSize) yield* emptied(batch);
  if (batch.count > 0) yield batch;
  if (examples === 0 && (shard === undefined || tally.count > 0)) {
    throw new DataError(`${source.name} has no example in the format ${options.format}. ${tally.first.join('\n')}`);
  }
  options.onProgress?.(progress());
  return progress();
}

function* emptied(batch: SparseBatchBuilder): Generator<SparseBatch, void, void> {
  yield batch;
  batch.clear();
}

/** Unpacked chunks; what is counted are the packed ones. */
function chunksFrom(
  source: ByteSource,
  fromByte: number,
  count: (chunk: Uint8Array) => void,
): AsyncIterable<Uint8Array> {
  const counted = (async function* () {
    for await (const chunk of source.open(fromByte)) {
      count(chunk);
      yield chunk;
    }
  })();
  return isGzipName(source.name) ? gunzip(counted, source.name) : counted;
}

/** What reads one record of this format. */
export function parserOf({
  format,
  features,
  firstIndex = 1,
}: Pick<ReadOptions, 'format' | 'features' | 'firstIndex'>): ExampleParser {
  switch (format) {
    case 'criteo-tsv':
      return criteoTsvParser(features);
    case 'libsvm':
      return libsvmParser({ features, firstIndex });
    case 'tfrecord':
      return exampleProtoParser(features);
    default:
      return format satisfies never;
  }
}
