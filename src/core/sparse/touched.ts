/** Which parameters were ever moved, one bit each: all others are still zero. */
export class Touched {
  readonly #words: Uint32Array;

  constructor(size: number) {
    this.#words = new Uint32Array(Math.ceil(size / 32));
  }

  mark(keys: Uint32Array): void {
    const words = this.#words;
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i] as number;
      words[key >>> 5] = (words[key >>> 5] as number) | (1 << (key & 31));
    }
  }

  /** Goes through them, rising. */
  each(visit: (key: number) => void): void {
    const words = this.#words;
    for (let at = 0; at < words.length; at++) {
      for (let rest = words[at] as number; rest !== 0; ) {
        const lowest = rest & -rest;
        visit(32 * at + 31 - Math.clz32(lowest));
        rest ^= lowest;
      }
    }
  }
}
