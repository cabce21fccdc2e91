import { describe, expect, it } from 'vitest';
import { rng } from '../math/rng.ts';
import { checksum } from './checksum.ts';
import { FrameError, HEADER_BYTES, MAX_FRAME_BYTES, readFrame } from './frame.ts';
import { Inbox } from './inbox.ts';
import { Outbox } from './outbox.ts';
import { tallyBytes } from './traffic.ts';

const bytesOf = (length: number, seed: number) => {
  const random = rng(seed);
  return Uint8Array.from({ length }, () => random.below(256));
};

const framesOf = (outbox: Outbox) => {
  const frames: ArrayBuffer[] = [];
  for (let frame = outbox.next(); frame; frame = outbox.next()) frames.push(frame);
  return frames;
};

describe('frames', () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`messages of any size come out as they went in, seed ${seed}`, () => {
      const random = rng(seed, 'sizes');
      const outbox = new Outbox();
      const inbox = new Inbox(2 ** 20);
      const sent = Array.from({ length: 20 }, (_, i) => ({
        head: { type: 'x', i, text: 'grüße ✓'.repeat(random.below(20)) },
        body: bytesOf(random.below(4) === 0 ? random.below(300_000) : random.below(300), i),
      }));
      for (const { head, body } of sent) outbox.push('gradients', 3, head, body);
      const frames = framesOf(outbox);
      expect(frames.every((frame) => frame.byteLength <= MAX_FRAME_BYTES)).toBe(true);
      const received = frames.map((frame) => inbox.accept(frame)).filter((message) => message !== null);
      const byNumber = received.sort((a, b) => (a.head as { i: number }).i - (b.head as { i: number }).i);
      expect(byNumber.map(({ head, body, run, kind }) => ({ head, body: checksum(body), run, kind }))).toEqual(
        sent.map(({ head, body }) => ({ head, body: checksum(body), run: 3, kind: 'gradients' })),
      );
      expect(tallyBytes(inbox.tally.counts)).toBe(tallyBytes(outbox.tally.counts));
      expect(tallyBytes(inbox.tally.counts)).toBe(frames.reduce((sum, frame) => sum + frame.byteLength, 0));
    });
  }

  for (const seed of [11, 12, 13]) {
    it(`F1: any flipped bit is noticed, seed ${seed}`, () => {
      const random = rng(seed, 'bits');
      const outbox = new Outbox();
      outbox.push('control', 0, { type: 'x' }, bytesOf(1000, seed));
      const [frame] = framesOf(outbox) as [ArrayBuffer];
      for (let i = 0; i < 200; i++) {
        const broken = new Uint8Array(frame.slice(0));
        const at = random.below(broken.length);
        broken[at] = (broken[at] as number) ^ (1 << random.below(8));
        expect(() => readFrame(broken.buffer)).toThrow(FrameError);
      }
    });
  }

  it('F3: a short message overtakes the rest of a long one', () => {
    const outbox = new Outbox();
    const inbox = new Inbox(2 ** 20);
    outbox.push('parameters', 1, { type: 'long' }, bytesOf(200_000, 1));
    const first = outbox.next() as ArrayBuffer;
    expect(inbox.accept(first)).toBeNull();
    outbox.push('control', 1, { type: 'short' });
    expect(inbox.accept(outbox.next() as ArrayBuffer)?.head).toEqual({ type: 'short' });
    expect(framesOf(outbox).map((frame) => inbox.accept(frame)?.head)).toEqual([
      undefined,
      undefined,
      { type: 'long' },
    ]);
  });

  it('a body is aligned for float32 whatever the head', () => {
    for (let length = 0; length < 8; length++) {
      const outbox = new Outbox();
      outbox.push('gradients', 1, { t: 'y'.repeat(length) }, new Uint8Array(16));
      const message = new Inbox(1000).accept(outbox.next() as ArrayBuffer);
      expect((message?.body.byteOffset ?? 1) % 4).toBe(0);
    }
  });

  it('F2: a message longer than allowed is refused before memory is taken', () => {
    const outbox = new Outbox();
    outbox.push('gradients', 1, { type: 'x' }, new Uint8Array(100_000));
    expect(() => new Inbox(70_000).accept(outbox.next() as ArrayBuffer)).toThrow(/at most 70000/);
  });

  it('F3, F4: a lost, repeated or foreign frame ends the link', () => {
    const make = (seed: number) => {
      const outbox = new Outbox();
      for (let i = 0; i < seed; i++) outbox.push('control', 0, {});
      outbox.push('gradients', 1, { type: 'x' }, bytesOf(200_000, seed));
      return framesOf(outbox).slice(seed) as [ArrayBuffer, ArrayBuffer, ArrayBuffer, ArrayBuffer];
    };
    const [a, b, c] = make(0);
    const accept = (...frames: ArrayBuffer[]) => {
      const inbox = new Inbox(2 ** 20);
      for (const frame of frames) inbox.accept(frame);
    };
    expect(() => accept(a, c)).toThrow(/missing/);
    expect(() => accept(a, b, b)).toThrow(/missing/);
    expect(() => accept(b)).toThrow(/without its start/);
    expect(() => accept(a, make(1)[1])).toThrow(/mixed/);
    expect(() => accept(a, make(1)[0])).toThrow(/second long message/);
  });

  it('F1: noise never crashes, it is refused', () => {
    const random = rng(5, 'noise');
    for (let i = 0; i < 500; i++) {
      const noise = bytesOf(random.below(200), i);
      expect(() => new Inbox(1000).accept(noise.buffer)).toThrow(FrameError);
    }
    expect(HEADER_BYTES).toBe(28);
  });
});
