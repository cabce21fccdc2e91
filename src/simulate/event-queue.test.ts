import { expect, it } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { EventQueue } from './event-queue.ts';

it.each([1, 2, 3])(
  'things happen by time, and in the order they were put in where times are equal, seed %i',
  (seed) => {
    const random = rng(seed);
    const queue = new EventQueue();
    const due: { atMs: number; order: number }[] = [];
    const happened: { atMs: number; order: number }[] = [];
    for (let order = 0; order < 500; order++) {
      const entry = { atMs: queue.nowMs + random.below(20), order };
      due.push(entry);
      queue.at(entry.atMs, () => happened.push(entry));
      if (random.below(3) === 0) queue.next()?.();
    }
    for (let action = queue.next(); action; action = queue.next()) action();
    expect(happened).toEqual(due.sort((a, b) => a.atMs - b.atMs || a.order - b.order));
  },
);

it('what is due in the past happens now', () => {
  const queue = new EventQueue();
  queue.at(100, () => {});
  queue.next();
  queue.at(50, () => {});
  queue.next();
  expect(queue.nowMs).toBe(100);
  expect(queue.next()).toBeNull();
});
