/** At most so many examples, with so many entries together, are kept for testing: an evaluation must stay quick and small. */
const MAX_EXAMPLES = 20_000;
const MAX_ENTRIES = 4_000_000;
const STRETCH = 1000;
const EVERY = 10;

/**
 * Which examples of a file are kept for testing, by their number: every tenth, and in a large file every tenth of
 * some thousands here and there, so that they come from all over it and yet from few places.
 */
export class HeldOut {
  /** Each begins with a thousand of which every tenth is kept. */
  readonly #cycle: number;

  /** For a file of so many examples with so many entries in all. */
  constructor(examples: number, entries: number) {
    const maxKept = Math.max(1, Math.min(MAX_EXAMPLES, Math.floor((MAX_ENTRIES / Math.max(1, entries)) * examples)));
    const perCycle = STRETCH / EVERY;
    let cycle = Math.max(STRETCH, Math.ceil((examples * perCycle) / maxKept));
    while (cycle < examples && countBelow(examples, cycle) > maxKept) cycle += Math.ceil(cycle / 100);
    this.#cycle = cycle;
  }

  has(example: number): boolean {
    const place = example % this.#cycle;
    return place < STRETCH && place % EVERY === EVERY - 1;
  }

  /** How many examples with a lower number are kept. */
  below(example: number): number {
    return countBelow(example, this.#cycle);
  }
}

const countBelow = (example: number, cycle: number) =>
  Math.floor(example / cycle) * (STRETCH / EVERY) + Math.floor(Math.min(example % cycle, STRETCH) / EVERY);
