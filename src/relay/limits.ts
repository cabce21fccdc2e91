/** How many at once, and how fast they come back. */
export interface Allowance {
  readonly burst: number;
  readonly perSecond: number;
}

/** As many names as are remembered; a flood of new ones forgets the oldest, which were at rest for longest. */
const MAX_NAMES = 10_000;

/** Lets each name do a thing `burst` times, and then `perSecond`. Time comes in as an argument. */
export class Limiter {
  readonly #allowance: Allowance;
  readonly #names = new Map<string, { left: number; atMs: number }>();

  constructor(allowance: Allowance) {
    this.#allowance = allowance;
  }

  /** Whether `name` could do it now. */
  has(name: string, nowMs: number): boolean {
    return this.#left(name, nowMs) >= 1;
  }

  /** Does it, if `name` may; else false. */
  take(name: string, nowMs: number): boolean {
    const left = this.#left(name, nowMs);
    if (left < 1) return false;
    this.#names.delete(name);
    this.#names.set(name, { left: left - 1, atMs: nowMs });
    const [oldest] = this.#names.keys();
    if (this.#names.size > MAX_NAMES && oldest !== undefined) this.#names.delete(oldest);
    return true;
  }

  #left(name: string, nowMs: number): number {
    const { burst, perSecond } = this.#allowance;
    const entry = this.#names.get(name);
    return entry === undefined ? burst : Math.min(burst, entry.left + ((nowMs - entry.atMs) / 1000) * perSecond);
  }
}

/** Counts what names hold at the moment, each up to `max`, all together up to `maxOfAll`. */
export class Holdings {
  readonly #max: number;
  readonly #maxOfAll: number;
  readonly #counts = new Map<string, number>();
  #all = 0;

  constructor(max: number, maxOfAll = Number.POSITIVE_INFINITY) {
    this.#max = max;
    this.#maxOfAll = maxOfAll;
  }

  /** Takes one for `name` and gives the way to give it back, which works once; null if it has its share, or none is left. */
  take(name: string): (() => void) | null {
    const count = this.#counts.get(name) ?? 0;
    if (count >= this.#max || this.#all >= this.#maxOfAll) return null;
    this.#counts.set(name, count + 1);
    this.#all += 1;
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      this.#all -= 1;
      const rest = (this.#counts.get(name) ?? 1) - 1;
      if (rest === 0) this.#counts.delete(name);
      else this.#counts.set(name, rest);
    };
  }
}

/** What counts as one address: IPv6 users have a whole /64 to themselves. */
export function addressName(address: string): string {
  const plain = address.replace(/^::ffff:/, '');
  return plain.includes(':') ? ipv6Groups(plain).slice(0, 4).join(':') : plain;
}

/** The eight groups of an IPv6 address, in hex. */
export function ipv6Groups(address: string): string[] {
  const [head = [], tail = []] = address.split('::').map((part) => part.split(':').filter(Boolean));
  const zeros = address.includes('::') ? Math.max(0, 8 - head.length - tail.length) : 0;
  return [...head, ...Array.from({ length: zeros }, () => '0'), ...tail];
}
