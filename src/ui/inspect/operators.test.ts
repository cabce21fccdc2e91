import { expect, test } from 'vitest';
import { operatorsMs, ranked } from './operators.tsx';

const operator = (name: string, ms: number) => ({ name, ms, outputShape: [2, 3], outputBytes: 24 });
const profile = {
  backend: 'wasm',
  batch: 2,
  stepMs: 9,
  operators: [operator('Conv2D', 3), operator('Relu', 1), operator('MatMul', 4)],
};

test('operators keep their place in the step whatever they are sorted by', () => {
  expect(operatorsMs(profile)).toBe(8);
  expect(ranked(profile, 'ran').map(({ name, share }) => [name, share])).toEqual([
    ['Conv2D', 0.375],
    ['Relu', 0.125],
    ['MatMul', 0.5],
  ]);
  expect(ranked(profile, 'time').map(({ name, place }) => [name, place])).toEqual([
    ['MatMul', 3],
    ['Conv2D', 1],
    ['Relu', 2],
  ]);
  expect(profile.operators[0]?.name).toBe('Conv2D');
});

test('operators too quick to be timed have no share, not a broken one', () => {
  expect(ranked({ ...profile, operators: [operator('Reshape', 0)] }, 'time')[0]?.share).toBe(0);
});
