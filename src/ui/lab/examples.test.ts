import { expect, it } from 'vitest';
import { parseSweep } from '../../lab/sweep.ts';
import { base, memoryStore, rig, settle, stateOf } from './rig-for-tests.ts';

const sparse = { ...base, model: 'sparse-logistic', features: 1000, optimizer: 'ftrl', lr: 0.1 } as const;
const ofFile = parseSweep({ name: 'clicks', base: { ...sparse, data: 'file' } });

const source = (text: string, firstIndex: 0 | 1 = 1) =>
  ({
    kind: 'file',
    file: new Blob([text]),
    name: 'clicks.libsvm',
    format: 'libsvm',
    malformedLimit: 100,
    firstIndex,
    features: 1000,
  }) as const;

it('starts runs over a file only once there is one', async () => {
  const { model, host } = rig({ sweep: ofFile, tabs: 1 });
  model.start();
  await settle();
  expect(host.told).toEqual([]);
  model.chooseExamples(source('1 3:1\n'));
  await expect.poll(() => model.examples.value.kind).toBe('chosen');
  host.put({ examples: { phase: 'failed', name: 'clicks.libsvm', sizeBytes: 6, text: 'It is empty.' } });
  expect(model.canStart()).toBe(false);
  host.put({ examples: null });
  model.start();
  await settle();
  expect(host.told).toEqual(['examples of clicks.libsvm', 'trains here: false', 'start sync × 1, at most 1']);
  expect(model.result()?.command).toBe('npm run lab -- clicks --data clicks.libsvm --out clicks');
});

it('lets a file stand in place of generated examples, and of nothing else', () => {
  const { model } = rig({ sweep: parseSweep({ name: 'fake', base: { ...sparse, data: 'criteo-fake' } }) });
  expect(model.plan.value).toMatchObject({ needsFile: false, canTakeFile: true });
  model.adjust({ takesFile: true });
  expect(model.plan.value).toMatchObject({ needsFile: true, canTakeFile: true });
  expect(rig().model.plan.value).toMatchObject({ needsFile: false, canTakeFile: false });
});

it('goes on after a reload with the same file, read the same way, and with no other', async () => {
  const kept = memoryStore();
  const before = rig({ sweep: ofFile, kept, tabs: 1 });
  before.model.chooseExamples(source('1 3:1\n'));
  await expect.poll(() => before.model.examples.value.kind).toBe('chosen');
  before.model.start();
  await settle();
  const { model, host } = rig({ sweep: ofFile, kept, tabs: 1, labId: before.shown[0] ?? null });
  await settle();
  model.chooseExamples(source('0 4:1\n'));
  await expect
    .poll(() => model.examples.value)
    .toMatchObject({
      kind: 'refused',
      words: expect.stringMatching(/another file .* choose clicks\.libsvm \(6 bytes\)/),
    });
  expect(model.canStart()).toBe(false);
  model.chooseExamples(source('1 3:1\n', 0));
  await expect.poll(() => model.examples.value).toMatchObject({ words: expect.stringMatching(/first index 1/) });
  model.chooseExamples(source('1 3:1\n'));
  await expect.poll(() => model.canStart()).toBe(true);
  model.start();
  await settle();
  expect(host.told.at(-1)).toBe('start sync × 1, at most 1');
  expect(stateOf(model)).toEqual(['sync: to come']);
});
