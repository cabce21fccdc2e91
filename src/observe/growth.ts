/**
 * Adds up how much counters have grown, so that the sum never falls: not when one of them ends (a process, a link, an
 * interface), nor when one starts again from zero.
 */
export class Growth {
  readonly #last = new Map<string, number>();
  readonly #countsFirst: boolean;
  #total = 0;

  /** A counter that is seen for the first time counts from zero if it `countsFirst`, else from what it shows. */
  constructor(countsFirst: boolean) {
    this.#countsFirst = countsFirst;
  }

  /** The sum after these counters were read; null while there has been none. */
  add(counters: readonly (readonly [key: string, value: number | null])[]): number | null {
    for (const [key, value] of counters) {
      if (value === null) continue;
      const last = this.#last.get(key) ?? (this.#countsFirst ? 0 : value);
      this.#total += value < last ? value : value - last;
      this.#last.set(key, value);
    }
    return this.#last.size === 0 ? null : this.#total;
  }

  /** The sum starts again from zero, and counters go on from where they are. */
  reset(): void {
    this.#total = 0;
  }
}
