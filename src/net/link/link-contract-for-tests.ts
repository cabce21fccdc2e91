import { describe, expect, onTestFinished, test } from 'vitest';
import { rng } from '../../core/math/rng.ts';
import { checksum } from '../../core/wire/checksum.ts';
import { HIGH_WATER_BYTES, type Link, LOW_WATER_BYTES, MAX_FRAME_BYTES } from './link.ts';

/** Registers the tests that every kind of link passes. `makePair` gives the two ends of a fresh one. */
export function linkContract(name: string, makePair: () => Promise<readonly [Link, Link]>): void {
  const pair = async (): Promise<readonly [Link, Link]> => {
    const links = await makePair();
    onTestFinished(() => {
      for (const link of links) link.close();
    });
    return links;
  };

  describe(`${name} link`, () => {
    test('carries frames in order and unchanged (seed 3)', async () => {
      const [a, b] = await pair();
      const random = rng(3, name);
      const sent: number[] = [];
      const received: number[] = [];
      const done = new Promise<void>((resolve) => {
        b.onFrame = (frame) => {
          received.push(checksum(new Uint8Array(frame)));
          if (received.length === 100) resolve();
        };
      });
      for (let i = 0; i < 100; i++) {
        const frame = frameOf(1 + random.below(i % 2 === 0 ? 100 : MAX_FRAME_BYTES), random.uint32());
        sent.push(checksum(new Uint8Array(frame)));
        a.send(frame);
      }
      await done;
      expect(received).toEqual(sent);
    });

    test('keeps frames and the end for a user who listens late', async () => {
      const [a, b] = await pair();
      for (let i = 0; i < 5; i++) a.send(frameOf(10, i));
      await passTime();
      a.close();
      await passTime();
      const seen: (number | string)[] = [];
      b.onFrame = (frame) => seen.push(seedOf(frame));
      await passTime();
      await new Promise<void>((resolve) => {
        b.onClose = () => {
          seen.push('end');
          resolve();
        };
      });
      expect(seen).toEqual([0, 1, 2, 3, 4, 'end']);
    });

    test('holds a sender back: 8 MB in 64 KiB frames', async () => {
      const [a, b] = await pair();
      const received = receive(b, 128);
      const { maxBufferedBytes, lows } = await pour(a, 128);
      expect(await received).toEqual(Array.from({ length: 128 }, (_, i) => i));
      expect(maxBufferedBytes).toBeGreaterThan(LOW_WATER_BYTES);
      expect(maxBufferedBytes).toBeLessThanOrEqual(HIGH_WATER_BYTES + MAX_FRAME_BYTES);
      expect(lows).toBeGreaterThan(0);
      // A rest may wait for its receipt until more is sent: a thread is not woken for it.
      await expect.poll(() => a.bufferedBytes).toBeLessThan(LOW_WATER_BYTES);
    });

    test('carries both directions at once', async () => {
      const [a, b] = await pair();
      const all = Array.from({ length: 64 }, (_, i) => i);
      const received = Promise.all([receive(a, 64), receive(b, 64)]);
      await Promise.all([pour(a, 64), pour(b, 64)]);
      expect(await received).toEqual([all, all]);
    });

    test('takes a burst from a sender who does not wait', async () => {
      const [a, b] = await pair();
      const received = receive(b, 64);
      for (let i = 0; i < 64; i++) a.send(frameOf(MAX_FRAME_BYTES, i));
      expect(await received).toHaveLength(64);
    });

    test('tells each side of the end once, and sending after it is harmless', async () => {
      const [a, b] = await pair();
      const ends: string[] = [];
      const frames: ArrayBuffer[] = [];
      b.onFrame = (frame) => frames.push(frame);
      const done = Promise.all([
        new Promise<void>((resolve) => {
          a.onClose = () => {
            ends.push('a');
            resolve();
          };
        }),
        new Promise<void>((resolve) => {
          b.onClose = () => {
            ends.push('b');
            resolve();
          };
        }),
      ]);
      a.close();
      expect(ends).toEqual([]);
      a.send(frameOf(10, 1));
      a.close();
      await done;
      a.send(frameOf(10, 1));
      b.send(frameOf(10, 1));
      b.close();
      await passTime();
      expect(ends.sort()).toEqual(['a', 'b']);
      expect(frames).toEqual([]);
      expect([a.bufferedBytes, b.bufferedBytes]).toEqual([0, 0]);
    });

    test('ends when a frame over the limit comes', async () => {
      const [a, b] = await pair();
      const frames: ArrayBuffer[] = [];
      b.onFrame = (frame) => frames.push(frame);
      const ends = Promise.all(
        [a, b].map(
          (link) =>
            new Promise<string>((resolve) => {
              link.onClose = resolve;
            }),
        ),
      );
      a.send(new ArrayBuffer(MAX_FRAME_BYTES + 1));
      await ends;
      expect(frames).toEqual([]);
    });
  });
}

/** A frame that starts with its seed and goes on with what follows from it. */
function frameOf(bytes: number, seed: number): ArrayBuffer {
  const frame = new Uint8Array(bytes);
  for (let i = 0; i < bytes; i++) frame[i] = (seed >>> ((i % 4) * 8)) ^ (i >> 8);
  return frame.buffer;
}

const seedOf = (frame: ArrayBuffer): number => new DataView(frame).getUint32(0, true);

/** The seeds of the next `count` frames. */
function receive(link: Link, count: number): Promise<number[]> {
  const seeds: number[] = [];
  return new Promise((resolve) => {
    link.onFrame = (frame) => {
      seeds.push(seedOf(frame));
      if (seeds.length === count) resolve(seeds);
    };
  });
}

/** Sends `count` full frames as a well-behaved sender does. */
async function pour(link: Link, count: number): Promise<{ maxBufferedBytes: number; lows: number }> {
  let maxBufferedBytes = 0;
  let lows = 0;
  for (let i = 0; i < count; i++) {
    link.send(frameOf(MAX_FRAME_BYTES, i));
    maxBufferedBytes = Math.max(maxBufferedBytes, link.bufferedBytes);
    if (link.bufferedBytes < HIGH_WATER_BYTES) continue;
    await new Promise<void>((resolve) => {
      link.onLow = () => {
        expect(link.bufferedBytes).toBeLessThanOrEqual(LOW_WATER_BYTES);
        lows += 1;
        resolve();
      };
    });
  }
  return { maxBufferedBytes, lows };
}

/** Long enough for a message to cross and do what it must not do. */
const passTime = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50));
