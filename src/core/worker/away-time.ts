/** How a worker's time between its steps was spent: held by the host, or on the way. */
export class AwayTime {
  /** Null before the first push, and where the time is nobody's waiting. */
  #sinceMs: number | null = null;
  #waitMs = 0;
  #transferMs = 0;
  #isPushing = false;

  /** There is nothing to compute until the host speaks; if it begins with a push, making and sending that comes first. */
  begin(nowMs: number, isPushing: boolean): void {
    this.#sinceMs = nowMs;
    this.#isPushing = isPushing;
  }

  /** What passes until the next `begin` is nobody's waiting: a volunteer's pause. */
  stop(): void {
    this.#sinceMs = null;
  }

  /**
   * The host spoke: it held the push for `heldMs`, the rest was on the way, but for making and sending the push. While a step
   * is under way nothing was lost.
   */
  cameBack(nowMs: number, heldMs: number, isComputing: boolean, pushMs: number): void {
    const sinceMs = (this.#sinceMs ?? nowMs) + (this.#isPushing ? pushMs : 0);
    const awayMs = isComputing ? 0 : Math.max(0, nowMs - sinceMs);
    this.#isPushing = false;
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
