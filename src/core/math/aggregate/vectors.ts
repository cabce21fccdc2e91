/** How many numbers of each gradient are gone through at a time, few enough to stay in the cache until they are read again. */
export const TILE = 1024;

// Loops go four at a time: otherwise the loop itself, with its checks, costs as much as the arithmetic.

/** sum ← sum + scale × values, over the places from `from` to `to`. */
export function addScaled(sum: Float32Array, values: Float32Array, scale: number, from: number, to: number): void {
  let i = from;
  for (; i + 3 < to; i += 4) {
    sum[i] = (sum[i] as number) + scale * (values[i] as number);
    sum[i + 1] = (sum[i + 1] as number) + scale * (values[i + 1] as number);
    sum[i + 2] = (sum[i + 2] as number) + scale * (values[i + 2] as number);
    sum[i + 3] = (sum[i + 3] as number) + scale * (values[i + 3] as number);
  }
  for (; i < to; i++) sum[i] = (sum[i] as number) + scale * (values[i] as number);
}

/** ‖a − b‖² over the places from `from` to `to`. */
export function squaredDistance(a: Float32Array, b: Float32Array, from: number, to: number): number {
  let sum = 0;
  let i = from;
  for (; i + 3 < to; i += 4) {
    const d0 = (a[i] as number) - (b[i] as number);
    const d1 = (a[i + 1] as number) - (b[i + 1] as number);
    const d2 = (a[i + 2] as number) - (b[i + 2] as number);
    const d3 = (a[i + 3] as number) - (b[i + 3] as number);
    sum += d0 * d0 + d1 * d1 + (d2 * d2 + d3 * d3);
  }
  for (; i < to; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return sum;
}

/** out ← keep × out + Σ shares[g] × gradients[g]; gradients without a share are not read. */
export function blend(out: Float32Array, keep: number, gradients: readonly Float32Array[], shares: Float64Array): void {
  for (let from = 0; from < out.length; from += TILE) {
    const to = Math.min(out.length, from + TILE);
    if (keep === 0) out.fill(0, from, to);
    else for (let i = from; i < to; i++) out[i] = keep * (out[i] as number);
    for (let g = 0; g < gradients.length; g++) {
      const share = shares[g] as number;
      if (share !== 0) addScaled(out, gradients[g] as Float32Array, share, from, to);
    }
  }
}
