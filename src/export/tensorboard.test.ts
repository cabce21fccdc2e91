import { expect, test } from 'vitest';
import { readEvents } from './events-for-tests.ts';
import { reportOf, startedAtMs, workerReport } from './report-for-tests.ts';
import { tensorboardFiles } from './tensorboard.ts';

const seconds = startedAtMs / 1000;

/** What a file says, as `tag@step seconds=value`, seconds since the run began. */
function said(path: string) {
  const file = tensorboardFiles(reportOf()).find((one) => one.path === path);
  return readEvents(file?.bytes ?? new Uint8Array())
    .slice(1)
    .map(({ wallTime, step, summary }) => {
      const [{ tag, simpleValue } = { tag: '', simpleValue: Number.NaN }] = summary?.value ?? [];
      return `${tag}@${step} ${(wallTime - seconds).toFixed(2)}=${simpleValue.toPrecision(4)}`;
    });
}

const file = `events.out.tfevents.${seconds}.manyhands`;

test('each worker, the evaluation, the training and each other node has a folder of its own', () => {
  expect(tensorboardFiles(reportOf()).map(({ path }) => path)).toEqual([
    `tensorboard/17-4/evaluation/${file}`,
    `tensorboard/17-4/training/${file}`,
    `tensorboard/17-4/worker-1-amber-otter/${file}`,
    `tensorboard/17-4/worker-1-amber-otter-process/${file}`,
    `tensorboard/17-4/machine/${file}`,
  ]);
});

test('a look at the test set is loss, accuracy and area under the curve at its step', () => {
  expect(said(`tensorboard/17-4/evaluation/${file}`)).toEqual([
    'loss@2 0.27=0.3400',
    'accuracy@2 0.27=0.9000',
    'auc@2 0.27=0.7500',
  ]);
});

test("a worker's folder has its curve and what its tab used, in time order, at the step reached by then", () => {
  expect(said(`tensorboard/17-4/worker-1-amber-otter/${file}`)).toEqual([
    'loss@1 0.15=2.250',
    'accuracy@1 0.15=0.1250',
    'resources/busy@1 0.20=0.5000',
    'resources/memory_bytes@1 0.20=4096',
    'resources/pressure@1 0.20=2.000',
    'loss@2 0.25=2.000',
  ]);
  expect(said(`tensorboard/17-4/worker-1-amber-otter-process/${file}`)).toEqual(['resources/cpu@0 0.12=1.500']);
  expect(said(`tensorboard/17-4/machine/${file}`)).toEqual(['resources/cpu@2 0.26=2.000']);
});

test('whatever workers are called, folders are safe and no two are the same', () => {
  const names = ['Ann', 'ANN', '../../etc', 'a/b\\c:d', '二', '', 'é'.repeat(200), 'CON', 'x. '];
  const workers = names.map((name, worker) => workerReport({ worker, name }));
  const paths = tensorboardFiles(reportOf({ id: '../..', workers })).map(({ path }) => path);
  for (const path of paths)
    expect(path).toMatch(/^tensorboard\/unnamed\/[A-Za-z0-9-]{1,60}\/events\.out\.tfevents\.\d+\.manyhands$/);
  expect(new Set(paths.map((path) => path.toLowerCase())).size).toBe(names.length + 4);
});
