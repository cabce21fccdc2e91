import { expect, test } from 'vitest';
import { defaultExperiment } from '../core/config.ts';
import { readArguments, UsageError } from './command-line.ts';
import { trainCommand } from './train-command.ts';
import { readTrainOptions } from './train-options.ts';

const read = (line: string) => readTrainOptions(readArguments(trainCommand, line.split(' ').filter(Boolean)));

test('a full command line becomes an experiment', () => {
  const line =
    '--model softmax --data mnist --strategy sync --workers 3 --batch 100 --lr 0.5 --optimizer sgd --until-loss 0.35 ' +
    '--max-steps 20000 --eval-every 100 --backend wasm --seed 7 --json out.json';
  expect(read(line)).toEqual({
    experiment: { ...defaultExperiment, workers: 3, untilLoss: 0.35, maxSteps: 20_000, epochs: null },
    tabs: 3,
    hostTrains: false,
    backend: 'wasm',
    isHeaded: false,
    timeoutMs: 3_600_000,
  });
});

test('without a stop rule a run has the usual one; with one it has only that', () => {
  expect(read('').experiment.epochs).toBe(defaultExperiment.epochs);
  expect(read('--minutes 2').experiment).toMatchObject({ epochs: null, minutes: 2, maxSteps: null, untilLoss: null });
});

test('single trains in the host tab alone', () => {
  expect(read('--strategy single --workers 0')).toMatchObject({
    tabs: 0,
    hostTrains: true,
    experiment: { workers: 1 },
  });
  expect(read('--strategy single')).toMatchObject({ tabs: 0, hostTrains: true });
});

test('a host that trains counts as one more worker', () => {
  expect(read('--workers 2 --host-trains')).toMatchObject({ tabs: 2, hostTrains: true, experiment: { workers: 3 } });
});

test.each([
  ['--strategy single --workers 2', 'host tab alone'],
  ['--workers 0', 'nobody to train'],
  ['--workers 3 --backup 3', 'less than the 3 workers'],
  ['--strategy async --workers 3 --backup 1', 'belongs to --strategy sync'],
  ['--lr 0', '--lr'],
  ['--lr -1', '--lr'],
  ['--until-loss 0', '--until-loss'],
  ['--batch 0', '--batch'],
  ['--backend webgl', 'auto, webgpu, wasm, cpu'],
  ['--strategy ring', 'single, sync, async'],
])('%s is refused in one line', (line, words) => {
  expect(() => read(line)).toThrow(UsageError);
  expect(() => read(line)).toThrow(words);
  expect(() => read(line)).toThrow(/^[^\n]+$/);
});
