import { expect, it } from 'vitest';
import { readSweepText } from './file.ts';

const problemsOf = (text: string) => {
  const reading = readSweepText(text);
  return reading.ok ? [] : reading.problems;
};

it('reads a sweep', () => {
  const text = '{ "name": "two", "vary": { "workers": [1, 2] }, "base": { "maxSteps": 20 } }';
  expect(readSweepText(text)).toMatchObject({ ok: true, sweep: { name: 'two', vary: { workers: [1, 2] } } });
});

it('names the line of each mistake', () => {
  const text = `{
  "name": "two",
  "about": "a \\"quoted\\" [word] {and}, more",
  "cases": [
    { "strategy": "sync" },
    { "strategy": "telepathy" }
  ],
  "vary": {
    "batch": [
      100,
      [],
      -3
    ]
  }
}`;
  expect(problemsOf(text)).toEqual([
    expect.stringMatching(/^line 6, cases\[1\]\.strategy must be one of/),
    expect.stringMatching(/^line 11, vary\.batch\[1\] must /),
    expect.stringMatching(/^line 12, vary\.batch\[2\] must be a whole number from 1/),
  ]);
});

it('names the line where JSON ends being JSON', () => {
  expect(problemsOf('{\n  "name": "two",\n  "vary": {,}\n}')).toEqual([
    expect.stringMatching(/^line 3: this is not JSON/),
  ]);
  expect(problemsOf('')).toEqual([expect.stringMatching(/this is not JSON/)]);
});

it('says which run cannot be', () => {
  const text = '{ "name": "two", "vary": { "batch": [100, 60000] }, "base": { "data": "mnist", "model": "nothing" } }';
  expect(problemsOf(text)[0]).toMatch(/^batch 100: model: "nothing" is not known here/);
});
