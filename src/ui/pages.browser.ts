import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { RunPhase } from '../core/server/progress.ts';
import { TallyCounter } from '../core/wire/traffic.ts';
import { type Experiment, type StrategyName, strategyNames } from '../experiment/experiment.ts';
import type { RunLog } from '../host/state.ts';
import type { WorkerControl, WorkerView } from '../worker/state.ts';
import { renderHostPage } from './host/page.tsx';
import { emptyLog, experiment, runIn, scriptedHost } from './host/scripted-host-for-tests.ts';
import { renderJoinPage } from './join/page.tsx';
import { directWords } from './words/strategy-words.ts';

let root: HTMLElement;
let unmount = () => {};
beforeEach(() => {
  root = document.body.appendChild(document.createElement('div'));
});
afterEach(() => {
  unmount();
  root.remove();
});

const find = (selector: string): HTMLElement => {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`nothing on the page matches ${selector}`);
  return found;
};
const press = (key: string, target: EventTarget = document.body) =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
const type = (selector: string, text: string) => {
  const input = find(selector) as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new InputEvent('input', { bubbles: true }));
};

describe('host page', () => {
  const open = (kept: readonly RunLog[] = []) => {
    const scripted = scriptedHost();
    const changes: Experiment[] = [];
    unmount = renderHostPage(root, {
      host: scripted.host,
      experiment,
      experimentError: null,
      onExperimentChange: (changed) => changes.push(changed),
      joinLink: (code) => `https://example.test/#join=${code}`,
      openWorkerTab: () => scripted.told.push('tab'),
      networkWords: 'No servers.',
      runs: { list: async () => kept, remove: async () => {} },
    });
    return { ...scripted, changes };
  };

  const primaries: [RunPhase, string][] = [
    ['waiting', 'Open a worker tab'],
    ['running', 'Pause'],
    ['paused', 'Resume'],
    ['finishing', 'Finishing…'],
    ['finished', 'Start again'],
    ['failed', 'Start again'],
  ];
  test.each(primaries)('a run that is %s has one next action: %s', async (phase, label) => {
    const { put } = open();
    expect(find('.controls .primary').textContent).toBe('Start');
    put({ run: runIn(phase) });
    await expect.poll(() => find('.controls .primary').textContent).toBe(label);
    expect(root.querySelectorAll('.controls .primary')).toHaveLength(1);
  });

  test('the space bar starts, but not while a field has the focus', () => {
    const { told } = open();
    press(' ', find('#field-batch'));
    expect(told).toEqual([]);
    press(' ');
    expect(told).toEqual(['start 100']);
  });

  test('a wrong number is named beside its field, holds Start back, and stays out of the URL', async () => {
    const { told, changes } = open();
    type('#field-batch', '0');
    await expect.poll(() => find('#batch-problem').textContent).toBe('Must be a whole number from 1 to 60,000.');
    press(' ');
    expect(told).toEqual([]);
    expect(changes).toEqual([]);
    type('#field-batch', '32');
    expect(changes.map(({ batch }) => batch)).toEqual([32]);
    press(' ');
    expect(told).toEqual(['start 32']);
  });

  test('fields are locked while a run goes on and free when it is over', async () => {
    const { put } = open();
    const isLocked = () => (find('.experiment fieldset') as HTMLFieldSetElement).disabled;
    put({ run: runIn('running') });
    await expect.poll(isLocked).toBe(true);
    put({ run: runIn('finished') });
    await expect.poll(isLocked).toBe(false);
  });

  test('Reset asks before it drops a run under way', async () => {
    const { put, told } = open();
    put({ run: runIn('running') });
    await expect.poll(() => find('.controls').textContent).toContain('Reset');
    press('r');
    await expect.poll(() => find('.controls .primary').textContent).toBe('Drop this run');
    expect(told).toEqual([]);
    press('r');
    expect(told).toEqual(['reset']);
  });

  test('the title has step and loss, and the charts take a curve that grows', async () => {
    const { put } = open();
    const train = [{ step: 1, elapsedMs: 1, wallMs: 1, loss: 2.3 }];
    const log = { ...emptyLog, train };
    put({ run: runIn('running') }, log);
    await expect.poll(() => document.title, { timeout: 3000 }).toBe('step 1,240 · loss 2.30');
    const reading = () => find('.readings').textContent;
    await expect.poll(reading).toContain('train 2.30');
    train.push({ step: 2, elapsedMs: 2, wallMs: 2, loss: 1.7 });
    put({});
    // (0.95 · 2.3 + 1.7) / 1.95, by the default smoothing.
    await expect.poll(reading).toContain('train 1.99');
    expect(root.querySelectorAll('canvas')).toHaveLength(2);
  });

  test('a strategy shows its own settings and no others', async () => {
    const { changes } = open();
    const own: Partial<Record<StrategyName, readonly string[]>> = {
      single: [],
      sync: ['workers', 'backup', 'deadline'],
      async: ['workers', 'maxStaleness', 'damping', 'overlap'],
      bounded: ['workers', 'lead', 'damping'],
      local: ['workers', 'localSteps', 'outer', 'outerLr', 'backup', 'deadline'],
      allreduce: ['workers', 'deadline'],
    };
    const known = [...new Set(Object.values(own).flat())];
    const shown = () => known.filter((name) => root.querySelector(`.experiment [name="${name}"]`) !== null);
    for (const strategy of strategyNames) {
      find(`[name="strategy"][value="${strategy}"]`).click();
      await expect.poll(() => shown().sort()).toEqual([...(own[strategy] ?? [])].sort());
    }
    expect(changes.at(-1)?.strategy).toBe('allreduce');
  });

  test('each way to send numbers has its exact bytes beside it, and a wrong one its words', async () => {
    const { changes, told } = open();
    const bytesOf = (name: string) =>
      [...root.querySelectorAll('.codecs tbody tr')]
        .find((row) => row.querySelector('th')?.textContent === name)
        ?.querySelector('td')?.textContent;
    expect(['float32', 'float16', 'int8', 'top-k'].map(bytesOf)).toEqual(
      ['31.4 kB', '15.7 kB', '8.0 kB', '478 B'].map((text) => text.replace(' ', '\u00a0')),
    );
    find('.codecs [name="up"][value="topk"]').click();
    expect(changes.at(-1)?.up).toBe('topk');
    await expect.poll(() => find('#field-topk').closest('details')?.open).toBe(true);
    type('#field-topk', '0.1');
    await expect.poll(() => bytesOf('top-k')).toBe('4.7\u00a0kB');
    find('[name="strategy"][value="allreduce"]').click();
    await expect.poll(() => find('#up-problem').textContent).toContain('use another codec');
    press(' ');
    expect(told).toEqual([]);
  });

  test('groups of settings are closed while all in them is as usual', async () => {
    open();
    const groups = () =>
      [...root.querySelectorAll<HTMLDetailsElement>('.group')].map(({ open, textContent }) => [
        textContent?.match(/^\S+/)?.[0],
        open,
      ]);
    expect(groups()).toEqual([
      ['On', false],
      ['Protection', false],
      ['Simulated', false],
    ]);
    find('[name="aggregate"][value="krum"]').click();
    await expect.poll(() => groups().filter(([, isOpen]) => isOpen)).toEqual([['Protection', true]]);
    expect(find('#field-faulty')).toBeTruthy();
    // It means nothing where there are no rounds at the host.
    find('[name="strategy"][value="async"]').click();
    await expect.poll(() => groups().map(([name]) => name)).toEqual(['On', 'Simulated']);
  });

  test('made-up conditions can be filled in, taken back, or typed', async () => {
    const { changes } = open();
    const fill = (at: number, text: string) => type(`.rule-editor label:nth-of-type(${at}) input`, text);
    fill(1, '4');
    fill(2, '10');
    find('.rule-editor button').click();
    await expect.poll(() => find('.rules').textContent).toContain('worker 4: 10 times slower');
    expect(changes.at(-1)?.emulate).toBe('4:slow=10');
    expect(find('.status h1').textContent).toContain('emulated');
    fill(2, '0.5');
    find('.rule-editor button').click();
    await expect.poll(() => find('.rule-editor .problem').textContent).toContain('from 1 to 1000');
    find('.rules button').click();
    expect(changes.at(-1)?.emulate).toBe('');
    type('#field-emulate', '2:fast=1');
    await expect.poll(() => find('#emulate-problem').textContent).toContain('slow, latency');
    expect((find('.controls .primary') as HTMLButtonElement).disabled).toBe(true);
  });

  test('two runs are side by side with the better of each line marked, and made-up conditions are named', async () => {
    const at = (step: number, loss: number) => ({
      step,
      loss,
      elapsedMs: step * 100,
      wallMs: step * 100,
      examples: step * 100,
      accuracy: 1 - loss / 10,
      precisions: [],
      auc: null,
    });
    const logOf = (id: string, losses: readonly number[], changes: Partial<Experiment>): RunLog => ({
      ...emptyLog,
      id,
      experiment: { ...experiment, ...changes },
      test: losses.map((loss, index) => at(index * 100, loss)),
    });
    const kept = [
      logOf('x', [2, 0.9, 0.5], { strategy: 'async' }),
      logOf('y', [2, 0.5, 0.4], { emulate: '2:slow=10' }),
    ];
    open(kept);
    const boxes = () => [...root.querySelectorAll<HTMLInputElement>('.runs tbody input')];
    await expect.poll(() => boxes().length).toBe(2);
    expect(root.querySelector('.comparison')).toBeNull();
    for (const box of boxes()) box.click();
    await expect.poll(() => root.querySelector('.comparison')).not.toBeNull();
    const cells = (name: string) =>
      [...root.querySelectorAll('.comparison tbody tr')]
        .filter((row) => row.querySelector('th')?.textContent?.startsWith(name))
        .map((row) => [...row.querySelectorAll('td')].map(({ textContent }) => textContent?.replaceAll('\u00a0', ' ')));
    expect(cells('Strategy')).toEqual([['async', 'sync']]);
    expect(cells('Time to test loss ≤ 0.500')).toEqual([['20.0 s', '10.0 s, best']]);
    expect(cells('Test accuracy')).toEqual([['95.0 %', '96.0 %, best']]);
    expect([...root.querySelectorAll('.chart > .emulated')].map(({ textContent }) => textContent)).toEqual(
      Array.from({ length: 2 }, () => 'emulated: worker 2: 10 times slower'),
    );
    expect(find('.runs').textContent).toContain('emulated');
  });

  test('taking the page away stops listening', () => {
    const { listeners } = open();
    expect(listeners.size).toBeGreaterThan(0);
    unmount();
    unmount = () => {};
    expect(listeners.size).toBe(0);
  });
});

