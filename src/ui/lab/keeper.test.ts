import { expect, it } from 'vitest';
import { reportFiles } from '../../lab/files.ts';
import { parseSweep } from '../../lab/sweep.ts';
import { base, memoryStore, rig, settle, stateOf } from './rig-for-tests.ts';
import { labFiles, packedModels } from './zip.ts';

const one = parseSweep({ name: 'one', base: { ...base, workers: 1 } });

/** A lab of one run that is over, whatever its store does. */
async function finished(kept = memoryStore(), sweep = one, change = {}) {
  const page = rig({ sweep, kept, tabs: 1 });
  page.host.params = page.host.params.map((_, i) => i);
  page.model.adjust(change);
  page.model.start();
  await settle();
  page.host.end(20, 1);
  await settle();
  return { ...page, id: page.shown[0] ?? null };
}

const filesOf = async ({ model }: ReturnType<typeof rig>) => {
  const result = model.result();
  if (result === null) throw new Error('there is nothing to report');
  const models = packedModels(result.outcomes, await model.models());
  const files = new Map<string, string>();
  for await (const { path, bytes } of labFiles(result, models, { backend: 'auto', file: null })) {
    files.set(path, new TextDecoder().decode(bytes));
  }
  return files;
};
const pathsOf = async (page: ReturnType<typeof rig>) => [...(await filesOf(page)).keys()];
const models = ['model.json', 'weights.bin', 'model.safetensors'].map((name) => `runs/01-sync/model/${name}`);

it('keeps the model of each run, for the zip, also after a reload', async () => {
  const kept = memoryStore();
  const { id } = await finished(kept);
  const page = rig({ sweep: one, kept, labId: id });
  await settle();
  expect(await pathsOf(page)).toEqual(
    expect.arrayContaining([
      'report.html',
      'sweep.json',
      'runs/01-sync/outcome.json',
      'runs/01-sync/run.json',
      ...models,
    ]),
  );
  const [model] = (await page.model.models()).values();
  expect(model?.version).toBe(20);
  expect(new Float32Array((await model?.params.arrayBuffer()) ?? new ArrayBuffer(0))[7849]).toBe(7849);
});

it('reports as the command line does, to the byte', async () => {
  const page = await finished();
  const files = await filesOf(page);
  const result = page.model.result();
  const commands = result === null ? [] : reportFiles(result);
  expect(commands.map(({ path }) => path)).toEqual(expect.arrayContaining(['report.html', 'report.md']));
  for (const { path, bytes } of commands) expect(files.get(path)).toBe(new TextDecoder().decode(bytes));
});

it('keeps large models only where that is asked for', async () => {
  const large = parseSweep({
    name: 'large',
    base: { ...base, model: 'sparse-logistic', data: 'criteo-fake', features: 9_000_000, optimizer: 'sgd', lr: 1 },
  });
  expect((await (await finished(memoryStore(), large)).model.models()).size).toBe(0);
  expect((await (await finished(memoryStore(), large, { keepsLargeModels: true })).model.models()).size).toBe(1);
});

it('keeps the results where there is no room for the model, says so, and still packs it', async () => {
  const kept = memoryStore();
  const { saveRun } = kept.store;
  kept.store.saveRun = (run) =>
    run.model === null ? saveRun(run) : Promise.reject(new DOMException('full', 'QuotaExceededError'));
  const page = await finished(kept);
  expect(page.model.trouble.value).toMatch(
    /^The model of sync could not be kept \(this browser has no room left.*its results are\. Download/,
  );
  expect([...kept.runs.values()]).toMatchObject([{ key: '01-sync', failure: null, model: null }]);
  expect(await pathsOf(page)).toEqual(expect.arrayContaining(models));
});

it('says that a lab was deleted in another tab, and loses nothing of this page', async () => {
  const kept = memoryStore();
  const page = rig({ sweep: one, kept, tabs: 1 });
  page.model.start();
  await settle();
  kept.labs.clear();
  page.host.end(20, 1);
  await settle();
  expect(page.model.trouble.value).toMatch(/deleted in another tab/);
  expect(stateOf(page.model)).toEqual(['sync: 20']);
  expect(await pathsOf(page)).toEqual(expect.arrayContaining(models));
});

it('does not run again what another tab has run meanwhile', async () => {
  const kept = memoryStore();
  const first = rig({ kept, tabs: 1 });
  first.model.start();
  await settle();
  const second = rig({ kept, tabs: 2, labId: first.shown[0] ?? null });
  await settle();
  first.host.end(20, 1);
  await settle();
  first.model.stop();
  await settle();
  expect(stateOf(second.model)[0]).toBe('1 worker: to come');
  second.model.start();
  await settle();
  expect(second.host.told.at(-1)).toBe('start sync × 2, at most 2');
  expect(stateOf(second.model)[0]).toBe('1 worker: 20');
});

it.each([
  ['reports had another format', { format: 'manyhands-run/1' }, 'sync: to come'],
  ['settings meant something else', { experiment: { lr: 9 } }, 'sync: to come'],
])('reads what was kept, or does it again, when %s', async (_, changes, words) => {
  const kept = memoryStore();
  const { id } = await finished(kept);
  for (const [key, run] of kept.runs) kept.runs.set(key, { ...run, report: { ...Object(run.report), ...changes } });
  const page = rig({ sweep: one, kept, labId: id });
  await settle();
  expect(stateOf(page.model)).toEqual([words]);
  expect((await filesOf(page)).get('report.html')).not.toContain('undefined');
});
