/** How a worker's time between its steps was spent: held by the host, or on the way. */
export class AwayTime {
  /** Null before the first push, and while the volunteer pauses. */
  #sinceMs: number | null = null;
  #waitMs = 0;
  #transferMs = 0;
  #isPushing = false;

  /** There is nothing to compute until the host speaks. If that begins with a push, it takes time to make and send it. */
  begin(nowMs: number, isPushing: boolean): void {
    this.#sinceMs = nowMs;
    this.#isPushing = isPushing;
  }

  /** The volunteer pauses: time until the next `begin` does not count. */
  stop(): void {
    this.#sinceMs = null;
  }

  /**
   * The host spoke. It held the push for `heldMs`; the rest of the time, less `pushMs` for making and sending the push, went
   * by on the way. While a step is under way no time is lost.
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

  /** The time since the last call. */
  take(): { readonly waitMs: number; readonly transferMs: number } {
    const taken = { waitMs: this.#waitMs, transferMs: this.#transferMs };
    this.#waitMs = 0;
    this.#transferMs = 0;
    return taken;
  }
}
