import { describe, expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { decodeCheckpoint, encodeCheckpoint } from './checkpoint.ts';
import { Rig, testSchema } from './server-for-tests.ts';

describe('sync', () => {
  it('S1, P4, R1: waits for the workers it needs, then averages by examples and answers each once with fresh parameters', () => {
    const rig = new Rig({ strategy: 'sync', workers: 2 });
    rig.join(1);
    expect(rig.phase).toBe('waiting');
    rig.join(2);
    expect(rig.phase).toBe('running');
    rig.push(1, [2, 0, 0]);
    expect(rig.server.run?.version).toBe(0);
    expect(rig.got(1, 'answer')).toHaveLength(0);
    rig.push(2, [4, 0, 0]);
    expect(rig.params).toEqual([-3, 0, 0]);
    for (const link of [1, 2]) {
      expect(rig.got(link, 'answer')).toMatchObject([
        { seq: 1, version: 1, withParams: true, verdict: { kind: 'applied', staleness: 0 } },
      ]);
    }
  });

  it('S3: deals one big batch: round r of n workers takes the next n × batch examples in order', () => {
    const rig = new Rig({ strategy: 'sync', workers: 3 });
    for (const link of [1, 2, 3]) rig.join(link);
    for (let round = 0; round < 4; round++) {
      const starts = [1, 2, 3].map((link) => rig.workers.get(link)?.leases[0]?.from);
      expect(starts).toEqual([30 * round, 30 * round + 10, 30 * round + 20]);
      for (const link of [3, 1, 2]) rig.push(link);
    }
  });

  it('S1: adds gradients in the same order however they arrive', () => {
    const run = (order: number[]) => {
      const rig = new Rig({ strategy: 'sync', workers: 3 });
      for (const link of [1, 2, 3]) rig.join(link);
      const random = rng(1);
      const gradients = new Map([1, 2, 3].map((link) => [link, [random.normal() * 1e3, random.normal(), 1e-3]]));
      for (const link of order) rig.push(link, gradients.get(link));
      return rig.params;
    };
    expect(run([3, 1, 2])).toEqual(run([1, 2, 3]));
    expect(run([2, 3, 1])).toEqual(run([1, 2, 3]));
  });

  it('S2: goes on without its backup workers; the late push is stale and its examples go to another', () => {
    const rig = new Rig({ strategy: 'sync', workers: 3, backup: 1 });
    for (const link of [1, 2, 3]) rig.join(link);
    const late = rig.workers.get(3)?.leases[0]?.from;
    rig.push(1);
    rig.push(2);
    expect(rig.server.run?.version).toBe(1);
    rig.push(3);
    expect(rig.verdict(3)).toEqual({ kind: 'stale', staleness: 1 });
    rig.push(1);
    rig.push(2);
    const dealt = rig.sent.flatMap(({ message }) => ('leases' in message ? message.leases : []));
    expect(dealt.filter((lease) => lease.from === late)).toHaveLength(2);
  });

  it('S2: ends a round at its deadline with those who delivered', () => {
    const rig = new Rig({ strategy: 'sync', workers: 2 });
    rig.join(1);
    rig.join(2);
    rig.push(1, [1, 1, 1]);
    rig.nowMs += 29_000;
    rig.do({ type: 'tick' });
    expect(rig.server.run?.version).toBe(0);
    rig.nowMs += 2_000;
    rig.do({ type: 'tick' });
    expect(rig.server.run?.version).toBe(1);
    expect(rig.params).toEqual([-1, -1, -1]);
    rig.push(2, [9, 9, 9]);
    expect(rig.verdict(2)).toEqual({ kind: 'stale', staleness: 1 });
    expect(rig.params).toEqual([-1, -1, -1]);
  });

  it.each([
    [2, {}],
    [3, { strategy: 'async', overlap: true } as const],
  ])('L3: a worker holds %i leases with %j', (count, change) => {
    const rig = new Rig({ strategy: 'sync', workers: 1, ...change });
    rig.join(1);
    for (let pushes = 0; pushes < 3; pushes++) {
      expect(rig.server.run?.leases.heldBy(1)).toHaveLength(count);
      rig.push(1);
    }
  });

  it('L3: does not wait for a worker that left, and keeps what it had delivered', () => {
    const rig = new Rig({ strategy: 'sync', workers: 3 });
    for (const link of [1, 2, 3]) rig.join(link);
    rig.push(1, [3, 0, 0]);
    rig.do({ type: 'closed', link: 1 });
    rig.push(2, [3, 0, 0]);
    expect(rig.server.run?.version).toBe(0);
    rig.do({ type: 'closed', link: 3 });
    expect(rig.server.run?.version).toBe(1);
    expect(rig.params).toEqual([-3, 0, 0]);
    expect(rig.server.run?.leases.counted).toBe(20);
  });

  it('S4: takes a late joiner into the next round', () => {
    const rig = new Rig({ strategy: 'sync', workers: 1 });
    rig.join(1);
    rig.join(2);
    expect(rig.got(2, 'work')).toHaveLength(0);
    rig.push(1);
    expect(rig.got(2, 'work')).toMatchObject([{ version: 1, withParams: true }]);
  });
});

describe('async', () => {
  it('S5: applies every push at once and counts its staleness', () => {
    const rig = new Rig({ strategy: 'async', workers: 2 });
    rig.join(1);
    rig.join(2);
    rig.push(1, [1, 0, 0]);
    expect(rig.verdict(1)).toEqual({ kind: 'applied', staleness: 0 });
    rig.push(1, [1, 0, 0]);
    rig.push(2, [1, 0, 0]);
    expect(rig.verdict(2)).toEqual({ kind: 'applied', staleness: 2 });
    expect(rig.params).toEqual([-3, 0, 0]);
    expect(rig.got(2, 'answer').at(-1)).toMatchObject({ version: 3, withParams: true });
  });
});

describe('single', () => {
  it('S6: trains with the host’s own worker only', () => {
    const rig = new Rig({ strategy: 'single', workers: 3 });
    rig.join(1);
    expect(rig.phase).toBe('waiting');
    rig.join(0);
    expect(rig.phase).toBe('running');
    rig.push(0);
    expect(rig.server.run?.version).toBe(1);
    expect(rig.got(1, 'work')).toHaveLength(0);
  });
});

describe('pushes', () => {
  const joined = () => {
    const rig = new Rig({ strategy: 'async', workers: 1 });
    rig.join(1);
    return rig;
  };

  it('P2: a repeated push is applied once', () => {
    const rig = joined();
    const lease = rig.workers.get(1)?.leases[0];
    rig.push(1);
    rig.push(1, [1, 2, 3], { seq: 1, lease: lease?.id ?? 0 });
    expect(rig.verdict(1)).toEqual({ kind: 'rejected', reason: 'repeated' });
    expect(rig.params).toEqual([-1, -2, -3]);
  });

  for (const [what, gradient, claim, reason] of [
    ['NaN', [Number.NaN, 0, 0], {}, 'not-finite'],
    ['infinite', [0, Number.POSITIVE_INFINITY, 0], {}, 'not-finite'],
    ['out-of-bound', [0, 0, 2e6], {}, 'not-finite'],
    ['short', [1, 2], {}, 'wrong-size'],
    ['foreign', [1, 2, 3], { lease: 999 }, 'no-lease'],
    ['time-travelling', [1, 2, 3], { version: 7 }, 'wrong-version'],
    ['boasting', [1, 2, 3], { examples: 1000 }, 'wrong-size'],
    ['old', [1, 2, 3], { run: 0 }, 'old-run'],
  ] as const) {
    it(`P1, P3: a ${what} push never reaches the parameters and is answered once`, () => {
      const rig = joined();
      rig.push(1, [...gradient], claim);
      expect(rig.params).toEqual([0, 0, 0]);
      expect(rig.got(1, 'answer')).toHaveLength(1);
      expect(rig.verdict(1)).toEqual({ kind: 'rejected', reason });
    });
  }

  it('P2: what a worker delivered counts once, even if it comes back on a new link and pushes it again', () => {
    const rig = new Rig({ strategy: 'sync', workers: 2 });
    const { token, leases } = rig.join(1);
    rig.join(2);
    const [lease] = leases;
    rig.push(1);
    rig.do({ type: 'closed', link: 1 });
    rig.join(3, token).version = 0;
    rig.push(3, [9, 9, 9], { lease: lease?.id ?? 0, examples: 10 });
    expect(rig.verdict(3)).toEqual({ kind: 'rejected', reason: 'no-lease' });
    rig.push(2);
    expect(rig.params).toEqual([-1, -2, -3]);
    expect(rig.server.run?.leases.counted).toBe(20);
  });

  it('P2: a late push that names another worker’s lease takes nothing from it', () => {
    const rig = new Rig({ strategy: 'sync', workers: 2, backup: 1 });
    rig.join(1);
    rig.join(2);
    rig.push(2);
    rig.join(3);
    const theirs = rig.workers.get(3)?.leases[0]?.id ?? 0;
    rig.push(3);
    // Worker 1 has yet to deliver for the first version.
    rig.push(1, [9, 9, 9], { lease: theirs });
    expect(rig.verdict(1)).toEqual({ kind: 'stale', staleness: 1 });
    rig.push(2);
    expect(rig.params).toEqual([-2, -4, -6]);
    expect(rig.server.run?.leases.counted).toBe(30);
  });

  it('W3, P1: a worker that is not ready yet cannot push', () => {
    const rig = joined();
    const { token } = rig.workers.get(1) ?? { token: '' };
    rig.hello(2, token).version = 0;
    rig.push(2);
    expect(rig.got(2, 'answer')).toMatchObject([{ verdict: { kind: 'rejected', reason: 'no-lease' }, isNext: false }]);
  });

  it('L2: after an unusable push the worker goes on, and its examples are dealt again', () => {
    const rig = joined();
    const first = rig.workers.get(1)?.leases[0]?.from;
    rig.push(1, [Number.NaN, 0, 0]);
    rig.push(1);
    rig.push(1);
    expect(rig.server.run?.version).toBe(2);
    const dealt = rig.sent.flatMap(({ message }) => ('leases' in message ? message.leases : []));
    expect(dealt.filter((lease) => lease.from === first)).toHaveLength(2);
  });

  it('P3: a run in which nothing usable comes any more has diverged and says so', () => {
    const rig = joined();
    for (let i = 0; i < 20; i++) rig.push(1, [Number.NaN, 0, 0]);
    expect(rig.phase).toBe('failed');
    expect(rig.server.run?.stopReason).toBe('diverged');
  });
});

describe('trouble', () => {
  it('L2: a lease that could not be computed goes to another, and the worker gets new work', () => {
    const rig = new Rig({ strategy: 'sync', workers: 2 });
    rig.join(1);
    rig.join(2);
    const lease = rig.workers.get(2)?.leases.shift();
    rig.say(2, { type: 'trouble', run: rig.server.run?.run ?? 0, lease: lease?.id ?? 0, text: 'not a number' });
    rig.push(1);
    expect(rig.server.run?.version).toBe(1);
    expect(rig.server.workerStates(rig.nowMs)[1]).toMatchObject({ trouble: 'not a number', phase: 'computing' });
    const dealt = rig.sent.flatMap(({ message }) => ('leases' in message ? message.leases : []));
    expect(dealt.filter(({ from }) => from === lease?.from)).toHaveLength(2);
  });

  it('P3: a run in which every step is trouble has diverged', () => {
    const rig = new Rig({ strategy: 'async' });
    rig.join(1);
    for (let i = 0; i < 20; i++) {
      const lease = rig.workers.get(1)?.leases.shift();
      rig.say(1, { type: 'trouble', run: rig.server.run?.run ?? 0, lease: lease?.id ?? 0, text: 'NaN' });
    }
    expect(rig.server.run?.stopReason).toBe('diverged');
  });
});

describe('workers come and go', () => {
  it('W2: another schema is refused', () => {
    const rig = new Rig({});
    rig.hello(1);
    rig.say(1, { type: 'ready', run: rig.server.run?.run ?? 0, schema: 'other', backend: '', why: '' });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'schema' }]);
  });

  it('W1: whoever says anything before hello is sent away', () => {
    const rig = new Rig({ strategy: 'async', workers: 1 });
    rig.say(1, { type: 'beat' });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'garbled' }]);
    expect(rig.effects).toContainEqual({ type: 'close', link: 1 });
  });

  it('F4: a link whose frames cannot be trusted is ended with words, and its leases go to others', () => {
    const rig = new Rig({ strategy: 'async', workers: 1 });
    rig.join(1);
    rig.do({ type: 'garbled', link: 1 });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'garbled' }]);
    expect(rig.effects).toContainEqual({ type: 'close', link: 1 });
    expect(rig.server.run?.leases.returns).toBe(2);
  });

  it('W1: another protocol is refused', () => {
    const rig = new Rig({});
    rig.say(1, { type: 'hello', protocol: 99, token: '', name: '', device: '' });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'protocol' }]);
  });

  it('W3: a worker that comes back with its token is the same worker with its counters', () => {
    const rig = new Rig({ strategy: 'async' });
    const { token } = rig.join(1);
    rig.push(1);
    rig.do({ type: 'closed', link: 1 });
    expect(rig.phase).toBe('waiting');
    rig.join(5, token);
    expect(rig.phase).toBe('running');
    rig.push(5);
    expect(rig.server.workerStates(rig.nowMs)).toMatchObject([{ worker: 1, name: 'Wren', applied: 2, examples: 20 }]);
  });

  it('W3: a removed worker stays removed', () => {
    const rig = new Rig({ strategy: 'async' });
    const { token } = rig.join(1);
    rig.do({ type: 'remove', worker: 1 });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'removed' }]);
    rig.hello(2, token);
    expect(rig.got(2, 'bye')).toMatchObject([{ reason: 'removed' }]);
    expect(rig.server.members.size).toBe(0);
  });

  it('W4: a silent worker is dropped and its examples go to another', () => {
    const rig = new Rig({ strategy: 'async', workers: 2 });
    rig.join(1);
    rig.join(2);
    rig.nowMs += 61_000;
    rig.say(2, { type: 'beat' });
    rig.do({ type: 'tick' });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'silent' }]);
    expect(rig.server.run?.leases.returns).toBe(2);
  });

  it('W5: a paused volunteer gets no work until it resumes', () => {
    const rig = new Rig({ strategy: 'async', workers: 2 });
    rig.join(1);
    rig.join(2);
    rig.push(1);
    rig.say(1, { type: 'pause' });
    expect(rig.server.workerStates(rig.nowMs)[0]?.phase).toBe('paused');
    const before = rig.got(1, 'work').length;
    rig.push(2);
    expect(rig.got(1, 'work')).toHaveLength(before);
    rig.say(1, { type: 'resume' });
    expect(rig.got(1, 'work')).toHaveLength(before + 1);
  });
});

