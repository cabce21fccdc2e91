import { describe, expect, it } from 'vitest';
import type { SimulatedRun } from '../../simulate/result.ts';
import { comparable, defaultScenario } from '../../simulate/scenario.ts';
import type { FromSimulator, ToSimulator } from '../../simulate/thread.ts';
import { setText } from '../form/form-fields.tsx';
import { createSimulateModel, queryFrom, type Simulator, scenarioFrom } from './model.ts';

class FakeSimulator implements Simulator {
  onmessage: Simulator['onmessage'] = null;
  onerror: Simulator['onerror'] = null;
  readonly asked: ToSimulator[] = [];
  isEnded = false;

  postMessage(message: ToSimulator): void {
    this.asked.push(message);
  }

  terminate(): void {
    this.isEnded = true;
  }

  say(data: FromSimulator): void {
    this.onmessage?.({ data } as MessageEvent<FromSimulator>);
  }
}

function rig(query = '') {
  const simulators: FakeSimulator[] = [];
  const addresses: string[] = [];
  const model = createSimulateModel({
    query: new URLSearchParams(query),
    onChange: (changed) => addresses.push(changed.toString()),
    spawn() {
      const simulator = new FakeSimulator();
      simulators.push(simulator);
      return simulator;
    },
  });
  return { model, simulators, addresses };
}

const point = { elapsedMs: 0, step: 0, examples: 0, loss: 2.3, accuracy: 0.1 };

describe('the address', () => {
  it('holds every setting that is not as usual', () => {
    const query = 'workers=12&churn=3&up=int8&untilLoss=0.4&strategy=async,sync';
    const read = scenarioFrom(new URLSearchParams(query));
    const scenario = { ...defaultScenario, workers: 12, churn: 3, up: 'int8', untilLoss: 0.4 };
    expect(read).toEqual({ strategies: ['sync', 'async'], scenario });
    expect(rig(query).model.reading.value).toEqual({ ok: true, scenario });
    expect(scenarioFrom(queryFrom(read.scenario, read.strategies))).toEqual(read);
    expect(queryFrom(defaultScenario, comparable).toString()).toBe('');
  });

  it('with nonsense in it is as usual where it makes none', () => {
    const read = scenarioFrom(new URLSearchParams('simulate&workers=-3&latency=50&strategy=nothing&x=1'));
    expect(read).toEqual({ strategies: comparable, scenario: { ...defaultScenario, latency: 50 } });
  });

  it('follows what is typed, as long as it makes sense', () => {
    const { model, addresses } = rig();
    setText(model.form, 'workers', '20');
    setText(model.form, 'workers', '');
    model.choose('local', false);
    expect(addresses).toEqual(['workers=20']);
    expect(model.reading.value.ok).toBe(false);
    setText(model.form, 'workers', '7');
    expect(addresses.at(-1)).toBe('workers=7&strategy=sync%2Casync%2Cbounded%2Callreduce');
  });
});

it('says beside the field what is wrong', () => {
  const { model } = rig('strategy=sync');
  setText(model.form, 'latency', 'far');
  model.choose('sync', false);
  const reading = model.reading.value;
  expect(reading.ok ? null : Object.fromEntries(reading.problems)).toEqual({
    latency: 'Must be a number from 0 to 10,000.',
    strategies: 'Choose at least one.',
  });
});

it('shows curves as they grow, then results, and ends the thread', () => {
  const { model, simulators } = rig('strategy=sync,async&workers=3');
  model.start();
  const [simulator] = simulators;
  expect(simulator?.asked).toEqual([{ scenario: { ...defaultScenario, workers: 3 }, strategies: ['sync', 'async'] }]);
  simulator?.say({ type: 'progress', strategy: 'sync', fraction: 0.5, curve: [point] });
  expect(model.activity.value).toMatchObject({ kind: 'busy', strategy: 'sync', fraction: 0.25 });
  expect(model.shown.value).toEqual([{ strategy: 'sync', curve: [point], done: null }]);
  const run = { strategy: 'sync', curve: [point, point] } as unknown as SimulatedRun;
  simulator?.say({ type: 'run', run, tookMs: 5 });
  expect(model.shown.value).toEqual([{ strategy: 'sync', curve: run.curve, done: { run, tookMs: 5 } }]);
  simulator?.say({ type: 'done' });
  expect(model.activity.value.kind).toBe('rest');
  expect(simulator?.isEnded).toBe(true);
});

it('once cancelled hears nothing more, and can begin again', () => {
  const { model, simulators } = rig();
  model.start();
  model.start();
  expect(simulators.length).toBe(1);
  model.cancel();
  simulators[0]?.say({ type: 'progress', strategy: 'sync', fraction: 0.5, curve: [point] });
  expect(simulators[0]?.isEnded).toBe(true);
  expect(model.shown.value).toEqual([]);
  model.start();
  simulators[1]?.say({ type: 'failed', text: 'no memory' });
  expect(model.activity.value).toEqual({ kind: 'failed', text: 'no memory' });
});
