/** A first round may include slow starts; later ones are measured against those before them. */
const FIRST_MS = 30_000;
const SHORTEST_MS = 5_000;
const TIMES_USUAL = 4;

/** How long a round may take: as the experiment says, or a multiple of the usual time. */
export class Patience {
  readonly #fixedMs: number | null;
  #usualMs = 0;

  constructor(deadlineSeconds: number | null) {
    this.#fixedMs = deadlineSeconds === null ? null : deadlineSeconds * 1000;
  }

  get ms(): number {
    if (this.#fixedMs !== null) return this.#fixedMs;
    return this.#usualMs === 0 ? FIRST_MS : Math.max(SHORTEST_MS, TIMES_USUAL * this.#usualMs);
  }

  /** A round took this long. */
  learn(tookMs: number): void {
    this.#usualMs = this.#usualMs === 0 ? tookMs : 0.9 * this.#usualMs + 0.1 * tookMs;
  }
}
