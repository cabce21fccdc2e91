import { afterEach, beforeEach, expect, test } from 'vitest';
import { type NodeResources, noSample, type ResourceSample } from '../../core/wire/resources.ts';
import { TallyCounter } from '../../core/wire/traffic.ts';
import type { RunLog, WorkerRow } from '../../host/state.ts';
import type { StepTrace } from '../../observe/step-trace.ts';
import { renderHostPage } from '../host/page.tsx';
import { emptyLog, hostPageDeps, runIn, scriptedHost } from '../host/scripted-host-for-tests.ts';

const phases = { waitMs: 5, transferMs: 20, decodeMs: 1, computeMs: 40, readMs: 2, encodeMs: 1, sendMs: 1 };

/** Pushes of two workers, one every 100 ms each. */
const steps = Array.from({ length: 60 }, (_, index): StepTrace => {
  const receivedMs = 100 + index * 50;
  return {
    worker: (index % 2) + 1,
    seq: Math.floor(index / 2),
    version: index,
    examples: 100,
    givenMs: null,
    pausedMs: 0,
    receivedMs,
    answeredMs: receivedMs + 5,
    applyMs: 2,
    answerMs: 1,
    phases,
    verdict: 'applied',
    staleness: index % 3,
  };
});
const node = (name: string, worker: number | null, read: (at: number) => Partial<ResourceSample>): NodeResources => ({
  node: name,
  worker,
  source: 'tab',
  samples: Array.from({ length: 30 }, (_, at) => ({ ...noSample, ...read(at), atMs: at * 1000 })),
});
const curve = (worker: number) => ({
  worker,
  points: [1, 2, 3].map((at) => ({
    step: at * 10,
    elapsedMs: at * 100,
    wallMs: at * 100,
    loss: worker / at,
    accuracy: 0.25 * at,
  })),
});
const log: RunLog = {
  ...emptyLog,
  train: [{ step: 1, elapsedMs: 1, wallMs: 1, loss: 2.3 }],
  workerCurves: [curve(1), curve(2)],
  resources: [
    node('worker 1', 1, (at) => ({ busy: 0.7, sentBytes: at * 1e6, pressure: at < 15 ? 'nominal' : 'serious' })),
    node('host', null, (at) => ({ busy: 0.3 + (at % 5) / 20, memoryBytes: 5e7, sentBytes: at * 2e6 })),
  ],
  timeline: { steps, spans: [{ kind: 'evaluation', startMs: 500, durationMs: 300 }] },
};
const traffic = { sent: new TallyCounter(), received: new TallyCounter() };
traffic.sent.add('parameters', 1_300_000);
traffic.sent.add('control', 2000);
traffic.received.add('gradients', 1_200_000);
const row = (worker: number, name: string): WorkerRow => ({
  worker,
  name,
  isLocal: false,
  device: 'Chrome',
  backend: 'wasm',
  why: '',
  phase: 'computing',
  trouble: null,
  applied: 30,
  stale: 0,
  rejected: 0,
  examples: 3000,
  phases,
  stalenessSum: 30,
  stalenessMax: 2,
  peerBytes: 0,
  lastLoss: 1,
  examplesPerSecond: 1000,
  traffic: { sent: traffic.sent.counts, received: traffic.received.counts },
  transport: {
    messagesSent: 1,
    messagesReceived: 1,
    bytesSent: 1_302_000,
    bytesReceived: 1_200_000,
    wireBytesSent: 1_402_000,
    wireBytesReceived: 1_300_000,
    roundTripMs: 3,
  },
});
const workers = [row(1, 'Ada'), row(2, 'Grace')];
const counters = { ...runIn('running').counters, applied: 60, updates: 60 };

let root: HTMLElement;
let unmount = () => {};
beforeEach(() => {
  sessionStorage.clear();
  root = document.body.appendChild(document.createElement('div'));
});
afterEach(() => {
  unmount();
  root.remove();
});

function open(kept: readonly RunLog[] = []) {
  const scripted = scriptedHost();
  unmount = renderHostPage(root, hostPageDeps(scripted, kept));
  return scripted;
}
function openRun() {
  const scripted = open();
  scripted.put({ run: { ...runIn('running'), counters }, workers }, log);
  return scripted;
}

const find = (selector: string): HTMLElement => {
  const found = root.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`nothing on the page matches ${selector}`);
  return found;
};
const panel = () => find('#inspector-panel').textContent?.replaceAll('\u00a0', ' ') ?? '';
const choose = (tab: string) => find(`#tab-${tab}`).click();
const press = (target: HTMLElement, key: string) =>
  target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true, cancelable: true }));
/** How many pixels of the timeline have any colour. */
function inked(): number {
  const canvas = find('.bars canvas') as HTMLCanvasElement;
  const pixels = canvas.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  return pixels.filter((value, at) => at % 4 === 3 && value > 0).length;
}

test('each tab says in words what will appear in it', async () => {
  open();
  for (const tab of ['timeline', 'resources', 'operators', 'bytes', 'counts']) {
    choose(tab);
    await expect.poll(() => find(`#tab-${tab}`).getAttribute('aria-selected')).toBe('true');
    await expect.poll(() => find('#inspector-panel .empty').textContent).toMatch(/appears? here/);
  }
});

