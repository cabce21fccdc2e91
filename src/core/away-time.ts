/** How a worker's time between its steps was spent: held by the host, or on the way. */
export class AwayTime {
  /** Null before the first push, and where the time is nobody's waiting. */
  #sinceMs: number | null = null;
  #waitMs = 0;
  #transferMs = 0;

  /** There is nothing to compute until the host speaks. */
  begin(nowMs: number): void {
    this.#sinceMs = nowMs;
  }

  /** What passes until the next `begin` is nobody's waiting: a volunteer's pause. */
  stop(): void {
    this.#sinceMs = null;
  }

  /** The host spoke: it held the push for `heldMs`, the rest was on the way. While a step is under way nothing was lost. */
  cameBack(nowMs: number, heldMs: number, isComputing: boolean): void {
    const awayMs = this.#sinceMs === null || isComputing ? 0 : nowMs - this.#sinceMs;
    const waitMs = Math.min(heldMs, awayMs);
    this.#waitMs += waitMs;
    this.#transferMs += awayMs - waitMs;
    this.#sinceMs = nowMs;
  }

  /** What gathered since it was last asked for. */
  take(): { readonly waitMs: number; readonly transferMs: number } {
    const taken = { waitMs: this.#waitMs, transferMs: this.#transferMs };
    this.#waitMs = 0;
    this.#transferMs = 0;
    return taken;
  }
}
