/** Workers send one every two seconds. */
const LEAST_MS = 500;
/** Once, and again after a link that broke in between. */
const MOST_GIFTS = 3;
const MOST_LEASES = 4096;

/** Lets a worker's samples through at the pace of an honest one, whatever it sends. */
export class SamplePace {
  readonly #lastMs = new Map<number, number>();

  admit(worker: number, nowMs: number): boolean {
    if (nowMs - (this.#lastMs.get(worker) ?? Number.NEGATIVE_INFINITY) < LEAST_MS) return false;
    this.#lastMs.set(worker, nowMs);
    return true;
  }
}

/** Counts how often the examples of a lease were given, so that nobody has the host read and send without end. */
export class GiftCount {
  readonly #given = new Map<number, number>();

  admit(lease: number): boolean {
    const given = (this.#given.get(lease) ?? 0) + 1;
    if (given > MOST_GIFTS) return false;
    // Leases long over make room.
    const [oldest] = this.#given.keys();
    if (this.#given.size >= MOST_LEASES && oldest !== undefined) this.#given.delete(oldest);
    this.#given.set(lease, given);
    return true;
  }

  restart(): void {
    this.#given.clear();
  }
}
