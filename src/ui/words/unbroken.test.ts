import { expect, test } from 'vitest';
import { unbroken } from './unbroken.ts';

test('a title breaks between its parts and nowhere else', () => {
  const parts = unbroken('sync ×3 · batch 100 · lr 0.5').split(' ');
  expect(parts).toEqual(['sync\u00a0×3', '·', 'batch\u00a0100', '·', 'lr\u00a00.5']);
});
