import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { type Conditions, unhindered } from '../../experiment/emulation.ts';
import { type EmulatedLink, emulate } from './emulate.ts';
import { HIGH_WATER_BYTES, type Link, LOW_WATER_BYTES, MAX_FRAME_BYTES } from './link.ts';
import { memoryPair } from './memory-for-tests.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const now = () => performance.now();

function pair(conditions: Partial<Conditions>, seed = 1): { near: EmulatedLink; far: Link } {
  const [a, far] = memoryPair();
  const near = emulate(a, rng(seed), now);
  near.setConditions({ ...unhindered, ...conditions });
  return { near, far };
}

const frameOf = (bytes: number, number = 0): ArrayBuffer => {
  const frame = new ArrayBuffer(bytes);
  new DataView(frame).setUint32(0, number);
  return frame;
};

/** Numbers and times of the frames that come. */
function record(link: Link): { number: number; atMs: number; bytes: number }[] {
  const seen: { number: number; atMs: number; bytes: number }[] = [];
  const startMs = now();
  link.onFrame = (frame) => {
    seen.push({ number: new DataView(frame).getUint32(0), atMs: now() - startMs, bytes: frame.byteLength });
  };
  return seen;
}

/** Sends all it can whenever there is room, as a messenger does. */
function pour(link: Link): { maxBufferedBytes: number } {
  const stats = { maxBufferedBytes: 0 };
  let number = 0;
  link.onLow = () => {
    expect(link.bufferedBytes).toBeLessThanOrEqual(LOW_WATER_BYTES);
    while (link.bufferedBytes < HIGH_WATER_BYTES) link.send(frameOf(MAX_FRAME_BYTES, number++));
    stats.maxBufferedBytes = Math.max(stats.maxBufferedBytes, link.bufferedBytes);
  };
  link.onLow();
  return stats;
}

describe('latency', () => {
  test('meets a frame on its way out and an answer on its way in', async () => {
    const { near, far } = pair({ latencyMs: 40 });
    far.onFrame = (frame) => far.send(frame);
    const seen = record(near);
    near.send(frameOf(100));
    await vi.advanceTimersByTimeAsync(79);
    expect(seen).toEqual([]);
    await vi.advanceTimersByTimeAsync(2);
    expect(seen).toHaveLength(1);
  });

  test('keeps no frame waiting for another', async () => {
    const { near, far } = pair({ latencyMs: 40 });
    const seen = record(far);
    for (let i = 0; i < 50; i++) {
      near.send(frameOf(1000, i));
      await vi.advanceTimersByTimeAsync(1);
    }
    await vi.advanceTimersByTimeAsync(50);
    for (const { number, atMs } of seen) expect(Math.abs(atMs - number - 40)).toBeLessThanOrEqual(1);
  });

  test('also delays the news that the other side has gone, after what it sent', async () => {
    const { near, far } = pair({ latencyMs: 40 });
    const seen = record(near);
    const ends: string[] = [];
    near.onClose = (reason) => ends.push(reason);
    far.send(frameOf(8, 7));
    await vi.advanceTimersByTimeAsync(1);
    far.close();
    await vi.advanceTimersByTimeAsync(38);
    expect([seen.length, ends.length]).toEqual([0, 0]);
    await vi.advanceTimersByTimeAsync(3);
    expect([seen.length, ends.length]).toEqual([1, 1]);
  });
});

describe('bandwidth', () => {
  for (const mbps of [2, 100, 1000]) {
    test(`${mbps} Mbit/s are ${mbps / 8} MB/s within 5 %, whatever the latency, and the sender is held back`, async () => {
      const { near, far } = pair({ mbps, latencyMs: 30 });
      const seen = record(far);
      const stats = pour(near);
      const seconds = mbps === 2 ? 20 : 1;
      await vi.advanceTimersByTimeAsync(seconds * 1000 + 30);
      const bytes = seen.reduce((sum, frame) => sum + frame.bytes, 0);
      const wanted = (mbps * 1e6 * seconds) / 8;
      expect(Math.abs(bytes / wanted - 1)).toBeLessThan(0.05);
      expect(stats.maxBufferedBytes).toBeLessThanOrEqual(HIGH_WATER_BYTES + MAX_FRAME_BYTES);
      near.close();
      far.close();
    });
  }

  test('timers that come up to 16 ms late do not make it less', async () => {
    const exact = globalThis.setTimeout;
    vi.stubGlobal('setTimeout', (run: () => void, ms: number) => exact(run, Math.ceil((ms + 1) / 16) * 16));
    const { near, far } = pair({ mbps: 400 });
    const seen = record(far);
    pour(near);
    await vi.advanceTimersByTimeAsync(1000);
    vi.unstubAllGlobals();
    const bytes = seen.reduce((sum, frame) => sum + frame.bytes, 0);
    expect(Math.abs(bytes / 50e6 - 1)).toBeLessThan(0.05);
    near.close();
  });

  test('is shared by what comes in, each way for itself', async () => {
    const { near, far } = pair({ mbps: 8 });
    const seen = [record(near), record(far)];
    for (let i = 0; i < 10; i++) {
      near.send(frameOf(10_000, i));
      far.send(frameOf(10_000, i));
    }
    await vi.advanceTimersByTimeAsync(101);
    expect(seen.map((frames) => frames.map(({ atMs }) => Math.round(atMs / 10)))).toEqual([
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ]);
  });
});

