import { entriesOf, type SparseBatch } from './batch.ts';

/** Of a radix sort: 33.7 million keys take three passes, and the counters stay in the first cache. */
const MAX_DIGIT_BITS = 11;
/** Of a table at least twice as large as the number of entries. */
const tableBits = (entries: number) => 33 - Math.clz32(Math.max(1, entries - 1));

/**
 * The keys of a batch, each once and rising, and where the key of each entry is among them. The arrays are reused by the
 * next `find` and may be longer than what is in use: `count` keys, as many positions as the batch has entries.
 */
export class DistinctKeys {
  count = 0;
  keys = new Uint32Array(1024);
  positions = new Uint32Array(1024);
  /** Open addressing: 1 + the ordinal of the key that is there, by order of first appearance; 0 is free. */
  private table = new Uint32Array(2 ** tableBits(1024));
  /** Key and ordinal of each distinct key while they are sorted, in two halves that take turns. */
  private spareKeys = new Uint32Array(1024);
  private ordinals = new Uint32Array(1024);
  private spareOrdinals = new Uint32Array(1024);
  private rankOf = new Uint32Array(1024);
  private readonly starts = new Uint32Array(2 ** MAX_DIGIT_BITS);

  /** Reads the batch; allocates only if it has more entries than any before. */
  find(batch: SparseBatch): this {
    const entries = entriesOf(batch);
    this.reserve(entries);
    this.sort(this.collect(batch.keys, entries));
    const { count, ordinals, rankOf, positions } = this;
    for (let rank = 0; rank < count; rank++) rankOf[ordinals[rank] as number] = rank;
    for (let i = 0; i < entries; i++) positions[i] = rankOf[positions[i] as number] as number;
    return this;
  }

  /** Fills `keys` in order of first appearance and `positions` with ordinals; returns the bitwise or of all keys. */
  private collect(source: Uint32Array, entries: number): number {
    const { table, keys, positions } = this;
    // At most half full, or probing would be long; no larger, or a small batch after a large one would clear it all.
    const sizeBits = tableBits(entries);
    const shift = 32 - sizeBits;
    const mask = 2 ** sizeBits - 1;
    table.fill(0, 0, 2 ** sizeBits);
    let count = 0;
    let bits = 0;
    for (let i = 0; i < entries; i++) {
      const key = source[i] as number;
      let slot = Math.imul(key, 0x9e3779b1) >>> shift;
      let found = table[slot] as number;
      while (found !== 0 && keys[found - 1] !== key) {
        slot = (slot + 1) & mask;
        found = table[slot] as number;
      }
      if (found === 0) {
        keys[count] = key;
        bits |= key;
        found = ++count;
        table[slot] = found;
      }
      positions[i] = found - 1;
    }
    this.count = count;
    return bits >>> 0;
  }

  /** Radix sort of `keys`, least digit first; `ordinals` follow. `bits` has every bit that is set in any key. */
  private sort(bits: number): void {
    const { count, starts } = this;
    const usedBits = 32 - Math.clz32(bits);
    const passes = Math.ceil(usedBits / MAX_DIGIT_BITS);
    const digitBits = Math.ceil(usedBits / Math.max(1, passes));
    const mask = 2 ** digitBits - 1;
    for (let i = 0; i < count; i++) this.ordinals[i] = i;
    for (let pass = 0; pass < passes; pass++) {
      const { keys, ordinals, spareKeys, spareOrdinals } = this;
      const shift = pass * digitBits;
      starts.fill(0, 0, mask + 1);
      for (let i = 0; i < count; i++) {
        const digit = ((keys[i] as number) >>> shift) & mask;
        starts[digit] = (starts[digit] as number) + 1;
      }
      let sum = 0;
      for (let digit = 0; digit <= mask; digit++) {
        const size = starts[digit] as number;
        starts[digit] = sum;
        sum += size;
      }
      for (let i = 0; i < count; i++) {
        const key = keys[i] as number;
        const digit = (key >>> shift) & mask;
        const at = starts[digit] as number;
        starts[digit] = at + 1;
        spareKeys[at] = key;
        spareOrdinals[at] = ordinals[i] as number;
      }
      this.keys = spareKeys;
      this.spareKeys = keys;
      this.ordinals = spareOrdinals;
      this.spareOrdinals = ordinals;
    }
  }

  private reserve(entries: number): void {
    if (entries <= this.positions.length) return;
    const length = 2 ** Math.ceil(Math.log2(entries));
    this.keys = new Uint32Array(length);
    this.spareKeys = new Uint32Array(length);
    this.positions = new Uint32Array(length);
    this.ordinals = new Uint32Array(length);
    this.spareOrdinals = new Uint32Array(length);
    this.rankOf = new Uint32Array(length);
    this.table = new Uint32Array(2 ** tableBits(length));
  }
}
