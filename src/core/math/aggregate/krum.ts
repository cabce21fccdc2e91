import type { AggregateFactory } from './aggregate.ts';
import { held, minority } from './held.ts';
import { blend, squaredDistance, TILE } from './vectors.ts';

/**
 * Multi-Krum (Blanchard, El Mhamdi, Guerraoui, Stainer 2017): the mean of the n − faulty gradients whose nearest neighbours are nearest;
 * the single best of them would be as noisy as one worker. Neighbours are the n − faulty − 2 nearest, but at least `faulty` and at least
 * one where workers are too few for that, and `faulty` is at most a minority: so a liar that is chosen has an honest one nearby. Of one or
 * two workers it is the mean. It takes n² ÷ 2 distances: for dozens of workers, not for hundreds.
 */
export const krum: AggregateFactory = (size, faulty) => {
  let [count, squares, row] = [0, new Float64Array(0), new Float64Array(0)];
  let [scores, shares] = [row, row];
  return held(size, (gradients, out) => {
    if (count !== gradients.length) {
      count = gradients.length;
      squares = new Float64Array(count * count);
      [row, scores, shares] = [new Float64Array(count), new Float64Array(count), new Float64Array(count)];
    }
    const liars = Math.min(faulty, minority(count));
    const neighbours = Math.min(count - 1, Math.max(count - liars - 2, liars, 1));
    measure(gradients, size, squares);
    for (let g = 0; g < count; g++) {
      for (let other = 0; other < count; other++) row[other] = squares[g * count + other] as number;
      row.sort();
      let score = 0;
      // The nearest of all is itself.
      for (let rank = 1; rank <= neighbours; rank++) score += row[rank] as number;
      scores[g] = score;
    }
    row.set(scores);
    row.sort();
    const worst = row[count - liars - 1] as number;
    let chosen = 0;
    // All that are as good as the worst chosen: which of two equals came first must not matter.
    for (let g = 0; g < count; g++) chosen += Number((scores[g] as number) <= worst);
    for (let g = 0; g < count; g++) shares[g] = (scores[g] as number) <= worst ? 1 / chosen : 0;
    blend(out, 0, gradients, shares);
  });
};

/** Fills `squares` (n × n) with the squared distances between gradients, tile by tile, so that each is read from memory once. */
function measure(gradients: readonly Float32Array[], size: number, squares: Float64Array): void {
  const count = gradients.length;
  squares.fill(0);
  for (let from = 0; from < size; from += TILE) {
    const to = Math.min(size, from + TILE);
    for (let a = 1; a < count; a++) {
      for (let b = 0; b < a; b++) {
        const square = squaredDistance(gradients[a] as Float32Array, gradients[b] as Float32Array, from, to);
        squares[a * count + b] = (squares[a * count + b] as number) + square;
      }
    }
  }
  for (let a = 1; a < count; a++) {
    for (let b = 0; b < a; b++) squares[b * count + a] = squares[a * count + b] as number;
  }
}
