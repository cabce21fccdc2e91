/**
 * The pairs of places, flat (low, high, low, high, …), to compare and exchange in this order so that places `cut` … `count − cut − 1`
 * hold the middle values: Batcher's odd–even merge sort, less the exchanges that would only order the middle or the ends among themselves.
 */
export function middleNetwork(count: number, cut: number): Uint16Array {
  const pairs = batcher(count);
  // Seen from the end, places whose values are interchangeable share a number: all that are kept, all that are cut at one end.
  const use: number[] = Array.from({ length: count }, (_, place) => (place < cut ? -1 : place < count - cut ? -2 : -3));
  const needed: number[] = [];
  for (let p = pairs.length - 2; p >= 0; p -= 2) {
    const [low, high] = [pairs[p] as number, pairs[p + 1] as number];
    if (use[low] === use[high]) continue;
    [use[low], use[high]] = [low, high];
    needed.push(high, low);
  }
  return Uint16Array.from(needed.reverse());
}

/** Knuth, The Art of Computer Programming, volume 3, 5.2.2, algorithm M: for any count, not only powers of two. */
function batcher(count: number): number[] {
  const pairs: number[] = [];
  let top = 1;
  while (2 * top < count) top *= 2;
  for (let p = top; p > 0; p >>= 1) {
    let [q, r, distance] = [top, 0, p];
    for (;;) {
      for (let i = 0; i + distance < count; i++) if ((i & p) === r) pairs.push(i, i + distance);
      if (q === p) break;
      distance = q - p;
      q >>= 1;
      r = p;
    }
  }
  return pairs;
}
