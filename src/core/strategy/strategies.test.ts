import { describe, expect, it } from 'vitest';
import { Rig } from '../server/server-for-tests.ts';

const joined = (rig: Rig, links: readonly number[]) => {
  for (const link of links) rig.join(link);
  return rig;
};

describe('async', () => {
  it('S5: answers what is older than maxStaleness as stale, and deals its examples again', () => {
    const rig = joined(new Rig({ strategy: 'async', workers: 2, maxStaleness: 1 }), [1, 2]);
    const [late] = rig.workers.get(2)?.leases ?? [];
    for (let i = 0; i < 2; i++) rig.push(1);
    rig.push(2);
    expect(rig.verdict(2)).toEqual({ kind: 'stale', staleness: 2 });
    expect(rig.server.run?.version).toBe(2);
    rig.push(1);
    const dealt = rig.sent.flatMap(({ message }) => ('leases' in message ? message.leases : []));
    expect(dealt.filter(({ from }) => from === late?.from)).toHaveLength(2);
  });

  it('S5: inverse damping divides by 1 + staleness', () => {
    const rig = joined(new Rig({ strategy: 'async', workers: 2, damping: 'inverse' }), [1, 2]);
    rig.push(1, [1, 0, 0]);
    rig.push(2, [1, 0, 0]);
    expect(rig.verdict(2)).toEqual({ kind: 'applied', staleness: 1 });
    expect(rig.params).toEqual([-1.5, 0, 0]);
  });

  it('P2, S5: takes a push on the parameters before the last only from workers that overlap', () => {
    for (const overlap of [false, true]) {
      const rig = joined(new Rig({ strategy: 'async', overlap }), [1]);
      rig.push(1);
      rig.push(1, [1, 2, 3], { version: 0 });
      const verdict = overlap ? { kind: 'applied', staleness: 1 } : { kind: 'rejected', reason: 'wrong-version' };
      expect(rig.verdict(1)).toEqual(verdict);
    }
  });
});

describe('bounded staleness', () => {
  it('S7: nobody runs more than `lead` steps ahead of the slowest; the slowest lets the others go on', () => {
    const rig = joined(new Rig({ strategy: 'bounded', workers: 2, lead: 2 }), [1, 2]);
    rig.push(1);
    expect(rig.got(1, 'answer').at(-1)?.isNext).toBe(true);
    rig.push(1);
    expect(rig.got(1, 'answer').at(-1)?.isNext).toBe(false);
    expect(rig.got(1, 'work')).toHaveLength(1);
    rig.push(2);
    expect(rig.got(1, 'work')).toHaveLength(2);
  });

  it('S7: does not wait for a slowest who left, and who joins starts level with the slowest', () => {
    const rig = joined(new Rig({ strategy: 'bounded', workers: 2, lead: 1 }), [1, 2]);
    rig.push(1);
    expect(rig.got(1, 'work')).toHaveLength(1);
    rig.do({ type: 'closed', link: 2 });
    expect(rig.got(1, 'work')).toHaveLength(2);
    rig.push(1);
    rig.join(3);
    rig.push(3);
    expect(rig.got(3, 'answer').at(-1)?.isNext).toBe(false);
  });
});

