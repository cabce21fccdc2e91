import { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { DataError } from '../download.ts';
import type { ByteSource } from './byte-source.ts';
import { DEFAULT_MALFORMED_LIMIT } from './formats/formats.ts';
import { LineSplitter } from './formats/lines.ts';
import type { Splitter } from './formats/splitter.ts';
import { TfRecordSplitter } from './formats/tfrecord.ts';
import { MalformedTally } from './malformed-tally.ts';
import { parserOf, type ReadOptions, type ReadProgress } from './reader.ts';

/** A block ends with whichever comes first; the bytes keep blocks of very long examples small in memory. */
const BLOCK_EXAMPLES = 1000;
const BLOCK_BYTES = 2 ** 20;

/** How a file is read: what its examples are depends on all of it. */
export type ExampleSettings = Pick<ReadOptions, 'format' | 'features' | 'firstIndex' | 'malformedLimit'>;

/** Where the examples of a file are, in blocks that can be read by themselves. */
export interface BlockIndex {
  readonly blocks: number;
  /** Block b is at bytes `bytesAt[b]` … `bytesAt[b + 1] − 1`. */
  readonly bytesAt: Float64Array;
  /** Its examples are the file's examples number `examplesAt[b]` … `examplesAt[b + 1] − 1`. */
  readonly examplesAt: Float64Array;
  readonly examples: number;
  readonly entries: number;
  /** Of the example that has most. */
  readonly maxEntries: number;
  readonly malformed: number;
  /** The first few malformed ones, by number and reason. */
  readonly problems: readonly string[];
}

/** Reads the whole file once. Throws a DataError with words for the user if it cannot be used. */
export async function indexBlocks(
  source: ByteSource,
  settings: ExampleSettings,
  onProgress: (progress: ReadProgress) => void,
): Promise<BlockIndex> {
  const tally = new MalformedTally(source.name, settings.malformedLimit ?? DEFAULT_MALFORMED_LIMIT);
  const scratch = new SparseBatchBuilder(1);
  const bytesAt = [0];
  const examplesAt = [0];
  let [examples, entries, maxEntries, bytesRead] = [0, 0, 0, 0];
  const progress = (): ReadProgress => {
    return { bytesRead, totalBytes: source.sizeBytes, examples, malformed: tally.count, problems: tally.first };
  };
  const records = new RecordStream(settings);
  const take = () => {
    for (;;) {
      const result = records.next(scratch);
      if (result === 'more') return;
      if (result === 'example') {
        const own = scratch.offsets[1] as number;
        examples += 1;
        entries += own;
        if (own > maxEntries) maxEntries = own;
        scratch.clear();
      } else tally.note(result, records.splitter, '');
      const { position } = records.splitter;
      const isFull = examples - (examplesAt.at(-1) as number) >= BLOCK_EXAMPLES;
      if (!isFull && position - (bytesAt.at(-1) as number) < BLOCK_BYTES) continue;
      bytesAt.push(position);
      examplesAt.push(examples);
    }
  };
  for await (const chunk of source.open(0)) {
    records.splitter.push(chunk);
    take();
    bytesRead += chunk.length;
    onProgress(progress());
  }
  records.splitter.finish();
  take();
  onProgress(progress());
  if (examples === 0) {
    const why = tally.first.length > 0 ? `\n${tally.first.join('\n')}` : '';
    throw new DataError(`${source.name} has no example in the format ${settings.format}.${why}`);
  }
  if (examplesAt.at(-1) !== examples) {
    bytesAt.push(source.sizeBytes);
    examplesAt.push(examples);
  }
  return {
    blocks: bytesAt.length - 1,
    bytesAt: Float64Array.from(bytesAt),
    examplesAt: Float64Array.from(examplesAt),
    examples,
    entries,
    maxEntries,
    malformed: tally.count,
    problems: tally.first,
  };
}

/** Appends the examples of one block. Malformed ones were counted when the file was indexed and are passed over. */
export async function readBlock(
  source: ByteSource,
  settings: ExampleSettings,
  index: BlockIndex,
  block: number,
  into: SparseBatchBuilder,
): Promise<void> {
  const before = into.count;
  const records = new RecordStream(settings);
  const take = () => {
    while (records.next(into) !== 'more');
  };
  try {
    for await (const chunk of source.open(index.bytesAt[block] as number, index.bytesAt[block + 1])) {
      records.splitter.push(chunk);
      take();
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DataError(`${source.name} can no longer be read (${why}). Was it moved or changed? Choose it again.`);
  }
  records.splitter.finish();
  take();
  const expected = (index.examplesAt[block + 1] as number) - (index.examplesAt[block] as number);
  if (into.count - before === expected) return;
  throw new DataError(`${source.name} has changed since it was first read. Choose it again.`);
}

/** The records of some bytes, one after another. */
class RecordStream {
  readonly splitter: Splitter;
  private readonly parse;

  constructor(settings: ExampleSettings) {
    this.splitter = settings.format === 'tfrecord' ? new TfRecordSplitter() : new LineSplitter();
    this.parse = parserOf(settings);
  }

  /** Appends the next example to the batch, or says what is in its place. */
  next(into: SparseBatchBuilder): 'example' | 'more' | { readonly why: string; readonly isFatal: boolean } {
    const { splitter } = this;
    for (;;) {
      const found = splitter.next();
      if (found === 'more' || found === 'end') return 'more';
      if (found !== 'record') return found;
      const result = this.parse(splitter.bytes, splitter.start, splitter.end, into);
      if (result === 'example') return result;
      into.abandon();
      if (result !== 'blank') return result;
    }
  }
}
