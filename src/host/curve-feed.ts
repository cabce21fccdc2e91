import type { Curve } from '../core/curve.ts';
import type { Run } from '../core/run.ts';
import type { CurveDelta, FromServer } from './thread.ts';

type News = Extract<FromServer, { type: 'curves' }>;

/** Sends a run's curves piece by piece, and all of one again when it was thinned out. */
export class CurveFeed {
  #run: Run | null = null;
  #sent = { train: { count: 0, stride: 1 }, test: { count: 0, stride: 1 } };

  /** What was added since the last call, or null if nothing was. */
  news(run: Run): News | null {
    const isNew = run !== this.#run;
    if (isNew) this.#sent = { train: { count: 0, stride: 1 }, test: { count: 0, stride: 1 } };
    this.#run = run;
    const train = delta(run.train, this.#sent.train);
    const test = delta(run.test, this.#sent.test);
    if (!isNew && train.points.length === 0 && test.points.length === 0) return null;
    this.#sent = { train: mark(run.train), test: mark(run.test) };
    const { id, experiment } = run.plan;
    return { type: 'curves', id, experiment, startedAtMs: run.startedAtMs, train, test };
  }
}

interface Mark {
  readonly count: number;
  readonly stride: number;
}

const mark = (curve: Curve<unknown>): Mark => ({ count: curve.points.length, stride: curve.stride });

function delta<Point>(curve: Curve<Point>, sent: Mark): CurveDelta<Point> {
  const from = curve.stride === sent.stride ? sent.count : 0;
  return { from, points: curve.points.slice(from) };
}
