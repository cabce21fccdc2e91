/**
 * Sparse examples in compressed rows: example i has the entries `offsets[i]` … `offsets[i + 1] − 1`. Arrays may be
 * longer than what is in use (`count` examples, `offsets[count]` entries), so that they can be reused.
 */
export interface SparseBatch {
  readonly count: number;
  readonly offsets: Uint32Array;
  readonly keys: Uint32Array;
  readonly values: Float32Array;
  /** 0 or 1. */
  readonly labels: Uint8Array;
}

/** How many entries the batch has. */
export const entriesOf = (batch: SparseBatch): number => batch.offsets[batch.count] as number;

/** A batch that is filled again and again: once its arrays have grown to the largest batch, nothing is allocated. */
export class SparseBatchBuilder implements SparseBatch {
  count = 0;
  offsets: Uint32Array<ArrayBuffer>;
  keys: Uint32Array<ArrayBuffer>;
  values: Float32Array<ArrayBuffer>;
  labels: Uint8Array<ArrayBuffer>;
  private entries = 0;

  constructor(examples = 128, entries = examples * 40) {
    this.offsets = new Uint32Array(examples + 1);
    this.labels = new Uint8Array(examples);
    this.keys = new Uint32Array(entries);
    this.values = new Float32Array(entries);
  }

  clear(): void {
    this.count = 0;
    this.entries = 0;
  }

  /** One entry of the example that is being built. */
  add(key: number, value: number): void {
    const at = this.entries++;
    if (at >= this.keys.length) this.growEntries(at + 1);
    this.keys[at] = key;
    this.values[at] = value;
  }

  /** Makes room for so many entries of the example that is being built. The caller writes them from the returned index on. */
  extend(entries: number): number {
    const at = this.entries;
    this.entries = at + entries;
    if (this.entries > this.keys.length) this.growEntries(this.entries);
    return at;
  }

  /** Ends the example that is being built. */
  end(label: number): void {
    const at = this.count++;
    if (at >= this.labels.length) this.growExamples();
    this.labels[at] = label;
    this.offsets[at + 1] = this.entries;
  }

  /** Drops the entries since the last `end`. */
  abandon(): void {
    this.entries = this.offsets[this.count] as number;
  }

  /** Copies one example of another batch to the end of this one. */
  append(from: SparseBatch, index: number): void {
    const start = from.offsets[index] as number;
    const end = from.offsets[index + 1] as number;
    const at = this.extend(end - start);
    // A loop: for some tens of entries `set(subarray)` costs more than the copy.
    for (let i = start, j = at; i < end; i++, j++) {
      this.keys[j] = from.keys[i] as number;
      this.values[j] = from.values[i] as number;
    }
    this.end(from.labels[index] as number);
  }

  private growEntries(needed: number): void {
    const length = Math.max(needed, this.keys.length * 2);
    this.keys = grown(this.keys, new Uint32Array(length));
    this.values = grown(this.values, new Float32Array(length));
  }

  private growExamples(): void {
    const length = Math.max(4, this.labels.length * 2);
    this.labels = grown(this.labels, new Uint8Array(length));
    this.offsets = grown(this.offsets, new Uint32Array(length + 1));
  }
}

function grown<Numbers extends Uint8Array | Uint32Array | Float32Array>(from: Numbers, into: Numbers): Numbers {
  into.set(from);
  return into;
}
