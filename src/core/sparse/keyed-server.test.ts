import { describe, expect, it } from 'vitest';
import { decodeCheckpoint, encodeCheckpoint } from '../server/checkpoint.ts';
import { type FakeWorker, keyedTestSchema, Rig } from '../server/server-for-tests.ts';
import { NO_BODY } from '../wire/message.ts';
import { encodeKeys, maxKeyBytes } from './key-coding.ts';

const coded = (keys: readonly number[]) => {
  const bytes = new Uint8Array(maxKeyBytes(keys.length));
  return bytes.slice(0, encodeKeys(Uint32Array.from(keys), keys.length, bytes));
};
const floats = (values: readonly number[]) => new Uint8Array(Float32Array.from(values).buffer);

/** A worker that says what it touches by hand. */
class KeyedRig extends Rig {
  constructor(experiment: ConstructorParameters<typeof Rig>[0], options: ConstructorParameters<typeof Rig>[1] = {}) {
    super({ batch: 4, ...experiment }, { schema: keyedTestSchema, ...options });
  }

  pull(link: number, keys: readonly number[], lease = this.#worker(link).leases[0]?.id ?? 0): void {
    const run = this.server.run?.run ?? 0;
    this.say(link, { type: 'pull', run, lease, count: keys.length }, coded(keys));
  }

  /** Pushes for the oldest lease, and tells the keys of the one after it. */
  give(link: number, values: readonly number[], next: readonly number[] = []): void {
    const bytes = coded(next);
    const lease = this.#worker(link).leases[1]?.id ?? 0;
    const body = new Uint8Array(4 * values.length + bytes.length);
    body.set(floats(values));
    body.set(bytes, 4 * values.length);
    const head = next.length === 0 ? null : { lease, count: next.length, bytes: bytes.length };
    this.pushBody(link, body, { next: head });
  }

  /** What the last `work` or `answer` carried: the values of the keys of what was due. */
  values(link: number): number[] {
    const last = this.sent.filter(({ link: to, message }) => to === link && 'due' in message).at(-1);
    if (!last?.withParams || !('due' in last.message)) return [];
    return [...new Float32Array(this.server.run?.outgoing(last.message.due).slice().buffer ?? NO_BODY.buffer)];
  }

  #worker(link: number): FakeWorker {
    return this.workers.get(link) as FakeWorker;
  }
}

