import { describe, expect, it } from 'vitest';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import type { Schema } from '../math/schema.ts';
import { keyedTestSchema, testSchema } from '../server/server-for-tests.ts';
import type { Lease, ToHost, ToWorker } from '../wire/protocol.ts';
import type { WorkerEffect, WorkerEvent } from './worker-events.ts';
import { WorkerSide } from './worker-side.ts';

const RUN = 7;
const NO_BODY = new Uint8Array(0);
const PARAMS = new Uint8Array(Float32Array.of(1, 2, 3).buffer);
const leases: readonly Lease[] = [1, 2, 3].map((id) => ({ id, from: 10 * (id - 1), count: 10 }));

/** A worker whose host and device are in the hands of a test. */
class Bench {
  readonly side = new WorkerSide('', { isPaused: false, isFinishing: false });
  readonly said: ToHost[] = [];
  last: readonly WorkerEffect[] = [];

  constructor(change: Partial<Experiment>, schema: Schema = testSchema) {
    const experiment = { ...defaultExperiment, batch: 10, ...change };
    this.hear({ type: 'welcome', worker: 1, name: 'Wren', token: 'secret' });
    this.hear({ type: 'run', run: RUN, schema: schema.hash, experiment });
    this.do({ type: 'prepared', run: RUN, schema, backend: { name: 'test', why: '' } });
  }

  do(event: WorkerEvent): void {
    this.last = this.side.handle(event, 0);
    for (const effect of this.last) if (effect.type === 'send') this.said.push(effect.message);
  }

  hear(message: ToWorker, body: Uint8Array = NO_BODY): void {
    this.do({ type: 'message', message, body });
  }

  work(some: readonly Lease[], { pauses = 0, due = 0, body = PARAMS } = {}): void {
    this.hear({ type: 'work', run: RUN, version: 0, pauses, leases: [...some], due }, body);
  }

  answer(seq: number, some: readonly Lease[]): void {
    const verdict = { kind: 'applied', staleness: 0 } as const;
    const rest = { verdict, version: seq, pauses: 0, heldMs: 0, isNext: true, leases: [...some], due: 0 };
    this.hear({ type: 'answer', run: RUN, seq, ...rest }, PARAMS);
  }

  computed(task: number): void {
    const numbers = { loss: 1, correct: null, decodeMs: 0, computeMs: 0, readMs: 0 };
    this.do({ type: 'computed', task, result: { gradient: Float32Array.of(1, 1, 1), ...numbers } });
  }

  /** The examples that are to be computed since the last event. */
  get computing(): readonly number[] {
    return this.last.flatMap((effect) => (effect.type === 'compute' ? [effect.lease.from] : []));
  }

  get types(): readonly string[] {
    return this.said.map(({ type }) => type);
  }
}

describe('a worker', () => {
  it('W5: drops what was given before the host heard of its last pause', () => {
    const bench = new Bench({});
    bench.do({ type: 'settings', isPaused: true, isFinishing: false });
    bench.do({ type: 'settings', isPaused: false, isFinishing: false });
    expect(bench.types).toEqual(['ready', 'pause', 'resume']);
    bench.work(leases.slice(0, 2), { pauses: 0 });
    expect(bench.computing).toEqual([]);
    bench.work(leases.slice(1, 3), { pauses: 1 });
    expect(bench.computing).toEqual([10]);
  });

  it('P3: tells of a step that failed in its turn, after the answer to the push before it', () => {
    const bench = new Bench({ strategy: 'async', overlap: true });
    bench.work(leases);
    bench.computed(1);
    expect(bench.computing).toEqual([10]);
    bench.do({ type: 'failed', task: 2, text: 'the loss is not finite' });
    expect(bench.types).toEqual(['ready', 'push']);
    bench.answer(1, []);
    expect(bench.said.at(-1)).toEqual({ type: 'trouble', run: RUN, lease: 2, text: 'the loss is not finite' });
  });

  it('S5: with overlap has one push under way at a time', () => {
    const bench = new Bench({ strategy: 'async', overlap: true });
    bench.work(leases);
    bench.computed(1);
    bench.computed(2);
    expect(bench.types).toEqual(['ready', 'push']);
    bench.answer(1, []);
    expect(bench.said.slice(1)).toMatchObject([
      { type: 'push', seq: 1, lease: 1, version: 0 },
      { type: 'push', seq: 2, lease: 2, version: 0 },
    ]);
    expect(bench.computing).toEqual([20]);
  });

  it('D4, K5: a lease whose examples cannot be read is told as trouble, and the worker is there for another', () => {
    const bench = new Bench({}, keyedTestSchema);
    bench.work(leases.slice(0, 2), { due: 1, body: NO_BODY });
    bench.do({ type: 'no-keys', run: RUN, lease: 1, text: 'the file has changed' });
    expect(bench.said.at(-1)).toEqual({ type: 'trouble', run: RUN, lease: 1, text: 'the file has changed' });
    bench.work(leases.slice(2), { due: 2, body: NO_BODY });
    bench.do({ type: 'keys', run: RUN, lease: 2, keys: Uint32Array.of(3, 5) });
    expect(bench.said.at(-1)).toEqual({ type: 'pull', run: RUN, lease: 2, count: 2 });
  });
});
