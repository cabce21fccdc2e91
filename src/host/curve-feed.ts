import type { Member } from '../core/server/member.ts';
import type { Run } from '../core/server/run.ts';
import type { CurveDelta, FromServer } from './thread.ts';

type News = Extract<FromServer, { type: 'curves' }>;

/** Points in bounded memory; a new stride means that those sent before are no longer the same. */
interface Points<Point> {
  readonly points: readonly Point[];
  readonly stride: number;
}

interface Mark {
  readonly count: number;
  readonly stride: number;
}

const none: Mark = { count: 0, stride: 1 };

/** Sends a run's curves piece by piece, and all of one again when it was thinned out. */
export class CurveFeed {
  #run: Run | null = null;
  #sent = { train: none, test: none };
  #sentOf = new Map<number, Mark>();

  /** What was added since the last call, or null if nothing was. */
  news(run: Run, members: ReadonlyMap<number, Member>): News | null {
    const isNew = run !== this.#run;
    if (isNew) {
      this.#sent = { train: none, test: none };
      this.#sentOf.clear();
    }
    this.#run = run;
    const train = delta(run.train, this.#sent.train);
    const test = delta(run.test, this.#sent.test);
    const workers = Array.from(members.values(), ({ worker, curve }) => ({
      worker,
      ...delta(curve, this.#sentOf.get(worker) ?? none),
    })).filter(({ points }) => points.length > 0);
    if (!isNew && [train, test, ...workers].every(({ points }) => points.length === 0)) return null;
    this.#sent = { train: mark(run.train), test: mark(run.test) };
    for (const { worker, curve } of members.values()) this.#sentOf.set(worker, mark(curve));
    const { id, experiment } = run.plan;
    return { type: 'curves', id, experiment, startedAtMs: run.startedAtMs, train, test, workers };
  }
}

const mark = (curve: Points<unknown>): Mark => ({ count: curve.points.length, stride: curve.stride });

function delta<Point>(curve: Points<Point>, sent: Mark): CurveDelta<Point> {
  const from = curve.stride === sent.stride ? sent.count : 0;
  return { from, points: curve.points.slice(from) };
}
