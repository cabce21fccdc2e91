import { expect, test } from 'vitest';
import { root } from '../src/node/build.ts';
import { holdLinks } from './many-links.ts';

test('eight light workers on one relay hold their links, and every push is answered', { timeout: 90_000 }, async () => {
  const { held, breaks, pushed, answered } = await holdLinks(8, 3, 50, root);
  expect({ held, breaks, lost: pushed - answered }).toEqual({ held: 8, breaks: [], lost: 0 });
  expect(pushed).toBeGreaterThan(50);
});
