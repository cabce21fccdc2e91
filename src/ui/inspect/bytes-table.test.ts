import { expect, test } from 'vitest';
import { keptFlow } from './bytes-table.tsx';

test('what was kept before there were all kinds adds up, with nothing for what is missing', () => {
  const { byAccount, counted } = keptFlow({ parameters: 5, gradients: 7 });
  expect(counted).toBe(12);
  expect(Object.values(byAccount).filter((value) => Number.isNaN(value))).toEqual([]);
  expect(byAccount).toMatchObject({ control: 0, parameters: 5, overhead: null });
});