describe('a limit on who takes part', () => {
  const crewOfTwo = () => {
    const rig = new Rig({ strategy: 'sync', workers: 2 }, { maxWorkers: 2 });
    for (const link of [1, 2, 3]) rig.join(link);
    return rig;
  };
  const busy = (rig: Rig) => [1, 2, 3].filter((link) => rig.got(link, 'work').length > 0);

  it('R6: only so many get work, the first that are ready; the others stay', () => {
    const rig = crewOfTwo();
    expect(busy(rig)).toEqual([1, 2]);
    rig.push(1);
    rig.push(2);
    expect(rig.server.run?.version).toBe(1);
    expect(rig.got(3, 'bye')).toEqual([]);
  });

  it('R6: another takes the place of one that leaves, and who comes back does not push anybody out', () => {
    const rig = crewOfTwo();
    rig.do({ type: 'closed', link: 1 });
    rig.push(2);
    rig.push(3);
    expect(rig.server.run?.version).toBe(1);
    rig.join(4);
    expect(rig.got(4, 'work')).toEqual([]);
  });

  it('R6: who comes back while the run is paused has lost its place to one that was ready before', () => {
    const rig = crewOfTwo();
    rig.do({ type: 'pause' });
    const { token } = rig.workers.get(1) ?? { token: '' };
    rig.do({ type: 'closed', link: 1 });
    rig.hello(4, token);
    rig.push(2);
    rig.do({ type: 'resume' });
    expect(busy(rig)).toEqual([1, 2, 3]);
  });
});

