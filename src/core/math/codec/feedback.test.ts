import { describe, expect, it } from 'vitest';
import { rng } from '../rng.ts';
import { codecNamed } from './codec.ts';
import { ErrorFeedback } from './feedback.ts';
import { topk } from './topk.ts';

const SIZE = 300;
const normals = (random: ReturnType<typeof rng>) => Float32Array.from({ length: SIZE }, () => random.normal());

describe('error feedback', () => {
  for (const seed of [1, 2, 3, 4, 5, 6]) {
    it(`loses nothing of what was applied and keeps nothing of what was not, seed ${seed}`, () => {
      const random = rng(seed, 'feedback');
      const codec = topk([0.02, 0.1, 0.5][seed % 3] as number);
      const feedback = new ErrorFeedback(codec, SIZE);
      const given = new Float64Array(SIZE);
      const received = new Float64Array(SIZE);
      const push = (values: Float32Array, isApplied: boolean) => {
        const decoded = codec.decode(feedback.encode(values, random), new Float32Array(SIZE));
        feedback.settle(isApplied);
        if (!isApplied) return;
        for (let i = 0; i < SIZE; i++) {
          given[i] = (given[i] as number) + (values[i] as number);
          received[i] = (received[i] as number) + (decoded[i] as number);
        }
      };
      for (let turn = 0; turn < 200; turn++) push(normals(random), random.below(3) > 0);
      const off = () => given.reduce((sum, value, i) => Math.max(sum, Math.abs(value - (received[i] as number))), 0);
      expect(off()).toBeGreaterThan(0.1);
      // With nothing new to send, what is left drains away.
      for (let turn = 0; turn < 200; turn++) push(new Float32Array(SIZE), true);
      expect(off()).toBeLessThan(1e-3);
    });

    it(`forgets a push that was not applied to the bit, seed ${seed}`, () => {
      const random = rng(seed, 'refused');
      const codec = topk(0.1);
      const [one, other] = [new ErrorFeedback(codec, SIZE), new ErrorFeedback(codec, SIZE)];
      for (let turn = 0; turn < 20; turn++) {
        one.encode(normals(random), random);
        one.settle(false);
        const values = normals(random);
        expect(one.encode(values, random)).toEqual(other.encode(values, random));
        one.settle(true);
        other.settle(true);
      }
    });
  }

  it('settles a message whose buffer has been transferred, and only once', () => {
    const feedback = new ErrorFeedback(topk(0.5), 2);
    const { buffer } = feedback.encode(Float32Array.of(4, 1), rng(1));
    structuredClone(buffer, { transfer: [buffer as ArrayBuffer] });
    feedback.settle(true);
    feedback.settle(true);
    const next = feedback.encode(Float32Array.of(0, 1), rng(1));
    expect([...topk(0.5).decode(next, new Float32Array(2))]).toEqual([0, 2]);
  });

  it('wants each message settled before the next, and as many numbers as it was made for', () => {
    const feedback = new ErrorFeedback(topk(0.5), 2);
    expect(() => feedback.encode(new Float32Array(3), rng(1))).toThrow('expected 2 numbers, got 3');
    feedback.encode(new Float32Array(2), rng(1));
    expect(() => feedback.encode(new Float32Array(2), rng(1))).toThrow('settle');
  });

  it('passes straight through codecs that need none, without memory', () => {
    const values = normals(rng(3));
    for (const name of ['float32', 'float16', 'int8'] as const) {
      const codec = codecNamed(name, 1);
      const feedback = new ErrorFeedback(codec, SIZE);
      const expected = codec.encode(values, rng(4));
      for (let turn = 0; turn < 2; turn++) {
        expect(feedback.encode(values, rng(4))).toEqual(expected);
        if (turn === 0) feedback.settle(true);
      }
      // No buffer can be this large.
      expect(() => new ErrorFeedback(codec, 2 ** 52)).not.toThrow();
    }
  });
});
