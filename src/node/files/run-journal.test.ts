import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { defaultExperiment } from '../../experiment/experiment.ts';
import type { HostState, RunLog } from '../../host/state.ts';
import { Journal, JournalFeed, readJournal } from './run-journal.ts';

function freshPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'manyhands-journal-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'runs', 'run.jsonl');
}

test('what was written is there, line by line, with its time', () => {
  const path = freshPath();
  const journal = new Journal(path, () => 0);
  journal.write({ event: 'joined', worker: 1, name: 'Wren' });
  expect(readFileSync(path, 'utf8')).toBe(
    '{"at":"1970-01-01T00:00:00.000Z","event":"joined","worker":1,"name":"Wren"}\n',
  );
  journal.close();
});

test('wherever a crash cuts the last line off, the rest is read, and the next line stands alone', () => {
  const line = '{"at":"2026-01-01T00:00:00.000Z","event":"checkpoint","version":7,"sizeBytes":99}';
  for (let cut = 0; cut <= line.length; cut++) {
    const path = freshPath();
    new Journal(path).write({ event: 'joined', worker: 1, name: 'Wren' });
    appendFileSync(path, line.slice(0, cut));
    expect(readJournal(path)).toHaveLength(1);
    const again = new Journal(path);
    again.write({ event: 'left', worker: 1, name: 'Wren' });
    again.close();
    expect(readJournal(path).map(({ event }) => event)).toEqual(['joined', 'left']);
  }
});

test('the feed tells each join, look and end once, and of a resumed run only what is new', () => {
  const feed = new JournalFeed();
  const at = (phase: string, here: readonly number[], steps: readonly number[], isResumed = false) => {
    const run = { id: 'r', phase, version: 20, experiment: defaultExperiment, stopReason: 'steps' };
    const workers = [1, 2].map((worker) => ({ worker, name: 'W', phase: here.includes(worker) ? 'ready' : 'gone' }));
    const log = { id: 'r', test: steps.map((step) => ({ step, loss: 1, accuracy: 0.5 })) };
    const news = feed.news({ run, workers } as unknown as HostState, log as unknown as RunLog, isResumed);
    return news.map(({ event }) => event);
  };
  expect(at('running', [1], [])).toEqual(['started', 'joined']);
  expect(at('running', [1, 2], [0, 10])).toEqual(['joined', 'evaluation', 'evaluation']);
  expect(at('running', [2], [0, 10])).toEqual(['left']);
  expect(at('finished', [2], [0, 10])).toEqual([]);
  expect(at('finished', [2], [0, 10, 20])).toEqual(['evaluation', 'finished']);
  expect(at('finished', [2], [0, 10, 20])).toEqual([]);
  const resumed = new JournalFeed();
  const state = { run: { id: 'r', phase: 'running', version: 10 }, workers: [] } as unknown as HostState;
  const log = { id: 'r', test: [{ step: 0 }, { step: 10 }, { step: 20 }] } as unknown as RunLog;
  expect(resumed.news(state, log, true).map(({ event }) => event)).toEqual(['resumed', 'evaluation']);
});
