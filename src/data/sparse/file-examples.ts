import { permutation, rng } from '../../core/math/rng.ts';
import { SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { DataError } from '../data-error.ts';
import { Recent } from '../recent.ts';
import { type BlockIndex, readBlock } from './block-index.ts';
import type { ByteSource } from './byte-source.ts';
import { HeldOut } from './held-out.ts';
import { type IndexedFile, indexFile, type OpenOptions } from './indexed-file.ts';

/** Blocks whose examples are mixed with each other: a buffer of at most 8,000 examples. */
const SHUFFLED_BLOCKS = 8;
/** The one in use, the one before, for a worker that is late, and the one after. */
const WINDOWS_KEPT = 3;
const EPOCHS_KEPT = 2;

/** Some blocks of an epoch, decoded: example i of them is `batch`'s example `order[i]`. */
interface Window {
  readonly batch: SparseBatchBuilder;
  readonly order: Uint32Array;
}

/** The order of one epoch: window w has the blocks from 8 w on of `blocks`, and the positions from `startsAt[w]` on. */
interface Epoch {
  readonly blocks: Uint32Array;
  readonly startsAt: Float64Array;
}

/**
 * The examples of a file, any part at any time. An epoch takes its blocks in an order by (seed, epoch) and mixes the
 * examples of each eight. What `HeldOut` says is kept for testing. Memory: the index and three such windows.
 */
export class FileExamples {
  readonly index: BlockIndex;
  readonly trainCount: number;
  readonly testCount: number;
  readonly #file: IndexedFile;
  readonly #heldOut: HeldOut;
  readonly #windows = new Recent<Promise<Window>>(WINDOWS_KEPT);
  readonly #epochs = new Recent<Epoch>(EPOCHS_KEPT);

  constructor(file: IndexedFile) {
    const { index, source } = file;
    this.#file = file;
    this.#heldOut = new HeldOut(index.examples, index.entries);
    this.index = index;
    this.testCount = this.#heldOut.below(index.examples);
    this.trainCount = index.examples - this.testCount;
    if (this.testCount > 0) return;
    throw new DataError(
      `${source.name} has only ${index.examples} example${index.examples === 1 ? '' : 's'}: ` +
        'at least 10 are needed, since every tenth is kept for testing.',
    );
  }

  /** Appends the examples at these positions of the endless stream of epochs that the seed decides about. */
  async train(batch: SparseBatchBuilder, seed: number, from: number, count: number): Promise<void> {
    for (let done = 0; done < count; ) {
      const epoch = Math.floor((from + done) / this.trainCount);
      const place = (from + done) % this.trainCount;
      const { startsAt } = this.#epoch(seed, epoch);
      const window = lastAtMost(startsAt, place);
      const { batch: examples, order } = await this.#window(seed, epoch, window);
      const first = place - (startsAt[window] as number);
      const length = Math.min(count - done, order.length - first);
      for (let i = first; i < first + length; i++) batch.append(examples, order[i] as number);
      done += length;
      // Leases come nearly in order: the next window is decoded before it is asked for.
      if (window + 2 < startsAt.length) this.#window(seed, epoch, window + 1).catch(() => {});
    }
  }

  /** Appends all examples kept apart for testing, in the order of the file. */
  async test(batch: SparseBatchBuilder): Promise<void> {
    const { blocks, examplesAt } = this.index;
    const scratch = new SparseBatchBuilder();
    for (let block = 0; block < blocks; block++) {
      const [from, to] = [examplesAt[block] as number, examplesAt[block + 1] as number];
      if (this.#heldOut.below(to) === this.#heldOut.below(from)) continue;
      scratch.clear();
      await this.#read(block, scratch);
      for (let i = from; i < to; i++) if (this.#heldOut.has(i)) batch.append(scratch, i - from);
    }
  }

  /** Gives back the room of an unpacked copy. */
  close(): Promise<void> {
    return this.#file.remove();
  }

  #read(block: number, into: SparseBatchBuilder): Promise<void> {
    return readBlock(this.#file, block, into);
  }

  #epoch(seed: number, epoch: number): Epoch {
    return this.#epochs.get(`${seed} ${epoch}`, () => {
      const { blocks: count, examplesAt } = this.index;
      const blocks = permutation(count, rng(seed, 'blocks', epoch));
      const startsAt = new Float64Array(Math.ceil(count / SHUFFLED_BLOCKS) + 1);
      let sum = 0;
      for (let i = 0; i < count; i++) {
        const block = blocks[i] as number;
        const [from, to] = [examplesAt[block] as number, examplesAt[block + 1] as number];
        sum += to - from - (this.#heldOut.below(to) - this.#heldOut.below(from));
        startsAt[Math.floor(i / SHUFFLED_BLOCKS) + 1] = sum;
      }
      return { blocks, startsAt };
    });
  }

  #window(seed: number, epoch: number, window: number): Promise<Window> {
    const key = `${seed} ${epoch} ${window}`;
    return this.#windows.get(key, async () => {
      try {
        return await this.#load(seed, epoch, window);
      } catch (error) {
        this.#windows.forget(key);
        throw error;
      }
    });
  }

  async #load(seed: number, epoch: number, window: number): Promise<Window> {
    const { blocks, startsAt } = this.#epoch(seed, epoch);
    const { examplesAt } = this.index;
    const size = (startsAt[window + 1] as number) - (startsAt[window] as number);
    const batch = new SparseBatchBuilder();
    const trained = new Uint32Array(size);
    let filled = 0;
    for (const block of blocks.subarray(window * SHUFFLED_BLOCKS, (window + 1) * SHUFFLED_BLOCKS)) {
      const before = batch.count;
      await this.#read(block, batch);
      const first = examplesAt[block] as number;
      for (let i = before; i < batch.count; i++) if (!this.#heldOut.has(first + i - before)) trained[filled++] = i;
    }
    const order = permutation(size, rng(seed, 'examples', epoch, window)).map((i) => trained[i] as number);
    return { batch, order };
  }
}

/** Reads the file once from end to end, so that afterwards any part of it can be read. */
export async function openExamples(source: ByteSource, options: OpenOptions): Promise<FileExamples> {
  const file = await indexFile(source, options);
  try {
    return new FileExamples(file);
  } catch (error) {
    await file.remove();
    throw error;
  }
}

/** The last index at which a rising list has at most this. */
function lastAtMost(list: Float64Array, value: number): number {
  let [low, high] = [0, list.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((list[middle] as number) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
}
