import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultExperiment, type Experiment } from '../core/config.ts';
import { noCounters, type RunPhase, type RunState } from '../core/progress.ts';
import { TallyCounter } from '../core/traffic.ts';
import type { Host, HostState, RunLog } from '../host/state.ts';
import type { WorkerControl, WorkerView } from '../worker/state.ts';
import { renderHostPage } from './host-page.tsx';
import { renderJoinPage } from './join-page.tsx';

const experiment: Experiment = { ...defaultExperiment, workers: 2 };
const counters = noCounters;
const runIn = (phase: RunPhase): RunState => ({
  id: 'a',
  run: 1,
  experiment,
  phase,
  stopReason: phase === 'finished' ? 'epochs' : null,
  version: 1240,
  examples: 124_000,
  elapsedMs: 9_000,
  startedAtMs: 0,
  leftMs: 5_000,
  counters,
});

/** A host that only remembers what it was told, and is in the state it is put in. */
function scriptedHost() {
  const listeners = new Set<() => void>();
  const told: string[] = [];
  const tell = (name: string) => () => void told.push(name);
  let state: HostState = {
    room: { code: 'kelp-42', signalling: 'open', problem: null },
    run: null,
    workers: [],
    trainsHere: true,
    note: null,
    resumable: null,
  };
  let log: RunLog | null = null;
  const host: Host = {
    get state() {
      return state;
    },
    get log() {
      return log;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    start: (started) => void told.push(`start ${started.batch}`),
    resumeSaved: tell('resumeSaved'),
    discardSaved: tell('discardSaved'),
    pause: tell('pause'),
    resume: tell('resume'),
    finish: tell('finish'),
    reset: tell('reset'),
    remove: tell('remove'),
    setTrainsHere: tell('setTrainsHere'),
    close: tell('close'),
  };
  const put = (next: Partial<HostState>, nextLog: RunLog | null = log) => {
    state = { ...state, ...next };
    log = nextLog;
    for (const listener of listeners) listener();
  };
  return { host, told, put, listeners };
}

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
  const open = () => {
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
      runs: { list: async () => [], remove: async () => {} },
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
    await expect.poll(() => find('#batch-problem').textContent).toBe('A whole number from 1 to 60,000.');
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
    const log = { id: 'a', experiment, startedAtMs: 0, train, test: [] };
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

  test('taking the page away stops listening', () => {
    const { listeners } = open();
    expect(listeners.size).toBeGreaterThan(0);
    unmount();
    unmount = () => {};
    expect(listeners.size).toBe(0);
  });
});

test('the join page says what leaves the device, and starts nothing before the click', () => {
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
    group: null,
    intensity: 1,
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
    invitation: { code: 'kelp-42', by: 'Ada', model: 'softmax', data: 'mnist' },
    device: { webgpu: false, isSecure: false, cores: 4, memoryGb: null, isPhone: false, onBattery: null },
    hostPageLink: '#',
    initialName: '',
    initialBackend: 'auto',
    setBackend: () => undefined,
    setName: (name) => void told.push(`name ${name}`),
  });
  expect(root.textContent).toContain('7,850 numbers');
  expect(root.textContent).toContain('Ada');
  expect(told).toEqual([]);
  find('button.primary').click();
  expect(told).toEqual(['name ', 'contribute']);
});
