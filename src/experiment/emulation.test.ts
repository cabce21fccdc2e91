import { describe, expect, test } from 'vitest';
import { rng } from '../core/math/rng.ts';
import { conditionsFor, describeEmulation, hostConditions, parseEmulation, unhindered } from './emulation.ts';

const conditions = (text: string, worker: number) => conditionsFor(parseEmulation(text), worker);

test('without rules nobody is hindered', () => {
  for (const text of ['', '  ']) expect(conditions(text, 3)).toEqual(unhindered);
  expect(describeEmulation(parseEmulation(''))).toBe('');
});

test('rules reach whom they name, and later ones override earlier ones key by key', () => {
  const text = '*:latency=40,loss=0.01 2-4:slow=3 4:slow=10,mbps=2 4:loss=off';
  const all = { ...unhindered, latencyMs: 40, loss: 0.01 };
  expect(conditions(text, 0)).toEqual(all);
  expect(conditions(text, 1)).toEqual(all);
  expect(conditions(text, 2)).toEqual({ ...all, slow: 3 });
  expect(conditions(text, 4)).toEqual({ ...unhindered, latencyMs: 40, slow: 10, mbps: 2 });
  expect(conditions('2+5-6:cut=30', 6)).toEqual({ ...unhindered, cutEverySeconds: 30 });
  expect(conditions('2+5-6:cut=30', 4)).toEqual(unhindered);
});

test('the host is nobody’s worker: what it suffers reaches no worker, and the other way round', () => {
  const rules = parseEmulation('host:apply=20 *:latency=40');
  expect(hostConditions(rules)).toEqual({ applyMs: 20 });
  expect(conditionsFor(rules, 0)).toEqual({ ...unhindered, latencyMs: 40 });
  expect(hostConditions(parseEmulation('host:apply=20 host:apply=off'))).toEqual({ applyMs: 0 });
  expect(hostConditions(parseEmulation('*:slow=2'))).toEqual({ applyMs: 0 });
});

test.each([
  ['host:apply=20 0:slow=2', 'the server: 20 ms longer for every push; the host’s own worker: 2 times slower'],
  ['host:apply=20 host:apply=off', 'the server: no longer for a push'],
  ['*:latency=40 4:slow=10,mbps=2', 'everyone: 40 ms latency; worker 4: 10 times slower, 2 Mbit/s'],
  ['1-4:loss=0.07', 'workers 1–4: 7 % loss'],
  ['2+5+7-9:cut=60', 'workers 2, 5 and 7–9: cut off every 60 s on average'],
  ['0:slow=2', 'the host’s own worker: 2 times slower'],
  ['*:latency=40 3:latency=off', 'everyone: 40 ms latency; worker 3: no latency'],
  ['3:slow=5,mbps=1 1-4:slow=2', 'worker 3: 1 Mbit/s; workers 1–4: 2 times slower'],
])('%s in words', (text, words) => {
  expect(describeEmulation(parseEmulation(text))).toBe(words);
});

describe('what is not understood is refused with what to write', () => {
  test.each([
    ['slow=10', 'write it like'],
    ['4:', 'write it like'],
    ['4:slow=10:mbps=2', 'write it like'],
    ['x:slow=2', 'names no workers'],
    ['4-2:slow=2', 'names no workers'],
    ['2,5:slow=2', 'names no workers'],
    ['100000:slow=2', 'names no workers'],
    ['4:speed=2', 'one of slow, latency, mbps, loss, cut'],
    ['4:toString=2', 'one of slow'],
    ['4:apply=20', 'not a condition of a worker'],
    ['*:apply=20', 'not a condition of a worker'],
    ['host:slow=2', 'not a condition of the host: write apply'],
    ['host:apply=-1', 'from 0 to 10000'],
    ['host+2:apply=1', 'names no workers'],
    ['4:slow', 'a number from 1 to 1000'],
    ['4:slow=0.5', 'a number from 1 to 1000'],
    ['4:slow=1e3', 'a number from 1 to 1000'],
    ['4:latency=-1', 'from 0 to 10000'],
    ['4:mbps=0', 'from 0.01'],
    ['4:loss=0.6', 'to 0.5'],
    ['4:cut=Infinity', 'from 1 to 86400, or off'],
  ])('%s', (text, words) => {
    expect(() => parseEmulation(text)).toThrow(RangeError);
    expect(() => parseEmulation(text)).toThrow(words);
  });
});

test('any text is read or refused with a RangeError, and what is read is within bounds (seed 5)', () => {
  const random = rng(5);
  const pieces = [
    '*',
    'host',
    'apply',
    '1',
    '12',
    '-',
    '+',
    ':',
    'slow',
    'latency',
    'mbps',
    'loss',
    'cut',
    '=',
    ',',
    ' ',
    '0.5',
    'off',
  ];
  let read = 0;
  for (let i = 0; i < 5000; i++) {
    const length = 1 + random.below(10);
    let text = random.below(2) === 0 ? '' : '*:slow=';
    for (let piece = 0; piece < length; piece++) text += pieces[random.below(pieces.length)];
    try {
      const { slow, latencyMs, mbps, loss, cutEverySeconds } = conditions(text, 1);
      expect([slow >= 1, latencyMs >= 0, mbps > 0, loss >= 0 && loss <= 0.5, cutEverySeconds >= 1]).not.toContain(
        false,
      );
      read += 1;
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  }
  expect(read).toBeGreaterThan(30);
});
