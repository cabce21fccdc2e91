import { describe, expect, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { SendWindow } from './send-window.ts';

const FRAME_BYTES = 65_508;

/**
 * A sender that always has more to send over a wire with a rate and a delay, in virtual time; a receiver may stall.
 * Gives what came through, and how long marks took once the window had settled.
 */
function simulate({
  bytesPerMs,
  roundTripMs,
  untilMs,
  stallMs = 0,
}: {
  bytesPerMs: number;
  roundTripMs: number;
  untilMs: number;
  stallMs?: number;
}) {
  const window = new SendWindow();
  let nowMs = 0;
  let freeMs = 0;
  let maxInFlightBytes = 0;
  const marks: { at: number; sentMs: number; backMs: number }[] = [];
  const delays: number[] = [];
  while (nowMs < untilMs) {
    for (;;) {
      const at = window.nextMark(1e9, nowMs);
      if (at !== null) {
        const backMs = Math.max(nowMs, freeMs, stallMs) + roundTripMs;
        marks.push({ at, sentMs: nowMs, backMs });
      }
      if (!window.hasRoom()) break;
      window.sent(FRAME_BYTES);
      freeMs = Math.max(nowMs, freeMs) + FRAME_BYTES / bytesPerMs;
    }
    maxInFlightBytes = Math.max(maxInFlightBytes, window.inFlightBytes);
    const mark = marks.shift();
    if (mark === undefined) throw new Error('stuck: the window is full and no mark is under way');
    nowMs = Math.max(nowMs, mark.backMs);
    if (nowMs > untilMs / 2) delays.push(nowMs - mark.sentMs);
    expect(window.reached(mark.at, nowMs)).toBe(true);
  }
  const sentBytes = Math.min(freeMs, nowMs) * bytesPerMs;
  return { window, maxInFlightBytes, delays, sentBytes, share: sentBytes / (nowMs * bytesPerMs) };
}

describe('the window', () => {
  test.each([
    ['a local network', 60_000, 2],
    ['a good line', 12_500, 30],
    ['a slow line', 1250, 40],
    ['a far line', 2500, 200],
  ])('keeps %s (%d bytes/ms, %d ms round trip) full, with a queue of about 50 ms', (_, bytesPerMs, roundTripMs) => {
    const { window, delays, maxInFlightBytes } = simulate({ bytesPerMs, roundTripMs, untilMs: 20_000 });
    expect(maxInFlightBytes).toBeLessThanOrEqual((1 << 22) + FRAME_BYTES);
    // Full: never fewer bytes under way than the line holds.
    expect(window.bytes).toBeGreaterThanOrEqual(Math.min(1 << 22, bytesPerMs * roundTripMs));
    const longest = Math.max(...delays);
    const floorMs = ((1 << 17) + FRAME_BYTES) / bytesPerMs;
    expect(longest - roundTripMs).toBeLessThan(Math.max(1.6 * 50, floorMs + 1));
  });

  test('on a line of 2 Mbit/s is at its least, so a small message waits half a second and not four', () => {
    const { window, maxInFlightBytes, delays } = simulate({ bytesPerMs: 250, roundTripMs: 20, untilMs: 60_000 });
    expect(window.bytes).toBe(1 << 17);
    expect(maxInFlightBytes).toBeLessThanOrEqual((1 << 19) + FRAME_BYTES);
    expect(Math.max(...delays)).toBeLessThan(900);
  });

  test('bounds what a receiver that stalls must hold, and recovers when it goes on', () => {
    const { window, maxInFlightBytes } = simulate({
      bytesPerMs: 50_000,
      roundTripMs: 2,
      untilMs: 30_000,
      stallMs: 10_000,
    });
    expect(maxInFlightBytes).toBeLessThanOrEqual((1 << 22) + FRAME_BYTES);
    expect(window.bytes).toBeGreaterThan(1 << 20);
  });

  test('does not grow for a sender that leaves room in it', () => {
    const window = new SendWindow();
    const before = window.bytes;
    for (let i = 0; i < 100; i++) {
      window.hasRoom();
      window.sent(before / 2);
      const at = window.nextMark(0, i);
      expect(at).not.toBeNull();
      window.reached(at ?? 0, i + 1);
    }
    expect(window.bytes).toBe(before);
  });

  test('knows a mark that was never sent', () => {
    const window = new SendWindow();
    window.sent(1 << 18);
    const at = window.nextMark(0, 0) ?? 0;
    expect(window.reached(at + 1, 1)).toBe(false);
    expect(window.reached(at, 1)).toBe(true);
    expect(window.reached(at, 2)).toBe(false);
  });

  for (const seed of [1, 2, 3, 4]) {
    test(`never gets stuck, whatever the delays and however answers are joined, seed ${seed}`, () => {
      const random = rng(seed, 'window');
      const window = new SendWindow();
      const marks: number[] = [];
      let nowMs = 0;
      for (let turn = 0; turn < 1000; turn++) {
        for (;;) {
          const at = window.nextMark(random.below(1 << 22), nowMs);
          if (at !== null) marks.push(at);
          if (!window.hasRoom() || random.below(20) === 0) break;
          window.sent(1 + random.below(FRAME_BYTES));
        }
        expect(window.hasRoom() || marks.length > 0).toBe(true);
        nowMs += random.below(3) === 0 ? random.below(2000) : random.uniform();
        if (marks.length > 0 && random.below(2) === 0) {
          const count = 1 + random.below(marks.length);
          expect(window.reached(marks.splice(0, count).at(-1) ?? 0, nowMs)).toBe(true);
        }
        expect(window.inFlightBytes).toBeLessThanOrEqual((1 << 22) + FRAME_BYTES);
      }
    });
  }
});
