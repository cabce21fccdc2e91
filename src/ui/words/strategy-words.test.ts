import { describe, expect, test } from 'vitest';
import {
  aggregateNames,
  defaultExperiment,
  type Experiment,
  strategyNames,
  upNames,
} from '../../experiment/experiment.ts';
import { runTitle } from '../runs/run-title.ts';
import { aggregateWords, codecWords, strategyAdvice, waitWords, workWords } from './strategy-words.ts';
import { strategyWords } from './words.ts';

const plain = (text: string | null) => text?.replaceAll('\u00a0', ' ');
const asked = (changes: Partial<Experiment>): Experiment => ({ ...defaultExperiment, workers: 3, ...changes });

describe('every choice has a sentence of its own, short enough for the form', () => {
  const sentences: Record<string, readonly string[]> = {
    strategy: strategyNames.map(strategyWords),
    advice: strategyNames.map((name) => strategyAdvice[name]),
    work: strategyNames.map((strategy) => workWords(asked({ strategy }))),
    aggregate: aggregateNames.map((name) => aggregateWords[name]),
    codec: upNames.map((name) => codecWords[name]),
  };
  test.each(Object.entries(sentences))('%s', (_, texts) => {
    expect(new Set(texts).size).toBe(texts.length);
    for (const text of texts) expect(text).toMatch(/^[A-Z].{10,125}\.$/);
  });
});

test('a worker is told what it waits for as the run is set', () => {
  expect(workWords(asked({ strategy: 'sync', backup: 1 }))).toContain('not for the slowest one');
  expect(workWords(asked({ strategy: 'async', overlap: true }))).toContain('while the last is still on its way');
  expect(plain(workWords(asked({ strategy: 'local', localSteps: 16 })))).toContain('16 steps');
});

test('the wait is told per exchange, and not where there is none', () => {
  expect(plain(waitWords(asked({ strategy: 'sync' }), 4000, 10))).toBe('So far that wait took 400 ms each time.');
  expect(plain(waitWords(asked({ strategy: 'local', localSteps: 5 }), 4000, 10))).toContain('2.00 s');
  expect(waitWords(asked({}), 0, 0)).toBeNull();
  expect(waitWords(asked({}), 5, 10)).toBeNull();
});

describe('the title of a run says what sets it apart', () => {
  const titles: [Partial<Experiment>, string][] = [
    [{}, 'sync ×3 · batch 100 · lr 0.5'],
    [{ up: 'int8', down: 'float16' }, 'sync ×3 · batch 100 · lr 0.5 · int8 up · float16 down'],
    [{ up: 'topk' }, 'sync ×3 · batch 100 · lr 0.5 · top-k up · k = 1 %'],
    [{ strategy: 'local', backup: 1 }, 'local ×3 · batch 100 · lr 0.5 · 16 local steps · 1 backup'],
    [
      { strategy: 'async', damping: 'inverse', maxStaleness: 4 },
      'async ×3 · batch 100 · lr 0.5 · staleness ≤ 4 · damped',
    ],
    [{ aggregate: 'krum', faulty: 2 }, 'sync ×3 · batch 100 · lr 0.5 · krum · 2 may lie'],
    [{ emulate: '1:slow=3' }, 'sync ×3 · batch 100 · lr 0.5 · emulated'],
    // What a strategy does not look at does not set its run apart.
    [{ strategy: 'async', aggregate: 'krum', lead: 9 }, 'async ×3 · batch 100 · lr 0.5'],
  ];
  test.each(titles)('%j', (changes, title) => {
    expect(plain(runTitle(asked(changes)))).toBe(title);
  });
});
