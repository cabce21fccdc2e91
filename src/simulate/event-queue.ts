/** What is to happen, by time; things due at the same time happen in the order they were put in. */
export class EventQueue {
  /** A heap in three arrays: no object per entry, and times compare without a call. */
  readonly #times: number[] = [];
  readonly #orders: number[] = [];
  readonly #actions: (() => void)[] = [];
  #order = 0;
  #nowMs = 0;

  /** When the last thing that was taken out happened. */
  get nowMs(): number {
    return this.#nowMs;
  }

  get size(): number {
    return this.#times.length;
  }

  /** Puts something in. What is due in the past happens next, at the time it is now. */
  at(atMs: number, action: () => void): void {
    const timeMs = atMs > this.#nowMs ? atMs : this.#nowMs;
    this.#order += 1;
    let hole = this.#times.length;
    while (hole > 0) {
      const parent = (hole - 1) >> 1;
      // The newest entry has the highest order: among equals it stays below.
      if ((this.#times[parent] as number) <= timeMs) break;
      this.#move(parent, hole);
      hole = parent;
    }
    this.#set(hole, timeMs, this.#order, action);
  }

  /** The next thing to do, and the clock set to it; null when there is nothing left. */
  next(): (() => void) | null {
    const first = this.#actions[0];
    if (!first) return null;
    this.#nowMs = this.#times[0] as number;
    const timeMs = this.#times.pop() as number;
    const order = this.#orders.pop() as number;
    const action = this.#actions.pop() as () => void;
    if (this.#times.length > 0) this.#sink(timeMs, order, action);
    return first;
  }

  #sink(timeMs: number, order: number, action: () => void): void {
    const size = this.#times.length;
    let hole = 0;
    for (let child = 1; child < size; child = 2 * hole + 1) {
      if (child + 1 < size && this.#isBefore(child + 1, this.#times[child] as number, this.#orders[child] as number)) {
        child += 1;
      }
      if (!this.#isBefore(child, timeMs, order)) break;
      this.#move(child, hole);
      hole = child;
    }
    this.#set(hole, timeMs, order, action);
  }

  #isBefore(at: number, timeMs: number, order: number): boolean {
    const other = this.#times[at] as number;
    return other < timeMs || (other === timeMs && (this.#orders[at] as number) < order);
  }

  #move(from: number, to: number): void {
    this.#set(to, this.#times[from] as number, this.#orders[from] as number, this.#actions[from] as () => void);
  }

  #set(at: number, timeMs: number, order: number, action: () => void): void {
    this.#times[at] = timeMs;
    this.#orders[at] = order;
    this.#actions[at] = action;
  }
}
