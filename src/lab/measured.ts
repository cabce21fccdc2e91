/** One quantity over the repeats of a setting. */
export interface Measured {
  readonly mean: number;
  /** The sample standard deviation; null after one run, which tells nothing of it. */
  readonly spread: number | null;
  readonly min: number;
  readonly max: number;
  /** How many runs have it. */
  readonly n: number;
}

/** Folds the values of repeats; what is null or not finite does not count, and nothing at all gives null. */
export function measured(values: readonly (number | null)[]): Measured | null {
  const known = values.filter((value) => value !== null && Number.isFinite(value)) as number[];
  const n = known.length;
  if (n === 0) return null;
  const mean = known.reduce((sum, value) => sum + value, 0) / n;
  const squares = known.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const spread = n === 1 ? null : Math.sqrt(squares / (n - 1));
  return { mean, spread, min: Math.min(...known), max: Math.max(...known), n };
}

/**
 * Whether two differ by more than their spreads together, so that mean ± spread of one ends before the other begins. Where
 * only one was repeated, its spread stands for both; where neither was, the spread is not known and any difference counts.
 */
export function isApart(a: Measured, b: Measured): boolean {
  const both = (a.spread ?? b.spread ?? 0) + (b.spread ?? a.spread ?? 0);
  return Math.abs(a.mean - b.mean) > both;
}
