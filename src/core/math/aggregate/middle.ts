import { middleNetwork } from './sorting-network.ts';

/** Numbers sorted at a time, of all gradients together: 64 KiB stay in the cache from comparison to comparison. */
const TILE_NUMBERS = 16_384;
/** With so many workers that rows would be shorter, the tile grows instead. */
const MIN_WIDTH = 16;

/** Means of the middle values, place by place; keeps its tile and its sorting network while the number of workers stays. */
export class Middle {
  /** One row per gradient. As integers, floats are exchanged without a branch, which is three times as fast. */
  #rows: Int32Array[] = [];
  #floats = new Float32Array(TILE_NUMBERS);
  #network: Uint16Array = new Uint16Array(0);
  #cut = 0;

  /** Fills `out` with the mean of what the gradients have at each place, less the `cut` lowest and the `cut` highest. */
  mean(gradients: readonly Float32Array[], cut: number, out: Float32Array): void {
    const count = gradients.length;
    if (count !== this.#rows.length || cut !== this.#cut) this.#prepare(count, cut);
    const [rows, network] = [this.#rows, this.#network];
    const width = rows[0]?.length ?? 0;
    const bits = gradients.map(({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, length));
    for (let from = 0; from < out.length; from += width) {
      const length = Math.min(width, out.length - from);
      for (let row = 0; row < count; row++) flip(bits[row] as Int32Array, from, rows[row] as Int32Array, length);
      for (let pair = 0; pair < network.length; pair += 2) {
        exchange(rows[network[pair] as number] as Int32Array, rows[network[pair + 1] as number] as Int32Array, length);
      }
      for (let row = cut; row < count - cut; row++) flip(rows[row] as Int32Array, 0, rows[row] as Int32Array, length);
      average(this.#floats, cut * width, (count - cut) * width, width, out, from, length);
    }
  }

  #prepare(count: number, cut: number): void {
    if (count * MIN_WIDTH > this.#floats.length) this.#floats = new Float32Array(count * MIN_WIDTH);
    const { buffer, length } = this.#floats;
    const width = Math.floor(length / count);
    this.#rows = Array.from({ length: count }, (_, row) => new Int32Array(buffer, 4 * row * width, width));
    this.#network = middleNetwork(count, cut);
    this.#cut = cut;
  }
}

/** From the bits of floats to integers of the same order, and back: below zero, a float's bits count downwards. */
function flip(bits: Int32Array, from: number, into: Int32Array, length: number): void {
  for (let i = 0; i < length; i++) {
    const value = bits[from + i] as number;
    into[i] = value ^ ((value >> 31) & 0x7fffffff);
  }
}

/** The lower of each two into the first row, the higher into the second. */
function exchange(low: Int32Array, high: Int32Array, length: number): void {
  for (let i = 0; i < length; i++) {
    const a = low[i] as number;
    const b = high[i] as number;
    const swap = (a ^ b) & -Number(a > b);
    low[i] = a ^ swap;
    high[i] = b ^ swap;
  }
}

/** Means down the columns of the rows that start from `first` to before `end`. */
function average(
  floats: Float32Array,
  first: number,
  end: number,
  width: number,
  out: Float32Array,
  from: number,
  length: number,
): void {
  const count = (end - first) / width;
  for (let i = 0; i < length; i++) {
    let sum = 0;
    for (let at = first + i; at < end; at += width) sum += floats[at] as number;
    out[from + i] = sum / count;
  }
}
