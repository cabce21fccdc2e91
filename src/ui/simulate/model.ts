import { computed, effect, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import { type Draft, draftOf, readDraft } from '../../experiment/draft.ts';
import { defaultExperiment } from '../../experiment/experiment.ts';
import { sentence } from '../../experiment/problems.ts';
import type { Setting } from '../../experiment/setting.ts';
import type { SimulatedPoint, SimulatedRun } from '../../simulate/result.ts';
import {
  type Comparable,
  comparable,
  defaultScenario,
  readScenario,
  type Scenario,
  scenarioPairs,
  scenarioProblems,
  scenarioSettings,
} from '../../simulate/scenario.ts';
import type { FromSimulator, ToSimulator } from '../../simulate/thread.ts';
import type { Form } from '../form/form-fields.tsx';

/** A thread that simulates; a `Worker` is one. */
export interface Simulator {
  postMessage(message: ToSimulator): void;
  terminate(): void;
  onmessage: ((event: MessageEvent<FromSimulator>) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** What the page needs from outside. */
export interface SimulatePageDeps {
  /** The settings in the address, without the word that leads here. */
  readonly query: URLSearchParams;
  /** Called with the settings whenever they are others, for the address. */
  onChange(query: URLSearchParams): void;
  spawn(): Simulator;
}

/** A strategy's curve; the result when it is done. */
export interface Shown {
  readonly strategy: Comparable;
  readonly curve: readonly SimulatedPoint[];
  readonly done: { readonly run: SimulatedRun; readonly tookMs: number } | null;
}

export type Activity =
  | { readonly kind: 'rest' }
  | { readonly kind: 'busy'; readonly strategy: Comparable; readonly fraction: number; readonly leftMs: number | null }
  | { readonly kind: 'failed'; readonly text: string };

/** What is typed and chosen, as a scenario or as sentences on what is wrong, by key. */
export type Reading =
  | { readonly ok: true; readonly scenario: Scenario }
  | { readonly ok: false; readonly problems: ReadonlyMap<string, string> };

export interface SimulateModel {
  readonly deps: SimulatePageDeps;
  readonly form: Form;
  readonly strategies: ReadonlySignal<readonly Comparable[]>;
  readonly reading: ReadonlySignal<Reading>;
  readonly activity: ReadonlySignal<Activity>;
  /** Of the last simulation, in the order of the strategies. */
  readonly shown: ReadonlySignal<readonly Shown[]>;
  /** What the last simulation was of. */
  readonly scenario: ReadonlySignal<Scenario | null>;
  /** Where the pointer is, in seconds of virtual time. */
  readonly hoverX: Signal<number | null>;
  choose(strategy: Comparable, isChosen: boolean): void;
  start(): void;
  cancel(): void;
  close(): void;
}

/** Whether one of the strategies uses a setting: others are kept as typed, but neither shown nor read. */
function isAsked(key: string, { texts }: Draft, strategies: readonly Comparable[]): boolean {
  const { strategies: users, isUsed } = scenarioSettings[key] as Setting;
  const isOfOne = users === undefined || strategies.some((strategy) => users.includes(strategy));
  return isOfOne && (isUsed?.({ ...defaultExperiment, ...texts }) ?? true);
}

function read(draft: Draft, strategies: readonly Comparable[]): Reading {
  const { values } = readDraft(scenarioSettings, draft, { ...defaultScenario }, (key) =>
    isAsked(key, draft, strategies),
  );
  const problems = scenarioProblems(values);
  if (strategies.length === 0) problems.push({ key: 'strategies', text: 'choose at least one' });
  if (problems.length === 0) return { ok: true, scenario: { ...defaultScenario, ...values } };
  return { ok: false, problems: new Map(problems.map(({ key, text }) => [key, sentence(text)])) };
}

/** What an address says; settings it has wrong are as usual. */
export function scenarioFrom(query: URLSearchParams): { scenario: Scenario; strategies: readonly Comparable[] } {
  const named = (query.get('strategy') ?? '').split(',');
  const strategies = comparable.filter((strategy) => named.includes(strategy));
  let scenario = defaultScenario;
  for (const [key, text] of query) {
    try {
      scenario = readScenario([...scenarioPairs(scenario), [key, text]]);
    } catch {
      // Somebody's typing, or another page's setting.
    }
  }
  return { scenario, strategies: strategies.length === 0 ? comparable : strategies };
}

/** Inverse of `scenarioFrom`, leaving out what is as usual. */
export function queryFrom(scenario: Scenario, strategies: readonly Comparable[]): URLSearchParams {
  const query = new URLSearchParams(scenarioPairs(scenario));
  if (strategies.length < comparable.length) query.set('strategy', strategies.join(','));
  return query;
}

/** The page's state; `close` ends what it has started. */
export function createSimulateModel(deps: SimulatePageDeps): SimulateModel {
  const first = scenarioFrom(deps.query);
  const draft = signal(draftOf(scenarioSettings, { ...first.scenario }));
  const strategies = signal(first.strategies);
  const reading = computed(() => read(draft.value, strategies.value));
  const activity = signal<Activity>({ kind: 'rest' });
  const shown = signal<readonly Shown[]>([]);
  const scenario = signal<Scenario | null>(null);
  let simulator: Simulator | null = null;
  let startedMs = 0;

  let address = queryFrom(first.scenario, first.strategies).toString();
  const stopWatching = effect(() => {
    if (!reading.value.ok) return;
    const query = queryFrom(reading.value.scenario, strategies.value);
    if (query.toString() !== address) deps.onChange(query);
    address = query.toString();
  });
  const show = (one: Shown) => {
    shown.value = [...shown.value.filter(({ strategy }) => strategy !== one.strategy), one];
  };
  const end = (next: Activity) => {
    simulator?.terminate();
    simulator = null;
    activity.value = next;
  };
  const hear = (message: FromSimulator, chosen: readonly Comparable[]) => {
    switch (message.type) {
      case 'progress': {
        const { strategy, fraction, curve } = message;
        const done = (chosen.indexOf(strategy) + fraction) / chosen.length;
        const leftMs = done < 0.02 ? null : ((performance.now() - startedMs) * (1 - done)) / done;
        activity.value = { kind: 'busy', strategy, fraction: done, leftMs };
        return show({ strategy, curve, done: null });
      }
      case 'run': {
        const { run, tookMs } = message;
        return show({ strategy: run.strategy, curve: run.curve, done: { run, tookMs } });
      }
      case 'done':
        return end({ kind: 'rest' });
      case 'failed':
        return end({ kind: 'failed', text: message.text });
      default:
        message satisfies never;
    }
  };

  return {
    deps,
    form: {
      settings: scenarioSettings,
      draft,
      problems: computed(() => (reading.value.ok ? new Map() : reading.value.problems)),
      isAsked: (key) => isAsked(key, draft.value, strategies.value),
      choicesOf: (key) => {
        const setting = scenarioSettings[key];
        return setting?.kind === 'choice' ? setting.choices : null;
      },
    },
    strategies,
    reading,
    activity,
    shown,
    scenario,
    hoverX: signal<number | null>(null),
    choose(strategy, isChosen) {
      strategies.value = comparable.filter((other) =>
        other === strategy ? isChosen : strategies.value.includes(other),
      );
    },
    start() {
      const [firstStrategy] = strategies.value;
      if (!reading.value.ok || simulator || !firstStrategy) return;
      const chosen = strategies.value;
      scenario.value = reading.value.scenario;
      shown.value = [];
      startedMs = performance.now();
      activity.value = { kind: 'busy', strategy: firstStrategy, fraction: 0, leftMs: null };
      const started = deps.spawn();
      simulator = started;
      started.onmessage = ({ data }) => {
        if (simulator === started) hear(data, chosen);
      };
      started.onerror = (event) => {
        if (simulator === started) end({ kind: 'failed', text: event.message || 'the thread could not be started' });
      };
      started.postMessage({ scenario: reading.value.scenario, strategies: chosen });
    },
    cancel: () => end({ kind: 'rest' }),
    close() {
      stopWatching();
      end({ kind: 'rest' });
    },
  };
}
