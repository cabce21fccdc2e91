/**
 * Exponential moving average without the pull towards zero at the start: the first value stays itself.
 * `weight` in [0, 1) is what the past counts; 0 gives the values back. What is not finite is passed over.
 */
export function smooth(values: readonly number[], weight: number): number[] {
  if (weight <= 0) return [...values];
  let sum = 0;
  let mass = 0;
  return values.map((value) => {
    if (!Number.isFinite(value)) return value;
    sum = sum * weight + value * (1 - weight);
    mass = mass * weight + (1 - weight);
    return sum / mass;
  });
}