describe('loss', () => {
  for (const seed of [1, 2, 3]) {
    test(`delays frames and what is behind them, in order, and alike for the same seed ${seed}`, async () => {
      const runs: unknown[] = [];
      for (let run = 0; run < 2; run++) {
        const { near, far } = pair({ loss: 0.1, latencyMs: 20 }, seed);
        const seen = record(far);
        for (let i = 0; i < 200; i++) {
          near.send(frameOf(1000, i));
          await vi.advanceTimersByTimeAsync(5);
        }
        await vi.advanceTimersByTimeAsync(200);
        expect(seen.map(({ number }) => number)).toEqual(Array.from({ length: 200 }, (_, i) => i));
        const delays = seen.map(({ number, atMs }) => Math.round(atMs - number * 5));
        // Unharmed, lost itself (one more round trip and the 50 ms until it is noticed), or behind a lost one.
        expect(Math.min(...delays)).toBeGreaterThanOrEqual(20);
        expect(Math.max(...delays)).toBeLessThanOrEqual(20 + 40 + 50 + 1);
        const lost = delays.filter((delay) => delay >= 109).length;
        expect(lost).toBeGreaterThan(5);
        expect(lost).toBeLessThan(40);
        runs.push(delays);
      }
      expect(runs[0]).toEqual(runs[1]);
    });
  }
});

describe('cuts', () => {
  test('come as often as asked on average, for both sides (200 links)', async () => {
    const ends: number[] = [];
    const startMs = now();
    let farEnds = 0;
    for (let seed = 0; seed < 200; seed++) {
      const { near, far } = pair({ cutEverySeconds: 30 }, seed);
      near.onClose = () => ends.push(now() - startMs);
      far.onClose = () => {
        farEnds += 1;
      };
    }
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect([ends.length, farEnds]).toEqual([200, 200]);
    const mean = ends.reduce((sum, ms) => sum + ms, 0) / ends.length;
    expect(mean / 30_000).toBeGreaterThan(0.85);
    expect(mean / 30_000).toBeLessThan(1.15);
  });

  test('leave no timer behind, nor does an end', async () => {
    const { near, far } = pair({ cutEverySeconds: 30, latencyMs: 10, mbps: 1 });
    for (let i = 0; i < 8; i++) near.send(frameOf(MAX_FRAME_BYTES));
    far.onFrame = () => {};
    near.close();
    await vi.advanceTimersByTimeAsync(1001);
    expect(vi.getTimerCount()).toBe(0);
  });
});

test('what was sent just before the end still arrives when there is time for it', async () => {
  const { near, far } = pair({ latencyMs: 100 });
  const seen = record(far);
  near.send(frameOf(10, 5));
  near.close();
  await vi.advanceTimersByTimeAsync(101);
  expect(seen).toHaveLength(1);
});

test('without a bandwidth limit a sender still has a bounded number of bytes under way', async () => {
  const { near, far } = pair({ latencyMs: 500 });
  const seen = record(far);
  pour(near);
  await vi.advanceTimersByTimeAsync(499);
  expect(near.bufferedBytes).toBeGreaterThanOrEqual(HIGH_WATER_BYTES);
  await vi.advanceTimersByTimeAsync(2);
  expect(seen.length * MAX_FRAME_BYTES).toBeLessThanOrEqual((6 << 20) + MAX_FRAME_BYTES);
  near.close();
});
