const WINDOW = 64;
/** Fewer norms say too little of what is usual. */
const ENOUGH = 16;
/** Honest norms differ by a few times from push to push, and fall only slowly with the loss. */
const TIMES_MEDIAN = 10;

/**
 * Bounds what one push can do: once 16 pushes were seen, none counts for more than 10 times the median norm of the last 64. A clipped norm is
 * remembered as clipped, so the bound follows gradients that truly grow, and jumps for nobody.
 */
export class NormGuard {
  /** The last norms: a ring in order of arrival, and the same numbers in order of size. */
  readonly #ring = new Float64Array(WINDOW);
  readonly #sorted = new Float64Array(WINDOW);
  #seen = 0;

  /** The factor (≤ 1) by which this push, of a finite norm, is scaled down. */
  admit(norm: number): number {
    const bound = this.#bound();
    const isBeyond = norm > bound;
    this.#remember(isBeyond ? bound : norm);
    return isBeyond ? bound / norm : 1;
  }

  #bound(): number {
    if (this.#seen < ENOUGH) return Number.POSITIVE_INFINITY;
    const count = Math.min(this.#seen, WINDOW);
    const median = ((this.#sorted[(count - 1) >> 1] as number) + (this.#sorted[count >> 1] as number)) / 2;
    // Among gradients of zeros nothing says what is usual, and a bound of 0 could never rise again.
    return median > 0 ? TIMES_MEDIAN * median : Number.POSITIVE_INFINITY;
  }

  #remember(norm: number): void {
    const sorted = this.#sorted;
    const slot = this.#seen % WINDOW;
    // The place that becomes free: the oldest norm's in a full window, otherwise the end.
    let place = this.#seen < WINDOW ? this.#seen : sorted.indexOf(this.#ring[slot] as number);
    for (; place > 0 && (sorted[place - 1] as number) > norm; place--) sorted[place] = sorted[place - 1] as number;
    const end = Math.min(this.#seen, WINDOW - 1);
    for (; place < end && (sorted[place + 1] as number) < norm; place++) sorted[place] = sorted[place + 1] as number;
    sorted[place] = norm;
    this.#ring[slot] = norm;
    this.#seen++;
  }
}
