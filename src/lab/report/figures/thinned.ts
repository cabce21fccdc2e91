/** Points of one line, x ascending. */
export interface Points {
  readonly x: readonly number[];
  readonly y: readonly number[];
}

/** At most about two points per pixel column: of each, its lowest and its highest, so that no spike is lost. Ends are kept. */
export function thinned({ x, y }: Points, columns: number): Points {
  const total = x.length;
  if (total <= columns * 2) return { x, y };
  const kept = new Set([0, total - 1]);
  for (let column = 0; column < columns; column++) {
    const from = Math.floor((column * total) / columns);
    const to = Math.floor(((column + 1) * total) / columns);
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
