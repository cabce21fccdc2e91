import type { AggregateFactory } from './aggregate.ts';
import { held, minority } from './held.ts';
import { Middle } from './middle.ts';
import { blend, squaredDistance } from './vectors.ts';

/** Each moves the centre at most by the radius; after three it has arrived even where the last round's gradient was far off. */
const ITERATIONS = 3;

/**
 * Centered clipping (Karimireddy, He, Jaggi 2021): from the last round's result, in the first round from the median of each number, it
 * moves by the mean of the ways to the gradients, each cut to a radius. The radius is the median of those ways' lengths, taken anew at each
 * move: so it follows the noise and the scale of the gradients by itself, and is never longer than an honest worker's way.
 */
export const clipping: AggregateFactory = (size) => {
  const middle = new Middle();
  let distances = new Float64Array(0);
  let [sorted, shares] = [distances, distances];
  let isFirst = true;
  return held(size, (gradients, centre) => {
    const count = gradients.length;
    if (count !== distances.length) {
      [distances, sorted, shares] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
    }
    if (isFirst) middle.mean(gradients, minority(count), centre);
    isFirst = false;
    for (let iteration = 0; iteration < ITERATIONS; iteration++) {
      for (let g = 0; g < count; g++) {
        distances[g] = Math.sqrt(squaredDistance(gradients[g] as Float32Array, centre, 0, size));
      }
      sorted.set(distances);
      sorted.sort();
      const radius = sorted[minority(count)] as number;
      let moved = 0;
      for (let g = 0; g < count; g++) {
        const distance = distances[g] as number;
        const part = distance > radius ? radius / distance : 1;
        shares[g] = part / count;
        moved += part;
      }
      blend(centre, (count - moved) / count, gradients, shares);
    }
  });
};
