import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { colours } from './palette.ts';

test('charts of a report have the colours of the pages, light and dark', () => {
  const css = readFileSync(new URL('../../../ui/parts/theme.css', import.meta.url), 'utf8');
  const [light = '', dark = ''] = css.split('@media (prefers-color-scheme: dark)');
  const inPage = (part: string, name: string): string | undefined => {
    const value = part.match(new RegExp(`--${name}: ([^;]+);`))?.[1];
    const alias = value?.match(/^var\(--(.+)\)$/)?.[1] ?? (value === undefined && name === 'run-0' ? 'accent' : null);
    return alias ? inPage(part, alias) : value;
  };
  for (const [name, pair] of Object.entries(colours)) {
    expect([name, inPage(light, name), inPage(dark, name)]).toEqual([name, ...pair]);
  }
});
