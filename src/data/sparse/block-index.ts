import { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { errorText } from '../../experiment/error-text.ts';
import { DataError } from '../data-error.ts';
import type { ByteSource } from './byte-source.ts';
import { DEFAULT_MALFORMED_LIMIT } from './formats/formats.ts';
import { MalformedTally } from './malformed-tally.ts';
import { type ExampleSettings, RecordReader } from './record-reader.ts';

/** A block ends with whichever comes first; the bytes keep blocks of very long examples small in memory. */
const BLOCK_EXAMPLES = 1000;
const BLOCK_BYTES = 2 ** 20;

/** How far a file is read: every line or record so far is an example, malformed or blank. */
export interface ReadProgress {
  readonly bytesRead: number;
  readonly totalBytes: number;
  readonly examples: number;
  readonly malformed: number;
}

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
  const report = () => onProgress({ bytesRead, totalBytes: source.sizeBytes, examples, malformed: tally.count });
  const records = new RecordReader(settings);
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
      } else tally.note(result, records.splitter);
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
    report();
  }
  records.splitter.finish();
  take();
  report();
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
  { source, settings, index }: { source: ByteSource; settings: ExampleSettings; index: BlockIndex },
  block: number,
  into: SparseBatchBuilder,
): Promise<void> {
  const before = into.count;
  const records = new RecordReader(settings);
  const take = () => {
    while (records.next(into) !== 'more');
  };
  try {
    for await (const chunk of source.open(index.bytesAt[block] as number, index.bytesAt[block + 1])) {
      records.splitter.push(chunk);
      take();
    }
  } catch (error) {
    throw new DataError(
      `${source.name} can no longer be read (${errorText(error)}). Was it moved or changed? Choose it again.`,
    );
  }
  records.splitter.finish();
  take();
  const expected = (index.examplesAt[block + 1] as number) - (index.examplesAt[block] as number);
  if (into.count - before === expected) return;
  throw new DataError(`${source.name} has changed since it was first read. Choose it again.`);
}
