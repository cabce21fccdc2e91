const BUCKET_MS = 1000;
const BUCKETS = 5;

/** How many per second, over the last few seconds. */
export class Rate {
  #buckets: { index: number; amount: number }[] = [];
  #sinceMs: number | null = null;

  add(nowMs: number, amount: number): void {
    this.#sinceMs ??= nowMs;
    const index = Math.floor(nowMs / BUCKET_MS);
    const last = this.#buckets.at(-1);
    if (last?.index === index) last.amount += amount;
    else this.#buckets.push({ index, amount });
    if (this.#buckets.length > BUCKETS) this.#buckets.shift();
  }

  perSecond(nowMs: number): number {
    if (this.#sinceMs === null) return 0;
    const oldest = Math.floor(nowMs / BUCKET_MS) - BUCKETS + 1;
    const amount = this.#buckets.reduce((sum, bucket) => (bucket.index >= oldest ? sum + bucket.amount : sum), 0);
    const fromMs = Math.max(this.#sinceMs, oldest * BUCKET_MS);
    return amount === 0 ? 0 : (amount * 1000) / Math.max(nowMs - fromMs, 250);
  }
}