describe('rounds', () => {
  it('S2: end at the deadline that was asked for', () => {
    const rig = joined(new Rig({ strategy: 'sync', workers: 2, deadline: 2 }), [1, 2]);
    rig.push(1);
    rig.nowMs += 1999;
    rig.do({ type: 'tick' });
    expect(rig.server.run?.version).toBe(0);
    rig.nowMs += 1;
    rig.do({ type: 'tick' });
    expect(rig.server.run?.version).toBe(1);
  });

  it('S2: the number waited for follows the workers that come and go', () => {
    const rig = joined(new Rig({ strategy: 'sync', workers: 2, backup: 1 }), [1, 2]);
    rig.push(1);
    expect(rig.server.run?.version).toBe(1);
    rig.join(3);
    rig.join(4);
    rig.push(1);
    expect(rig.server.run?.version).toBe(1);
    rig.push(3);
    expect(rig.server.run?.version).toBe(1);
    rig.push(4);
    expect(rig.server.run?.version).toBe(2);
  });

  it('S9: the median of three is not moved by one that lies', () => {
    const rig = joined(new Rig({ strategy: 'sync', workers: 3, aggregate: 'median' }), [1, 2, 3]);
    rig.push(1, [1, 1, 1]);
    rig.push(2, [1, 1, 1]);
    rig.push(3, [-9000, 9000, 0]);
    expect(rig.params).toEqual([-1, -1, -1]);
  });

  it('P5: a gradient far larger than those before it is scaled down, and counted', () => {
    const rig = joined(new Rig({ strategy: 'sync', workers: 1 }), [1]);
    for (let i = 0; i < 20; i++) rig.push(1, [0, 1, 0]);
    rig.push(1, [0, 1000, 0]);
    expect(rig.params[1]).toBeCloseTo(-30, 5);
    expect(rig.server.run?.counters.clipped).toBe(1);
  });
});

describe('local steps', () => {
  it('L4, S8: lease all examples of a round at once, and the outer optimizer moves the parameters', () => {
    const rig = joined(new Rig({ strategy: 'local', localSteps: 4, outer: 'nesterov', workers: 1 }), [1]);
    expect(rig.workers.get(1)?.leases.map(({ count }) => count)).toEqual([40, 40]);
    rig.push(1, [1, 0, 0]);
    // Nesterov's first step: 0.7 × (g + 0.9 g).
    expect(rig.params[0]).toBeCloseTo(-1.33, 5);
  });
});

