/** Points of one line, x ascending. */
export interface Points {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** A chart is some 400 points wide: more than this many extremes a line cannot show. */
const MAX_BUCKETS = 400;

/** At most two points per bucket, its lowest and highest, so that no spike is lost; ends are kept. */
export function thin(points: Points, buckets = MAX_BUCKETS): Points {
  const { x, y } = points;
  const total = x.length;
  if (total <= buckets * 2) return points;
  const kept = new Set([0, total - 1]);
  for (let bucket = 0; bucket < buckets; bucket++) {
    const from = Math.floor((bucket * total) / buckets);
    const to = Math.floor(((bucket + 1) * total) / buckets);
    let [low, high] = [from, from];
    for (let at = from; at < to; at++) {
      if ((y[at] ?? 0) < (y[low] ?? 0)) low = at;
      if ((y[at] ?? 0) > (y[high] ?? 0)) high = at;
    }
    kept.add(low).add(high);
  }
  const order = [...kept].sort((a, b) => a - b);
  return { x: order.map((at) => x[at] ?? 0), y: order.map((at) => y[at] ?? 0) };
}

/** The index of the value in `x`, which ascends, that is nearest to `wanted`; -1 when there is none. */
export function nearest(x: readonly number[], wanted: number): number {
  let low = 0;
  let high = x.length - 1;
  if (high < 0) return -1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((x[middle] ?? 0) < wanted) low = middle + 1;
    else high = middle;
  }
  const before = x[low - 1];
  return before !== undefined && wanted - before < (x[low] ?? 0) - wanted ? low - 1 : low;
}

/** The value of a line at `x`, or its last one where no x is given. */
export const valueAt = <Value>(
  line: { x: readonly number[]; y: readonly Value[] },
  x: number | null,
): Value | undefined => line.y[x === null ? line.y.length - 1 : nearest(line.x, x)];
