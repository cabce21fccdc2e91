import { expect, test } from 'vitest';
import { layOut } from './layout.ts';
import { presets } from './presets.ts';
import { parseSweep, quickened, type Sweep } from './sweep.ts';

const sizes = presets.flatMap((preset) => [
  { name: preset.name, size: 'whole', sweep: preset },
  { name: preset.name, size: 'quick', sweep: quickened(preset) },
]);

test.each(sizes)('$name, $size, is a sound sweep with a folder of its own for each run', ({ sweep }) => {
  expect(parseSweep(JSON.parse(JSON.stringify(sweep)))).toEqual(sweep);
  const runs = layOut(sweep);
  const keys = runs.map(({ key }) => key);
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key).toMatch(/^[a-z0-9][a-z0-9.-]{0,70}[a-z0-9]$/);
});

test.each(sizes)('every figure beside $name, $size, belongs to one of its runs', ({ sweep }) => {
  const runs = layOut(sweep);
  const isOf = ({ where }: Sweep['references'][number]) =>
    runs.some(({ experiment }) =>
      Object.entries(where).every(([key, value]) => experiment[key as keyof typeof experiment] === value),
    );
  expect(sweep.references.filter((reference) => !isOf(reference))).toEqual([]);
});

test('presets have names of their own', () => {
  expect(new Set(presets.map(({ name }) => name)).size).toBe(presets.length);
});