describe('allreduce', () => {
  const lastRing = (rig: Rig, link: number) => rig.got(link, 'ring').at(-1);
  const reduce = (rig: Rig, links: readonly number[], checksum = 5) => {
    for (const link of links) {
      const run = rig.server.run?.run ?? 0;
      rig.say(link, { type: 'reduced', run, ring: lastRing(rig, link)?.ring ?? 0, checksum });
    }
  };
  const pushBare = (rig: Rig, link: number) => {
    const worker = rig.workers.get(link);
    const lease = worker?.leases.shift();
    if (!worker || !lease) throw new Error('nothing to push');
    worker.seq += 1;
    const head = {
      run: rig.server.run?.run ?? 0,
      seq: worker.seq,
      lease: lease.id,
      version: rig.server.run?.version ?? 0,
    };
    const phases = { waitMs: 0, transferMs: 0, decodeMs: 0, computeMs: 0, readMs: 0, encodeMs: 0, sendMs: 0 };
    const rest = { examples: lease.count, loss: 1, correct: null, phases, peerBytes: 7, next: null };
    rig.say(link, { type: 'push', ...head, ...rest });
  };

  it('A3: sends no parameters, and makes a version once every member has the same mean', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 2 }), [1, 2]);
    expect(rig.got(1, 'work')).toMatchObject([{ withParams: false, version: 0 }]);
    expect(lastRing(rig, 1)).toMatchObject({ members: [1, 2], feeds: [], version: 0 });
    pushBare(rig, 1);
    reduce(rig, [1]);
    pushBare(rig, 2);
    expect(rig.server.run?.version).toBe(0);
    reduce(rig, [2]);
    expect(rig.server.run?.version).toBe(1);
    expect(rig.got(1, 'answer')).toMatchObject([{ isNext: true, withParams: false, verdict: { kind: 'applied' } }]);
  });

  it('A4: forms the ring anew without one that left, and applies nothing of the old one', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 3 }), [1, 2, 3]);
    for (const link of [1, 2, 3]) pushBare(rig, link);
    const old = lastRing(rig, 1)?.ring ?? 0;
    reduce(rig, [1, 2]);
    rig.do({ type: 'closed', link: 3 });
    expect(lastRing(rig, 1)).toMatchObject({ members: [1, 2], ring: old + 1 });
    expect(rig.server.run?.version).toBe(0);
    rig.say(1, { type: 'reduced', run: rig.server.run?.run ?? 0, ring: old, checksum: 5 });
    expect(rig.server.run?.version).toBe(0);
    reduce(rig, [1, 2]);
    expect(rig.server.run?.version).toBe(1);
    expect(rig.server.run?.leases.counted).toBe(20);
  });

  it('A1: feeds a late joiner from one who has the parameters', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 1 }), [1]);
    pushBare(rig, 1);
    rig.join(2);
    reduce(rig, [1]);
    expect(lastRing(rig, 2)).toMatchObject({ members: [1, 2], feeds: [{ from: 1, to: 2 }], version: 1 });
    expect(rig.got(2, 'work')).toMatchObject([{ withParams: false }]);
  });

  it('A1: goes on from the host’s copy when nobody has the parameters any more, and says what was lost', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 1 }), [1]);
    pushBare(rig, 1);
    reduce(rig, [1]);
    rig.do({ type: 'closed', link: 1 });
    rig.join(2);
    expect(rig.got(2, 'work')).toMatchObject([{ withParams: true, version: 1 }]);
    expect(rig.server.run?.counters.lost).toBe(1);
  });

  it('A4: leaves out whoever has another mean than the rest, and who cannot be reached', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 3 }), [1, 2, 3]);
    for (const link of [1, 2, 3]) pushBare(rig, link);
    reduce(rig, [1, 2]);
    reduce(rig, [3], 6);
    expect(rig.verdict(3)).toEqual({ kind: 'stale', staleness: 0 });
    expect(lastRing(rig, 1)?.members).toEqual([1, 2]);
    rig.say(1, { type: 'unreachable', run: rig.server.run?.run ?? 0, ring: lastRing(rig, 1)?.ring ?? 0, peer: 2 });
    expect(lastRing(rig, 1)?.members).toEqual([1]);
  });

  it('A5: leaves a worker out that others could not reach three times in a row, until it comes on a new link', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 2 }), [1, 2]);
    const { token } = rig.workers.get(2) ?? { token: '' };
    for (let strikes = 1; strikes <= 3; strikes++) {
      expect(lastRing(rig, 1)?.members).toEqual([1, 2]);
      rig.say(1, { type: 'unreachable', run: rig.server.run?.run ?? 0, ring: lastRing(rig, 1)?.ring ?? 0, peer: 2 });
      expect(lastRing(rig, 1)?.members).toEqual([1]);
      // Its push comes too late, and it is free again.
      pushBare(rig, 2);
      pushBare(rig, 1);
      reduce(rig, [1]);
    }
    expect(lastRing(rig, 1)?.members).toEqual([1]);
    expect(rig.server.workerStates(rig.nowMs)[1]?.trouble).toContain('does not take part');
    rig.join(3, token);
    pushBare(rig, 1);
    reduce(rig, [1]);
    expect(lastRing(rig, 1)?.members).toEqual([1, 2]);
  });

  it('A6: asks one worker for its parameters when they are to be evaluated, and keeps them as the checkpoint', () => {
    const rig = joined(new Rig({ strategy: 'allreduce', workers: 2, evalEvery: 2, optimizer: 'sgd' }), [1, 2]);
    for (let round = 0; round < 2; round++) {
      for (const link of [1, 2]) pushBare(rig, link);
      reduce(rig, [1, 2]);
    }
    const asked = [1, 2].filter((link) => rig.got(link, 'fetch').length > 0);
    expect(asked).toHaveLength(1);
    rig.effects = [];
    const body = new Uint8Array(Float32Array.of(7, 8, 9).buffer);
    rig.say(asked[0] ?? 0, { type: 'state', run: rig.server.run?.run ?? 0, version: 2 }, body);
    expect(rig.effects.map(({ type }) => type)).toEqual(['checkpoint', 'evaluate']);
    expect(rig.params).toEqual([7, 8, 9]);
    expect(rig.server.snapshot(rig.nowMs)?.head.version).toBe(2);
  });
});