describe('parameters with keys', () => {
  it('K1: the first step needs a pull; afterwards the answer to a push has the values of the keys it told', () => {
    const rig = new KeyedRig({ strategy: 'async' });
    rig.join(1);
    expect(rig.got(1, 'work')).toMatchObject([{ withParams: false, due: 1 }]);
    rig.pull(1, [3, 5]);
    expect(rig.got(1, 'work').at(-1)).toMatchObject({ withParams: true, due: 1, leases: [] });
    expect(rig.values(1)).toEqual([0, 0]);
    rig.give(1, [1, 2], [5, 39]);
    expect(rig.verdict(1)).toEqual({ kind: 'applied', staleness: 0 });
    expect(rig.got(1, 'answer').at(-1)).toMatchObject({ withParams: true, isNext: true, due: 2 });
    expect(rig.values(1)).toEqual([-2, 0]);
    expect([rig.params[3], rig.params[5], rig.params[39]]).toEqual([-1, -2, 0]);
  });

  it('K6: the mean of a round is over all keys that anybody touched, weighted by examples, zero where one has none', () => {
    const rig = new KeyedRig({ strategy: 'sync', workers: 2 });
    for (const link of [1, 2]) rig.join(link);
    rig.pull(1, [1, 2]);
    rig.pull(2, [2, 7]);
    rig.give(1, [4, 4], [0]);
    expect(rig.server.run?.version).toBe(0);
    rig.give(2, [2, 8], [0]);
    expect([1, 2, 7].map((key) => rig.params[key])).toEqual([-2, -3, -4]);
    expect(rig.params.filter((value) => value !== 0)).toHaveLength(3);
  });

  it('K3: keys are remembered only while their lease is held', () => {
    const rig = new KeyedRig({ strategy: 'async' });
    rig.join(1);
    rig.pull(1, [3, 5]);
    rig.give(1, [1, 1], [4]);
    expect(rig.server.run?.keys?.of(1)).toBeNull();
    expect(rig.server.run?.keys?.size).toBe(1);
    rig.do({ type: 'closed', link: 1 });
    expect(rig.server.run?.keys?.size).toBe(0);
  });

  it.each([
    ['keys that do not rise', 2, [0, 0x80]],
    ['a key beyond the last', 1, [40]],
    ['more keys than the lease can touch', 5, [0, 0, 0, 0, 0]],
    ['fewer bytes than keys', 3, [1, 1]],
    ['bytes left over', 1, [1, 1]],
    ['no keys at all', 0, []],
  ])('K4: %s in a pull end the link', (_, count, bytes) => {
    const rig = new KeyedRig({ strategy: 'async' });
    rig.join(1);
    const run = rig.server.run?.run ?? 0;
    rig.say(1, { type: 'pull', run, lease: 1, count }, Uint8Array.from(bytes));
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'garbled' }]);
    expect(rig.server.run?.keys?.size).toBe(0);
  });

  it('K4: a push whose keys to come make no sense changes nothing and ends the link', () => {
    const rig = new KeyedRig({ strategy: 'async' });
    rig.join(1);
    rig.pull(1, [3]);
    rig.pushBody(1, floats([1, 1]), { next: { lease: 2, count: 1, bytes: 4 } });
    expect(rig.got(1, 'bye')).toMatchObject([{ reason: 'garbled' }]);
    expect(rig.params.every((value) => value === 0)).toBe(true);
  });

  it('P1: numbers for more or fewer keys than were told, or for a lease whose keys were not, are of the wrong size', () => {
    for (const numbers of [[], [1], [1, 1, 1]]) {
      const rig = new KeyedRig({ strategy: 'async' });
      rig.join(1);
      rig.pull(1, [3, 5]);
      rig.give(1, numbers);
      expect(rig.verdict(1)).toEqual({ kind: 'rejected', reason: 'wrong-size' });
    }
    const rig = new KeyedRig({ strategy: 'async' });
    rig.join(1);
    rig.pushBody(1, NO_BODY, { version: 0 });
    expect(rig.verdict(1)).toEqual({ kind: 'rejected', reason: 'wrong-size' });
  });

  it('K1: one pull for one lease: a second is not answered', () => {
    const rig = new KeyedRig({ strategy: 'async' });
    rig.join(1);
    rig.pull(1, [3]);
    rig.pull(1, [4]);
    expect(rig.got(1, 'work')).toHaveLength(2);
    expect(rig.server.run?.keys?.of(1)).toEqual(Uint32Array.of(3));
  });

  it('K5: whose lease was taken back before it told the keys gets another at once, and is told which', () => {
    const rig = new KeyedRig({ strategy: 'sync', workers: 2, deadline: 5 });
    for (const link of [1, 2]) rig.join(link);
    rig.pull(1, [1]);
    rig.give(1, [1], [2]);
    rig.nowMs += 6000;
    rig.do({ type: 'tick' });
    expect(rig.server.run?.version).toBe(1);
    const taken = rig.workers.get(2)?.leases[0]?.id ?? 0;
    rig.pull(2, [6], taken);
    rig.give(1, [1], [3]);
    const due = rig.got(2, 'work').at(-1)?.due;
    expect(due).not.toBe(taken);
    expect(rig.server.run?.leases.heldBy(2)[0]?.id).toBe(due);
  });

  it('R3: a run that stops on its test loss ends with the parameters that met it, without a copy of all', () => {
    const rig = new KeyedRig({ strategy: 'async', untilLoss: 0.5, evalEvery: 2 }, { evaluates: false });
    rig.join(1);
    const { run } = rig.server;
    if (!run) throw new Error('no run');
    const evaluate = (version: number, loss: number) =>
      rig.do({ type: 'evaluated', run: run.run, version, loss, accuracy: 1, precisions: [] });
    evaluate(0, 1);
    rig.pull(1, [3, 5]);
    rig.give(1, [1, 2], [3, 9]);
    rig.give(1, [1, 1], [3, 9]);
    const atLook = rig.params;
    rig.give(1, [5, 5], [3]);
    expect(rig.params).not.toEqual(atLook);
    evaluate(2, 0.4);
    expect(rig.params).toEqual(atLook);
    expect(run.counters.dropped).toBe(1);
  });

  it('K7: a checkpoint has what was touched and brings back parameters and optimizer state', () => {
    const experiment = { strategy: 'async', optimizer: 'ftrl', l1: 3 } as const;
    const rig = new KeyedRig(experiment);
    rig.join(1);
    rig.pull(1, [3, 39]);
    rig.give(1, [1, 5], [0]);
    const snapshot = rig.server.snapshot(rig.nowMs);
    if (!snapshot) throw new Error('no snapshot');
    const saved = decodeCheckpoint(encodeCheckpoint(snapshot, rig.server.run?.touched ?? null), keyedTestSchema.size);
    // Key 3 is still zero, by l1, but not its state.
    expect(saved.keys).toEqual(Uint32Array.of(3, 39));
    const again = new KeyedRig(experiment, { saved });
    expect(again.params).toEqual(rig.params);
    expect(again.server.run?.optimizer.slots).toEqual(rig.server.run?.optimizer.slots);
  });

  it('K7: a checkpoint of a run that touched nothing yet can be gone on from', () => {
    const rig = new KeyedRig({ strategy: 'async' });
    const snapshot = rig.server.snapshot(rig.nowMs);
    if (!snapshot) throw new Error('no snapshot');
    const saved = decodeCheckpoint(encodeCheckpoint(snapshot, rig.server.run?.touched ?? null), keyedTestSchema.size);
    expect(new KeyedRig({ strategy: 'async' }, { saved }).params.every((value) => value === 0)).toBe(true);
  });
});