/** A join page in this state; gives what was told to its control. */
function openJoinPage(changes: Partial<WorkerView>): readonly string[] {
  const told: string[] = [];
  const tell = (name: string) => () => void told.push(name);
  const none = new TallyCounter().counts;
  const view: WorkerView = {
    stage: { kind: 'idle' },
    identity: null,
    experiment: null,
    backend: null,
    steps: 0,
    examples: 0,
    stale: 0,
    lastLoss: null,
    phases: { waitMs: 0, transferMs: 0, decodeMs: 0, computeMs: 0, readMs: 0, encodeMs: 0, sendMs: 0 },
    traffic: { sent: none, received: none },
    transfer: null,
    group: null,
    intensity: 1,
    ...changes,
  };
  const control: WorkerControl = {
    view,
    subscribe: () => () => {},
    contribute: tell('contribute'),
    setIntensity: tell('setIntensity'),
    pause: tell('pause'),
    resume: tell('resume'),
    finish: tell('finish'),
    leave: tell('leave'),
  };
  unmount = renderJoinPage(root, {
    control,
    invitation: { code: 'kelp-42', model: 'softmax', data: 'mnist', connectsWorkers: false },
    device: { webgpu: false, isSecure: false, cores: 4, memoryGb: null, isPhone: false },
    isRelayed: () => false,
    hostPageLink: '#',
    initialName: '',
    initialBackend: 'auto',
    setBackend: () => undefined,
    setName: (name) => void told.push(`name ${name}`),
  });
  return told;
}

test('the join page says what leaves the device, and starts nothing before the click', () => {
  const told = openJoinPage({});
  expect(root.textContent).toContain('7,850 numbers');
  expect(root.textContent).toContain('The host of room kelp-42 asks this tab to help train');
  expect(told).toEqual([]);
  find('button.primary').click();
  expect(told).toEqual(['name ', 'contribute']);
});

test('a worker is told what it does, what it waits for, and to whom it is connected', () => {
  openJoinPage({ stage: { kind: 'training' }, experiment: { ...experiment, strategy: 'allreduce' } });
  expect(root.textContent).toContain('wait for the last to be done');
  expect(root.textContent).toContain(directWords);
  unmount();
  openJoinPage({ stage: { kind: 'training' }, experiment });
  expect(root.textContent).toContain('waits until every other worker');
  expect(root.textContent).not.toContain(directWords);
});

test('a long message shows how far it is', () => {
  openJoinPage({ stage: { kind: 'waiting' }, transfer: { direction: 'down', done: 81e6, total: 244e6 } });
  expect(find('.transfer-bar').textContent).toBe('Receiving the parameters: 81 of 244\u00a0MB');
  expect((find('.transfer-bar progress') as HTMLProgressElement).position).toBeCloseTo(81 / 244);
});