describe('a run', () => {
  it('L3: what a worker delivered before it was removed counts', () => {
    const rig = new Rig({ strategy: 'sync', workers: 2, epochs: 1 });
    rig.join(1);
    rig.join(2);
    rig.push(1);
    rig.do({ type: 'remove', worker: 1 });
    for (let pushes = 0; pushes < 20 && rig.phase === 'running'; pushes++) rig.push(2);
    expect(rig.phase).toBe('finished');
    expect(rig.server.run?.leases.counted).toBe(100);
  });

  it('R1: waits while nobody is there, and goes on with whoever comes', () => {
    const rig = new Rig({ strategy: 'async', workers: 2 });
    rig.join(1);
    rig.join(2);
    rig.push(1);
    for (const link of [1, 2]) rig.do({ type: 'closed', link });
    expect(rig.phase).toBe('waiting');
    rig.join(3);
    expect(rig.phase).toBe('running');
    expect(rig.got(3, 'work')).toMatchObject([{ version: 1 }]);
  });

  it('R2: stops at the last step exactly, evaluates and finishes', () => {
    const rig = new Rig({ strategy: 'async', workers: 2, maxSteps: 3 });
    rig.join(1);
    rig.join(2);
    for (const link of [1, 2, 1, 2, 1]) rig.push(link);
    expect(rig.server.run?.version).toBe(3);
    expect(rig.phase).toBe('finished');
    expect(rig.server.run?.stopReason).toBe('steps');
    expect(rig.server.run?.test.points.map(({ step }) => step)).toEqual([0, 3]);
  });

  it('L1, R2: counts every example of its epochs once', () => {
    const rig = new Rig({ strategy: 'sync', workers: 3, epochs: 2 });
    for (const link of [1, 2, 3]) rig.join(link);
    for (let guard = 0; guard < 100 && rig.phase === 'running'; guard++) {
      for (const link of [1, 2, 3]) if ((rig.workers.get(link)?.leases.length ?? 0) > 0) rig.push(link);
    }
    expect(rig.phase).toBe('finished');
    expect(rig.server.run?.stopReason).toBe('epochs');
    expect(rig.server.run?.leases.counted).toBe(200);
  });

  it('R3: ends with the parameters that met the test loss, not with those made while they were evaluated', () => {
    const rig = new Rig({ strategy: 'async', evalEvery: 2, untilLoss: 0.5 }, { evaluates: false });
    rig.join(1);
    const run = rig.server.run?.run ?? 0;
    rig.do({ type: 'evaluated', run, version: 0, loss: 2, accuracy: 0.1, precisions: [] });
    for (let i = 0; i < 3; i++) rig.push(1, [1, 0, 0]);
    rig.do({ type: 'evaluated', run, version: 2, loss: 0.4, accuracy: 0.9, precisions: [] });
    expect(rig.phase).toBe('finished');
    expect(rig.params).toEqual([-2, 0, 0]);
    expect(rig.server.runState(rig.nowMs)).toMatchObject({
      stopReason: 'loss',
      version: 2,
      examples: 20,
      counters: { updates: 3, dropped: 1 },
    });
  });

  it('R3: never runs more than one evaluation ahead of the evaluator', () => {
    const rig = new Rig({ strategy: 'async', evalEvery: 2 }, { evaluates: false });
    rig.join(1);
    rig.push(1);
    rig.push(1);
    expect(rig.got(1, 'answer').at(-1)?.withParams).toBe(false);
    rig.nowMs += 500;
    rig.do({ type: 'evaluated', run: rig.server.run?.run ?? 0, version: 0, loss: 1, accuracy: 0, precisions: [] });
    expect(rig.got(1, 'work').at(-1)).toMatchObject({ version: 2, withParams: true });
    expect(rig.server.run?.counters.evaluationHoldMs).toBe(500);
  });

  it('pauses: pushes under way still count, nobody gets work until it goes on, and the clock stands still', () => {
    const rig = new Rig({ strategy: 'async' });
    rig.join(1);
    rig.nowMs += 100;
    rig.do({ type: 'pause' });
    rig.nowMs += 10_000;
    rig.push(1);
    expect(rig.server.run?.version).toBe(1);
    expect(rig.got(1, 'answer')).toMatchObject([{ withParams: false }]);
    expect(rig.server.runState(rig.nowMs)?.elapsedMs).toBe(100);
    rig.do({ type: 'resume' });
    expect(rig.got(1, 'work').at(-1)).toMatchObject({ version: 1, withParams: true });
  });

  it('R4: a new run starts from nothing and the old run’s pushes are refused', () => {
    const rig = new Rig({ strategy: 'async' });
    rig.join(1);
    rig.push(1);
    const old = rig.server.run?.run ?? 0;
    rig.start();
    rig.push(1, [1, 2, 3], { run: old });
    expect(rig.verdict(1)).toEqual({ kind: 'rejected', reason: 'old-run' });
    expect(rig.params).toEqual([0, 0, 0]);
    rig.ready(1);
    expect(rig.phase).toBe('running');
  });

  it('R5: goes on from a checkpoint with the same numbers, epochs and workers', () => {
    const rig = new Rig({ strategy: 'async', optimizer: 'adam', epochs: 1 });
    const { token } = rig.join(1);
    for (let i = 0; i < 4; i++) rig.push(1, [1, -1, i]);
    const snapshot = rig.server.snapshot(rig.nowMs);
    if (!snapshot) throw new Error('no snapshot');
    const bytes = encodeCheckpoint(snapshot, null);
    const params = rig.params;
    const saved = decodeCheckpoint(bytes, testSchema.size);
    const again = new Rig({ strategy: 'async', optimizer: 'adam', epochs: 1 }, { saved });
    expect(again.params).toEqual(params);
    again.join(1, token);
    expect(again.server.workerStates(0)).toMatchObject([{ worker: 1 }]);
    while (again.phase === 'running') again.push(1, [1, -1, 0]);
    expect(again.server.run?.leases.counted).toBe(100);
    expect(again.server.run?.version).toBe(10);
  });
});
