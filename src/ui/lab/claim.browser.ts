import { expect, test } from 'vitest';
import { claimLab } from './claim.ts';

test('a lab belongs to one tab at a time', async () => {
  const release = await claimLab('a');
  expect(release).not.toBeNull();
  expect(await claimLab('a')).toBeNull();
  const other = await claimLab('b');
  expect(other).not.toBeNull();
  other?.();
  release?.();
  await expect.poll(() => claimLab('a')).not.toBeNull();
});
