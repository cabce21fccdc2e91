import { expect, test } from 'vitest';
import { reportOf } from './report-for-tests.ts';
import { logOf } from './run-log.ts';

const read = (text: string) => {
  expect(text.endsWith('}\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { time: string; ms: number; event: string });
};

test('everything that was recorded is there once, in time order between start and end', () => {
  const lines = read(logOf(reportOf()));
  expect(lines.map(({ event, ms }) => `${event} ${ms}`)).toEqual([
    'started 0',
    'step 100',
    'step 105',
    'resources 120',
    'train 140',
    'worker 150',
    'step 150',
    'resources 200',
    'train 240',
    'evaluation 245',
    'worker 250',
    'resources 260',
    'test 270',
    'finished 270',
  ]);
  expect(lines.every(({ time, ms }) => Date.parse(time) === Date.parse(reportOf().startedAt) + ms)).toBe(true);
});

test('the first line has all that repeats the run, the last what it came to', () => {
  const report = reportOf();
  const lines = read(logOf(report));
  expect(lines[0]).toMatchObject({ run: '17-4', experiment: report.experiment, machine: { cores: 2 } });
  expect(lines.at(-1)).toMatchObject({ run: '17-4', stopReason: 'loss', steps: 2, testLoss: 0.34 });
  expect(lines.find(({ event }) => event === 'test')).toMatchObject({ step: 2, accuracy: 0.9, precisions: [0.8, 1] });
});

test('a run that goes on is not called finished', () => {
  expect(read(logOf(reportOf({ phase: 'running', stopReason: null }))).at(-1)?.event).toBe('unfinished');
});
