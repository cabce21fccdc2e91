/** Workers send one every two seconds. */
const SAMPLE_INTERVAL_MS = 500;
/** Once, and again after a link that broke in between. */
const MAX_ANSWERS = 3;
const MAX_LEASES = 4096;

/** Lets a worker's samples through at the pace of an honest one, whatever it sends. */
export class SampleLimit {
  readonly #lastMs = new Map<number, number>();

  admit(worker: number, nowMs: number): boolean {
    if (nowMs - (this.#lastMs.get(worker) ?? Number.NEGATIVE_INFINITY) < SAMPLE_INTERVAL_MS) return false;
    this.#lastMs.set(worker, nowMs);
    return true;
  }
}

/** Counts how often the examples of a lease were sent, so that nobody has the host read and send without end. */
export class ExampleLimit {
  readonly #sent = new Map<number, number>();

  admit(lease: number): boolean {
    const sent = (this.#sent.get(lease) ?? 0) + 1;
    if (sent > MAX_ANSWERS) return false;
    // Leases long over make room.
    const [oldest] = this.#sent.keys();
    if (this.#sent.size >= MAX_LEASES && oldest !== undefined) this.#sent.delete(oldest);
    this.#sent.set(lease, sent);
    return true;
  }

  restart(): void {
    this.#sent.clear();
  }
}
