import type { TrainPoint, WorkerPoint } from './progress.ts';

const CAPACITY = 500;

interface Sums {
  readonly at: TrainPoint;
  readonly pushes: number;
  readonly examples: number;
  readonly lossSum: number;
  readonly correct: number | null;
}

/**
 * A worker's own curve in bounded memory: every point is the mean of equally many pushes, at the time of the last
 * of them. When there are too many points, each two become one.
 */
export class MeanCurve {
  #points: WorkerPoint[] = [];
  #sums: Sums[] = [];
  #open: Sums | null = null;
  #stride = 1;

  /** Without the last few pushes, which do not make a whole point yet. */
  get points(): readonly WorkerPoint[] {
    return this.#points;
  }

  /** How many pushes make a point; rises whenever points that were there before have been merged. */
  get stride(): number {
    return this.#stride;
  }

  /** A push of so many examples with the mean loss of `at`. */
  add(at: TrainPoint, examples: number, correct: number | null): void {
    const push = { at, pushes: 1, examples, lossSum: at.loss * examples, correct };
    this.#open = this.#open ? joined(this.#open, push) : push;
    if (this.#open.pushes < this.#stride) return;
    this.#sums.push(this.#open);
    this.#points.push(pointOf(this.#open));
    this.#open = null;
    if (this.#sums.length > CAPACITY) this.#halve();
  }

  #halve(): void {
    const pairs: Sums[] = [];
    for (let i = 0; i + 1 < this.#sums.length; i += 2)
      pairs.push(joined(this.#sums[i] as Sums, this.#sums[i + 1] as Sums));
    this.#open = this.#sums.length % 2 === 1 ? (this.#sums.at(-1) ?? null) : null;
    this.#sums = pairs;
    this.#points = pairs.map(pointOf);
    this.#stride *= 2;
  }
}

const joined = (a: Sums, b: Sums): Sums => ({
  at: b.at,
  pushes: a.pushes + b.pushes,
  examples: a.examples + b.examples,
  lossSum: a.lossSum + b.lossSum,
  correct: a.correct === null || b.correct === null ? null : a.correct + b.correct,
});

function pointOf({ at, examples, lossSum, correct }: Sums): WorkerPoint {
  const { step, elapsedMs, wallMs } = at;
  const count = Math.max(1, examples);
  return { step, elapsedMs, wallMs, loss: lossSum / count, accuracy: correct === null ? null : correct / count };
}
