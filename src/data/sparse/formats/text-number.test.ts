import { expect, it } from 'vitest';
import { rng } from '../../../core/math/rng.ts';
import { utf8 } from '../files-for-tests.ts';
import { numberAt } from './text-number.ts';

const parsed = (text: string) => numberAt(utf8(`x${text}y`), 1, 1 + text.length);

it('reads what JavaScript reads, to the last bit, seed 1', () => {
  const random = rng(1);
  for (let i = 0; i < 3000; i++) {
    const size = random.normal() * 10 ** (random.below(40) - 20);
    for (const text of [String(size), size.toFixed(random.below(12)), size.toExponential(), String(Math.trunc(size))]) {
      expect(parsed(text)).toBe(Number(text));
    }
  }
});

it('refuses everything that is not a decimal number', () => {
  for (const text of [
    '',
    '+',
    '-',
    '.',
    '-.',
    '1.2.3',
    '1e',
    'e5',
    '0x10',
    '1_000',
    'Infinity',
    'NaN',
    ' 1',
    '1 ',
    '--1',
    '1,5',
  ]) {
    expect(parsed(text)).toBeNaN();
  }
});