test('tabs are walked with the arrow keys, and the last one is there after a reload', async () => {
  openRun();
  press(find('#tab-timeline'), 'ArrowLeft');
  await expect.poll(() => document.activeElement?.id).toBe('tab-counts');
  press(find('#tab-counts'), 'Home');
  await expect.poll(() => document.activeElement?.id).toBe('tab-timeline');
  press(find('#tab-timeline'), 'ArrowRight');
  await expect.poll(() => find('#tab-resources').tabIndex).toBe(0);
  expect(find('#tab-timeline').tabIndex).toBe(-1);
  unmount();
  openRun();
  expect(find('#tab-resources').getAttribute('aria-selected')).toBe('true');
});

test('the timeline draws a line for each node, and a span can be picked with the keys', async () => {
  const { put } = openRun();
  await expect
    .poll(() => [...root.querySelectorAll('.gantt li')].map(({ textContent }) => textContent))
    .toEqual(['Server', 'Evaluation, saves', 'Ada', 'Grace']);
  find('.bars').scrollIntoView();
  await expect.poll(inked).toBeGreaterThan(1000);
  const canvas = find('.bars canvas');
  const follows = () => find('.timeline .toggle').getAttribute('aria-pressed');
  expect(follows()).toBe('true');
  for (const name of ['Server', 'Evaluation, saves', 'Ada']) {
    press(canvas, 'ArrowDown');
    await expect.poll(() => canvas.getAttribute('aria-valuetext')).toMatch(new RegExp(`^${name}: `));
  }
  expect(canvas.getAttribute('aria-valuetext')).toMatch(/^Ada: .*version \d+.*staleness \d.*applied/);
  expect(follows()).toBe('false');
  const before = canvas.getAttribute('aria-valuetext');
  press(canvas, 'ArrowRight');
  await expect.poll(() => canvas.getAttribute('aria-valuetext')).not.toBe(before);

  // What is looked at stands still while the run goes on.
  const range = () => [canvas.ariaValueMin, canvas.ariaValueMax];
  const held = range();
  const later = steps.map((step) => ({ ...step, receivedMs: step.receivedMs + 9000, answeredMs: 9000 }));
  put({}, { ...log, timeline: { steps: later, spans: [] } });
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(range()).toEqual(held);
  find('.timeline .toggle').click();
  await expect.poll(range).not.toEqual(held);
});

test('plus comes closer, and the table behind the timeline has each worker’s mean time', async () => {
  openRun();
  await expect.poll(() => root.querySelector('.bars canvas')).not.toBeNull();
  const canvas = find('.bars canvas');
  find('.bars').scrollIntoView();
  await expect.poll(inked).toBeGreaterThan(1000);
  const length = () => Number(canvas.ariaValueMax) - Number(canvas.ariaValueMin);
  const before = length();
  press(canvas, '+');
  await expect.poll(length).toBeLessThan(before);
  (find('.timeline details') as HTMLDetailsElement).open = true;
  await expect.poll(() => find('.timeline table').textContent).toContain('Ada');
  const ada = [...root.querySelectorAll('.timeline tbody tr')].find((line) => line.textContent?.includes('Ada'));
  expect(ada?.querySelectorAll('td')[1]?.textContent?.replace('\u00a0', ' ')).toBe('40 ms');
});

test('resources have a chart for each thing that is told, and name what is not', async () => {
  openRun();
  choose('resources');
  const titles = () => [...root.querySelectorAll('.resources h3')].map(({ textContent }) => textContent);
  await expect.poll(titles).toEqual(['Busy', 'Memory', 'Network out', 'Pressure']);
  expect(panel()).toContain('Not reported by Ada.');
  expect(panel()).toMatch(/This browser does not report: processor, network in/);
  expect(panel()).toContain('1.0 MB/s');
  await expect.poll(() => root.querySelectorAll('.resources .uplot').length).toBe(3);
  expect([...root.querySelectorAll('.strip i')].map(({ className }) => className)).toEqual(['nominal', 'serious']);
});

test('a step is taken apart on demand, and what goes wrong is said', async () => {
  const { profiles } = openRun();
  choose('operators');
  await expect.poll(panel).toContain('appears here');
  find('.operators button').click();
  await expect.poll(panel).toContain('this takes some seconds');
  profiles[0]?.reject(new Error('the data did not load'));
  await expect.poll(panel).toContain('the data did not load');
  find('.operators button').click();
  const operator = (name: string, ms: number) => ({ name, ms, outputShape: [100, 10], outputBytes: 4000 });
  await expect.poll(() => profiles.length).toBe(2);
  profiles[1]?.resolve({
    backend: 'wasm',
    batch: 100,
    stepMs: 9,
    operators: [operator('Relu', 2), operator('MatMul', 6)],
  });
  const names = () => [...root.querySelectorAll('.operators tbody th')].map(({ textContent }) => textContent);
  await expect.poll(names).toEqual(['MatMul', 'Relu']);
  expect(panel()).toContain('8.0 ms together');
  expect(panel()).toContain('75.0 %');
  (find('[name="operator-order"]:not(:checked)') as HTMLInputElement).click();
  await expect.poll(names).toEqual(['Relu', 'MatMul']);
});

