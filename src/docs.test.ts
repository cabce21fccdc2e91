import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync('docs')
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const folders = ['src', 'worker-scripts', 'scripts', 'bench', 'e2e'];

test.each(pages)('every file that %s names is there', (page) => {
  const named = readFileSync(page, 'utf8').matchAll(new RegExp(`\\b(?:${folders.join('|')})/[\\w./-]*\\w`, 'g'));
  expect(Array.from(named, ([path]) => path).filter((path) => !existsSync(path))).toEqual([]);
});

test.each(pages)('every link of %s to another page of ours leads somewhere', (page) => {
  const links = readFileSync(page, 'utf8').matchAll(/\]\((?!https?:|#)([^)#]+)(?:#[^)]*)?\)/g);
  const folder = page.includes('/') ? 'docs/' : '';
  expect(Array.from(links, ([, link = '']) => link).filter((link) => !existsSync(folder + link))).toEqual([]);
});
