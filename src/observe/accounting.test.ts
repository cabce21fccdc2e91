import { expect, test } from 'vitest';
import { type Rng, rng } from '../core/math/rng.ts';
import { type Kind, kinds } from '../core/wire/protocol.ts';
import { accounting, flowBytes } from './accounting.ts';
import { Queueing } from './bottleneck/queueing-for-tests.ts';
import type { Bytes, WorkerReport } from './run-report.ts';

const [some] = new Queueing({
  strategy: 'sync',
  ownMs: [10],
  linkMs: [1],
  applyMs: 1,
  evaluationMs: 1,
  evalEvery: 100,
  jitter: 0,
  maxStaleness: null,
  isFirstLocal: false,
  isRest: false,
  seed: 1,
}).run(1).workers as [WorkerReport];

function randomBytes(random: Rng): Bytes {
  const byKind = Object.fromEntries(kinds.map((kind) => [kind, random.below(1e9)])) as Record<Kind, number>;
  return { ...byKind, total: kinds.reduce((sum, kind) => sum + byKind[kind], 0) };
}

/** The host's own worker, then others over links that tell more or less. */
const randomWorkers = (random: Rng, count: number): WorkerReport[] =>
  Array.from({ length: count }, (_, worker) => {
    const [bytesUp, bytesDown] = [randomBytes(random), randomBytes(random)];
    const isLocal = worker === 0;
    const told = isLocal ? 0 : random.below(8);
    const bytesSent = bytesDown.total + random.below(2) * random.below(1000);
    const wire = (bytes: number) => (told === 1 ? null : bytes + random.below(1e6));
    const messages = { messagesSent: 1, messagesReceived: 1, roundTripMs: null };
    const channel = { bytesSent, bytesReceived: bytesUp.total, unaccountedBytes: bytesSent - bytesDown.total };
    const wires = { wireBytesSent: wire(bytesSent), wireBytesReceived: wire(bytesUp.total) };
    const transport = told === 0 ? null : { ...messages, ...channel, ...wires };
    return { ...some, worker, isLocal, bytesUp, bytesDown, bytesToPeers: random.below(3) * 500, transport };
  });

test('a flow adds up to what the wire carried, else the channel, else what was counted (seeds 1–200)', () => {
  let wires = 0;
  for (let seed = 1; seed <= 200; seed++) {
    const random = rng(seed);
    const workers = randomWorkers(random, 1 + random.below(6));
    const rows = accounting({ workers }).workers;
    for (const { bytesUp, bytesDown, transport, worker } of workers.slice(1)) {
      const row = rows.find((other) => other.worker === worker) ?? expect.fail();
      const told = transport ?? { bytesSent: null, bytesReceived: null, wireBytesSent: null, wireBytesReceived: null };
      for (const [flow, { total }, channel, wire] of [
        [row.sent, bytesUp, told.bytesReceived, told.wireBytesReceived],
        [row.received, bytesDown, told.bytesSent, told.wireBytesSent],
      ] as const) {
        expect(kinds.reduce((sum, kind) => sum + flow[kind], 0)).toBe(total);
        expect(flowBytes(flow)).toBe(wire ?? channel ?? total);
        expect([flow.unaccounted === null, flow.overhead === null]).toEqual([channel === null, wire === null]);
        wires += wire === null ? 0 : 1;
      }
    }
  }
  expect(wires).toBeGreaterThan(400);
});

test('what workers sent the host received, and the other way round (seeds 1–100)', () => {
  for (let seed = 1; seed <= 100; seed++) {
    const workers = randomWorkers(rng(seed), 5);
    const { host, workers: rows } = accounting({ workers });
    expect(rows.map(({ node }) => node)).toEqual(['worker 1', 'worker 2', 'worker 3', 'worker 4']);
    for (const kind of kinds) {
      expect(host.received[kind]).toBe(rows.reduce((sum, { sent }) => sum + sent[kind], 0));
      expect(host.sent[kind]).toBe(rows.reduce((sum, { received }) => sum + received[kind], 0));
    }
    const isTold = rows.every(({ sent }) => sent.unaccounted !== null);
    expect(host.received.unaccounted === null).toBe(!isTold);
  }
});

test('what the channel carried and nobody counted is a line of its own', () => {
  const bytes = { ...some.bytesDown, control: 100, parameters: 900, gradients: 0, data: 0, total: 1000 };
  const counts = { messagesSent: 1, messagesReceived: 1, roundTripMs: null, unaccountedBytes: 7 };
  const wires = { wireBytesSent: 1100, wireBytesReceived: null };
  const transport = { ...counts, ...wires, bytesSent: 1007, bytesReceived: 1000 };
  const { workers } = accounting({ workers: [{ ...some, bytesUp: bytes, bytesDown: bytes, transport }] });
  const { sent, received } = workers[0] ?? expect.fail();
  expect(received).toMatchObject({ unaccounted: 7, overhead: 93 });
  expect(sent).toMatchObject({ unaccounted: 0, overhead: null });
  expect([flowBytes(sent), flowBytes(received)]).toEqual([1000, 1100]);
});

test('bytes straight from worker to worker are beside those of the host', () => {
  const { betweenWorkers, host } = accounting({ workers: [{ ...some, worker: 3, bytesToPeers: 5000 }] });
  expect(betweenWorkers).toEqual([{ node: 'worker 3', worker: 3, bytes: 5000 }]);
  expect(flowBytes(host.received)).toBe(some.bytesUp.total);
});
