import { expect, test } from 'vitest';
import { Pace, transferWords } from './transfer.tsx';

const down = (done: number, total = 244_000_000) => ({ direction: 'down' as const, done, total });
const plain = (text: string) => text.replaceAll('\u00a0', ' ');

test('a long message says how far it is and how long it will take', () => {
  expect(plain(transferWords(down(81e6), 13_600))).toBe('Receiving the parameters: 81 of 244 MB, 10 s left');
  expect(plain(transferWords({ direction: 'up', done: 1e6, total: 4.2e6 }, null))).toBe(
    'Sending the gradient: 1.0 of 4.2 MB',
  );
});

test('the pace is that of this message, from where it was first seen', () => {
  const pace = new Pace();
  expect(pace.of(down(50e6), 1000)).toBeNull();
  expect(pace.of(down(51e6), 1100)).toBeNull();
  expect(pace.of(down(70e6), 3000)).toBe(10_000);
  // The next message of the same size starts again.
  expect(pace.of(down(1e6), 3100)).toBeNull();
  expect(pace.of(down(5e6), 4100)).toBe(4000);
  expect(pace.of({ direction: 'up', done: 6e6, total: 244e6 }, 9000)).toBeNull();
});
