import type { Member } from '../core/server/member.ts';
import type { Run } from '../core/server/run.ts';
import type { CurveDelta, FromServer } from './thread.ts';

/** Points in bounded memory; a new stride means that those sent before are no longer the same. */
interface Points<Point> {
  readonly points: readonly Point[];
  readonly stride: number;
}

/** Sends a run's curves piece by piece, and all of one again when it was thinned out. */
export class CurveFeed {
  #run: Run | null = null;
  /** What was sent of each curve; another run has other curves. */
  readonly #sent = new WeakMap<object, { readonly count: number; readonly stride: number }>();

  /** What was added since the last call, or null if nothing was. */
  news(run: Run, members: ReadonlyMap<number, Member>): Extract<FromServer, { type: 'curves' }> | null {
    const isNew = run !== this.#run;
    this.#run = run;
    const train = this.#added(run.train);
    const test = this.#added(run.test);
    const workers = Array.from(members.values(), ({ worker, curve }) => ({ worker, ...this.#added(curve) })).filter(
      ({ points }) => points.length > 0,
    );
    if (!isNew && [train, test, ...workers].every(({ points }) => points.length === 0)) return null;
    const { id, experiment } = run.plan;
    return { type: 'curves', id, experiment, startedAtMs: run.startedAtMs, train, test, workers };
  }

  #added<Point>(curve: Points<Point>): CurveDelta<Point> {
    const { points, stride } = curve;
    const sent = this.#sent.get(curve);
    const from = sent?.stride === stride ? sent.count : 0;
    this.#sent.set(curve, { count: points.length, stride });
    return { from, points: points.slice(from) };
  }
}
