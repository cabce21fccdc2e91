import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const root = `${import.meta.dirname}/../..`;

/** The first argument of a call of it, test or describe, also after `each`. */
const TITLE =
  /(?:\b(?:it|test|describe)(?:\.\w+)*|\))\s*\(\s*('(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`)/g;
/** A title begins with the rules it holds, or ends with them: 'S2: a round…', '… for all (D1, D2)'. */
const CITED = /^((?:[A-Z]\d+, )*[A-Z]\d+): |\(((?:[A-Z]\d+, )*[A-Z]\d+)\)$/;

const rules = [...readFileSync(`${root}/docs/PROTOCOL.md`, 'utf8').matchAll(/^- \*\*([A-Z]\d+)\*\*/gm)].map(
  ([, rule]) => rule as string,
);

const testFiles = ['src', 'e2e']
  .flatMap((folder) => readdirSync(`${root}/${folder}`, { recursive: true }).map((name) => `${folder}/${name}`))
  .filter((file) => /\.(test|browser|spec)\.ts$/.test(file));

const cited = testFiles.flatMap((file) =>
  [...readFileSync(`${root}/${file}`, 'utf8').matchAll(TITLE)].flatMap(([, literal = '']) => {
    const [, before, after] = CITED.exec(literal.slice(1, -1)) ?? [];
    return (before ?? after)?.split(', ').map((rule) => ({ rule, file })) ?? [];
  }),
);

it('every rule of the protocol is cited by the title of a test', () => {
  expect(rules).toHaveLength(new Set(rules).size);
  expect(rules.filter((rule) => !cited.some((citation) => citation.rule === rule))).toEqual([]);
});

it('every rule that a title cites is one of the protocol', () => {
  expect(cited.filter(({ rule }) => !rules.includes(rule))).toEqual([]);
});
