import type { Aggregate } from '../math/aggregate/aggregate.ts';
import { keysOf } from '../math/gradient.ts';

/**
 * The mean of gradients over different keys, weighted by examples: a gradient counts as zero where it has no key. Merges
 * rising lists, so its memory depends on the number of keys, not of parameters.
 */
export function sparseMean(): Aggregate {
  let keys = new Uint32Array(0);
  let sums = new Float32Array(0);
  let spareKeys = new Uint32Array(0);
  let spareSums = new Float32Array(0);
  let count = 0;
  let total = 0;

  const reserve = (needed: number) => {
    if (spareKeys.length >= needed) return;
    spareKeys = new Uint32Array(2 * needed);
    spareSums = new Float32Array(2 * needed);
  };

  return {
    add(gradient, weight) {
      const more = keysOf(gradient);
      const { values } = gradient;
      reserve(count + more.length);
      let [at, mine, theirs] = [0, 0, 0];
      while (mine < count || theirs < more.length) {
        const own = mine < count ? (keys[mine] as number) : Number.POSITIVE_INFINITY;
        const other = theirs < more.length ? (more[theirs] as number) : Number.POSITIVE_INFINITY;
        const sum = own <= other ? (sums[mine] as number) : 0;
        spareKeys[at] = own <= other ? own : other;
        spareSums[at] = other <= own ? sum + weight * (values[theirs] as number) : sum;
        if (own <= other) mine += 1;
        if (other <= own) theirs += 1;
        at += 1;
      }
      count = at;
      total += weight;
      [keys, spareKeys] = [spareKeys, keys];
      [sums, spareSums] = [spareSums, sums];
    },
    finish: () => ({ gradient: { keys: keys.subarray(0, count), values: sums.subarray(0, count) }, scale: 1 / total }),
    clear() {
      count = 0;
      total = 0;
    },
  };
}
