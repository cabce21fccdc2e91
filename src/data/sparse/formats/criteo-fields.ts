/** Columns of the Criteo click logs: 13 numbers, then 26 categories. */
export const NUMERIC_FIELDS = 13;
export const CATEGORY_FIELDS = 26;

/**
 * A count as a value of about the size of 1: ±ln(1 + |n|) ÷ 4. Counts reach millions, and one step size must suit
 * them and categories alike.
 */
export const numericValue = (count: number): number => (Math.sign(count) * Math.log1p(Math.abs(count))) / 4;

/** How many different categories each column of the Kaggle data set has: 33,762,577 together. */
const KAGGLE_CARDINALITIES = [
  1460, 583, 10131227, 2202608, 305, 24, 12517, 633, 3, 93145, 5683, 8351593, 3194, 27, 14992, 5461306, 10, 5652, 2173,
  4, 7046547, 18, 15, 286181, 105, 142572,
] as const;

/** Fewer would leave a column without a choice. */
export const MIN_FEATURES = NUMERIC_FIELDS + 2 * CATEGORY_FIELDS;
/** Products of two positions within a column must stay exact. */
export const MAX_FEATURES = 2 ** 27;

/**
 * How many categories each column gets when `features` keys are shared with the 13 numbers: as in the Kaggle data, the
 * large columns cut to a common size (or all stretched) so that the sum is exact.
 */
export function cardinalitiesFor(features: number): number[] {
  if (!Number.isInteger(features) || features < MIN_FEATURES || features > MAX_FEATURES) {
    throw new RangeError(`features: expected a whole number from ${MIN_FEATURES} to ${MAX_FEATURES}, got ${features}`);
  }
  const target = features - NUMERIC_FIELDS;
  const known = KAGGLE_CARDINALITIES.reduce((sum, size) => sum + size, 0);
  const stretch = Math.max(1, target / known);
  const wanted = KAGGLE_CARDINALITIES.map((size) => Math.ceil(size * stretch));
  const sumAt = (level: number) => wanted.reduce((sum, size) => sum + Math.min(size, level), 0);
  let [low, high] = [2, Math.max(...wanted)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (sumAt(middle) <= target) low = middle;
    else high = middle - 1;
  }
  let rest = target - sumAt(low);
  return wanted.map((size) => (size > low && rest-- > 0 ? low + 1 : Math.min(size, low)));
}
