import { expect, test } from 'vitest';
import { noCounters, type RunState } from '../core/server/progress.ts';
import { defaultExperiment } from '../experiment/experiment.ts';
import { layOut } from '../lab/layout.ts';
import type { LabProgress } from '../lab/session.ts';
import { parseSweep } from '../lab/sweep.ts';
import { labText, ProgressLine, progressText } from './progress-line.ts';

const run: RunState = {
  id: 'r',
  run: 1,
  experiment: defaultExperiment,
  phase: 'running',
  stopReason: null,
  version: 1240,
  examples: 124_000,
  elapsedMs: 31_000,
  startedAtMs: 0,
  leftMs: 83_000,
  counters: { ...noCounters, updates: 1240, applied: 1240, evaluations: 12 },
};

class Terminal {
  readonly columns = 40;
  readonly isTTY: boolean;
  text = '';
  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }
  write(text: string): boolean {
    this.text += text;
    return true;
  }
}

test('progress says the step, the last test, the pace and the time left', () => {
  const test = {
    step: 1200,
    elapsedMs: 30_000,
    wallMs: 0,
    loss: 0.3,
    examples: 120_000,
    accuracy: 0.9167,
    precisions: [],
    auc: null,
  };
  expect(progressText(run, test, 3)).toBe(
    'step 1,240 · test loss 0.3000, 91.7 % · 3 workers · 4,000 examples/s · 0:31 · about 1:23 left',
  );
});

test('what is not known yet is said, not invented', () => {
  const text = progressText({ ...run, elapsedMs: 0, examples: 0, leftMs: null }, null, 1);
  expect(text).toBe('step 1,240 · not tested yet · 1 worker · 0:00 · time left unknown');
});

test('a terminal sees one line rewritten, never longer than it is wide', () => {
  const terminal = new Terminal(true);
  const line = new ProgressLine(terminal);
  line.show('a'.repeat(100), 0);
  line.show('b', 1);
  line.end();
  expect(terminal.text).toBe(`\r\u001b[2K${'a'.repeat(39)}\r\u001b[2Kb\n`);
});

test('a log gets a line every five seconds, and notes at once', () => {
  const log = new Terminal(false);
  const line = new ProgressLine(log);
  line.show('one', 0);
  line.show('two', 4999);
  line.note('a problem');
  line.show('three', 5000);
  line.end();
  expect(log.text).toBe('one\na problem\nthree\n');
});

test('a sweep under way is one line: which run, where it is, how long all still take', () => {
  const sweep = parseSweep({ name: 'tiny', vary: { strategy: ['single', 'sync'], workers: [2] } });
  const [, run = null] = layOut(sweep);
  const progress: LabProgress = {
    phase: 'running',
    run,
    number: 2,
    count: 7,
    stage: { kind: 'training', id: 'r', text: 'step 300 · loss 0.41', leftMs: null },
    leftMs: 130_000,
    outcomes: [],
    missing: [],
  };
  expect(labText(progress)).toBe('run 2 of 7 · sync × 2 · step 300 · loss 0.41 · 2:10 left');
  expect(labText({ ...progress, stage: { kind: 'starting', text: 'starting' }, leftMs: null })).toBe(
    'run 2 of 7 · sync × 2 · starting · time left unknown',
  );
});
