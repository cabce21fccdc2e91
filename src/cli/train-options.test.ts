import { expect, test } from 'vitest';
import { defaultExperiment, type ExperimentKey } from '../experiment/experiment.ts';
import { UsageError } from '../node/usage-error.ts';
import { readArguments } from './command-line.ts';
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
    host: 'tab',
    hostTrains: false,
    backend: 'wasm',
    isHeaded: false,
    timeoutMs: 3_600_000,
  });
});

test('every field of an experiment but the workers has an option that sets it', () => {
  const lines = [
    '--workers 4 --strategy local --backup 1 --deadline 9 --local-steps 8 --outer average --outer-lr 0.9 --faulty 2',
    '--strategy async --max-staleness 3 --damping inverse --overlap --up int8 --down float16 --topk 0.1',
    '--aggregate median --data fashion-mnist --batch 7 --lr 0.1 --optimizer adam --eval-every 5 --until-loss 1',
    '--strategy bounded --lead 2',
    '--max-steps 2 --epochs 3 --minutes 4 --seed 5 --emulate 2:slow=10 --model mlp',
  ];
  const set = new Set(['workers', 'l1', 'l2', 'features', 'examples', 'entries']);
  for (const { experiment } of lines.map(read)) {
    for (const [key, value] of Object.entries(defaultExperiment))
      if (experiment[key as ExperimentKey] !== value) set.add(key);
  }
  expect([...set].sort()).toEqual(Object.keys(defaultExperiment).sort());
  // These belong to sparse models alone, and are refused by name elsewhere.
  expect(() => read('--l1 1')).toThrow('--l1');
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
  ['--strategy single --workers 2', 'host alone'],
  ['--workers 0', 'nobody to train'],
  ['--host moon', 'tab, relay'],
  ['--batch many', '--batch must be a whole number from 1 to 60,000, not "many"'],
  ['--workers 3 --backup 3', 'less than the 3 workers'],
  ['--strategy async --workers 3 --backup 1', 'belongs to --strategy sync or local'],
  ['--lr 0', '--lr must be a number above 0, up to 1,000, not "0"'],
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
