import { describe, expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { eventFile, type Scalar } from './event-file.ts';
import { readEvents } from './events-for-tests.ts';

test('a file begins with the version TensorBoard looks for, at the time of the start', () => {
  expect(readEvents(eventFile(1_700_000_000_250, []))).toEqual([
    { wallTime: 1_700_000_000.25, step: '0', fileVersion: 'brain.Event:2' },
  ]);
});

describe.each([1, 2, 3])('random numbers, seed %i', (seed) => {
  const random = rng(seed, 'events');
  const values = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, -0];
  const steps = [0, 127, 128, 16_384, 2 ** 31, 2 ** 32 + 5, Number.MAX_SAFE_INTEGER];
  const scalars = Array.from({ length: 200 }, (_, index): Scalar => {
    const hasOddValue = random.below(4) === 0;
    return {
      tag: ['loss', 'accuracy', 'resources/memory_bytes', 'größe ≤ 1', ''][random.below(5)] as string,
      step: steps[index] ?? random.below(2 ** 40),
      wallMs: 1.7e12 + random.uniform() * 1e9,
      value: hasOddValue ? (values[random.below(5)] as number) : random.normal() * 10 ** random.below(8),
    };
  });

  test('are read back by a protobuf library as they were, values in single precision', () => {
    const [, ...events] = readEvents(eventFile(0, scalars));
    expect(events).toHaveLength(scalars.length);
    for (const [index, { tag, step, wallMs, value }] of scalars.entries()) {
      const event = events[index];
      expect(event?.wallTime).toBe(wallMs / 1000);
      expect(event?.step).toBe(String(step));
      const [read] = event?.summary?.value ?? [];
      expect(read?.tag).toBe(tag);
      expect(Object.is(read?.simpleValue, Math.fround(value))).toBe(true);
    }
  });
});