test('bytes add up by kind, direction and node, with what is below the channel', async () => {
  openRun();
  choose('bytes');
  const cells = (name: string) =>
    [...root.querySelectorAll('.traffic tbody tr')]
      .filter((line) => line.querySelector('th')?.textContent === name)
      .map((line) => [...line.querySelectorAll('td')].map(({ textContent }) => textContent?.replace('\u00a0', ' ')));
  await expect.poll(() => cells('Server sent')).toEqual([['4.0 kB', '2.6 MB', '0', '0', '0', '200 kB', '2.8 MB', '–']]);
  expect(cells('Ada sent')).toEqual([['0', '0', '1.2 MB', '0', '0', '100 kB', '1.3 MB', '3.0 ms']]);
  expect(cells('Grace received')).toEqual([['2.0 kB', '1.3 MB', '0', '0', '0', '100 kB', '1.4 MB', '']]);
});

test('the charts draw each worker’s own curve when asked', async () => {
  openRun();
  expect(root.querySelector('.worker-readings')).toBeNull();
  const box = [...root.querySelectorAll<HTMLInputElement>('.tools .pick input')].at(-1);
  box?.click();
  const readings = () =>
    [...root.querySelectorAll('.worker-readings')].map((line) => line.querySelectorAll('.dot').length);
  await expect.poll(readings).toEqual([2, 2]);
});

test('the bottleneck is named once there are steps, with what to try', async () => {
  const { put } = open();
  expect(root.querySelector('.bottleneck')).toBeNull();
  put({ run: runIn('running') }, emptyLog);
  await expect.poll(() => find('.bottleneck').textContent).toContain('after its first steps');
  put({ run: { ...runIn('finished'), counters }, workers }, log);
  await expect.poll(() => find('.bottleneck .sentence').textContent).toMatch(/^Bound by /);
  expect(find('.bottleneck ol').children.length).toBeGreaterThan(0);
});

test('what to try goes into the form by a button, once the run is over', async () => {
  const { put } = open();
  const far = workers.map((worker) => ({ ...worker, phases: { ...phases, transferMs: 100_000 } }));
  const told = { ...log, timeline: { steps: [], spans: [] } };
  put({ run: { ...runIn('running'), counters }, workers: far }, told);
  const button = () => find('.bottleneck ol button') as HTMLButtonElement;
  await expect.poll(() => root.querySelector('.bottleneck ol button')).not.toBeNull();
  expect(button().disabled).toBe(true);
  expect(find('.bottleneck .aside').textContent).toContain('once this run is over');
  put({ run: { ...runIn('finished'), counters }, workers: far }, told);
  await expect.poll(() => button().disabled).toBe(false);
  expect(root.querySelector('.bottleneck .aside')).toBeNull();
  expect(button().textContent).toBe('Try it');
  const typed = () =>
    [...root.querySelectorAll<HTMLInputElement | HTMLSelectElement>('form input, form select')].map((field) =>
      field instanceof HTMLInputElement && field.type !== 'text' ? String(field.checked) : field.value,
    );
  const before = typed();
  button().click();
  await expect.poll(() => button().textContent).toBe('In the form');
  expect(typed()).not.toEqual(before);
});

test('an earlier run can be looked at, with what was kept of it', async () => {
  open([log]);
  await expect
    .poll(() => [...root.querySelectorAll('.gantt li')].map(({ textContent }) => textContent))
    .toEqual(['Server', 'Evaluation, saves', 'worker 1', 'worker 2']);
});

test('an earlier run that was kept whole has its workers’ names and bytes', async () => {
  open([{ ...log, end: { run: { ...runIn('finished'), counters }, workers } }]);
  await expect.poll(() => find('.gantt').textContent).toContain('Ada');
  choose('bytes');
  await expect.poll(() => find('.traffic').textContent).toContain('Grace received');
});

test('everything of a run is one download, with words on the way', async () => {
  const { put } = openRun();
  const names: string[] = [];
  const { click } = HTMLAnchorElement.prototype;
  // In place of the browser's own download.
  HTMLAnchorElement.prototype.click = function () {
    names.push(this.download);
  };
  try {
    const test = [
      { step: 10, elapsedMs: 1, wallMs: 1, loss: 1, examples: 1, accuracy: 0.5, precisions: [], auc: null },
    ];
    put({}, { ...log, test });
    await expect.poll(() => (find('.downloads .everything button') as HTMLButtonElement).disabled).toBe(false);
    find('.downloads .everything button').click();
    await expect.poll(() => find('.downloads [role=status]').textContent, { timeout: 10_000 }).toMatch(/^Saved, /);
    expect(names).toEqual(['manyhands-a.zip']);
  } finally {
    HTMLAnchorElement.prototype.click = click;
  }
});
