import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals';
import type { SimulatedPoint, SimulatedRun } from '../../simulate/result.ts';
import {
  type Comparable,
  comparable,
  defaultScenario,
  readScenario,
  type Scenario,
  type ScenarioKey,
  scenarioPairs,
} from '../../simulate/scenario.ts';
import type { FromSimulator, ToSimulator } from '../../simulate/thread.ts';

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

/** A choice as it is typed: texts by setting, and which strategies. */
export interface Draft {
  readonly texts: Readonly<Record<ScenarioKey, string>>;
  readonly strategies: readonly Comparable[];
}

export type Reading =
  | { readonly ok: true; readonly scenario: Scenario; readonly strategies: readonly Comparable[] }
  | { readonly ok: false; readonly problems: ReadonlyMap<string, string> };

export interface SimulateModel {
  readonly deps: SimulatePageDeps;
  readonly draft: ReadonlySignal<Draft>;
  readonly reading: ReadonlySignal<Reading>;
  readonly activity: ReadonlySignal<Activity>;
  /** Of the last simulation, in the order of the strategies. */
  readonly shown: ReadonlySignal<readonly Shown[]>;
  /** What the last simulation was of. */
  readonly scenario: ReadonlySignal<Scenario | null>;
  /** Where the pointer is, in seconds of virtual time. */
  readonly hoverX: Signal<number | null>;
  setText(key: ScenarioKey, text: string): void;
  choose(strategy: Comparable, isChosen: boolean): void;
  start(): void;
  cancel(): void;
  close(): void;
}

/** The texts that read back as this scenario; an empty one is no limit. */
const textsOf = (scenario: Scenario) =>
  Object.fromEntries(
    Object.entries(scenario).map(([key, value]) => [key, value === null ? '' : String(value)]),
  ) as Record<ScenarioKey, string>;

/** Reads what is typed; a problem is kept under the name of its setting. */
export function readDraft({ texts, strategies }: Draft): Reading {
  const problems = new Map<string, string>();
  if (strategies.length === 0) problems.set('strategy', 'Choose at least one.');
  let scenario: Scenario | null = null;
  try {
    scenario = readScenario(Object.entries(texts).map(([key, text]) => [key, text.trim() === '' ? 'off' : text]));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    for (const line of error.message.split('\n')) {
      const [key = '', ...words] = line.split(': ');
      problems.set(key, `It ${words.join(': ')}.`);
    }
  }
  return scenario && problems.size === 0 ? { ok: true, scenario, strategies } : { ok: false, problems };
}

/** What the address says; settings it has wrong are as usual. */
export function draftFrom(query: URLSearchParams): Draft {
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
  return { texts: textsOf(scenario), strategies: strategies.length === 0 ? comparable : strategies };
}

/** Inverse of `draftFrom`, leaving out what is as usual. */
export function queryFrom(scenario: Scenario, strategies: readonly Comparable[]): URLSearchParams {
  const query = new URLSearchParams(scenarioPairs(scenario));
  if (strategies.length < comparable.length) query.set('strategy', strategies.join(','));
  return query;
}

/** The page's state; `close` ends what it has started. */
export function createSimulateModel(deps: SimulatePageDeps): SimulateModel {
  const draft = signal(draftFrom(deps.query));
  const reading = computed(() => readDraft(draft.value));
  const activity = signal<Activity>({ kind: 'rest' });
  const shown = signal<readonly Shown[]>([]);
  const scenario = signal<Scenario | null>(null);
  let simulator: Simulator | null = null;
  let startedMs = 0;

  const change = (next: Draft) => {
    draft.value = next;
    if (reading.value.ok) deps.onChange(queryFrom(reading.value.scenario, reading.value.strategies));
  };
  const show = (one: Shown) => {
    shown.value = [...shown.value.filter(({ strategy }) => strategy !== one.strategy), one];
  };
  const end = (next: Activity) => {
    simulator?.terminate();
    simulator = null;
    activity.value = next;
  };
  const hear = (message: FromSimulator, strategies: readonly Comparable[]) => {
    switch (message.type) {
      case 'progress': {
        const { strategy, fraction, curve } = message;
        const done = (strategies.indexOf(strategy) + fraction) / strategies.length;
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
    draft,
    reading,
    activity,
    shown,
    scenario,
    hoverX: signal<number | null>(null),
    setText: (key, text) => change({ ...draft.value, texts: { ...draft.value.texts, [key]: text } }),
    choose: (strategy, isChosen) =>
      change({
        ...draft.value,
        strategies: comparable.filter((other) =>
          other === strategy ? isChosen : draft.value.strategies.includes(other),
        ),
      }),
    start() {
      if (!reading.value.ok || simulator) return;
      const { strategies } = reading.value;
      const [first] = strategies;
      if (!first) return;
      scenario.value = reading.value.scenario;
      shown.value = [];
      startedMs = performance.now();
      activity.value = { kind: 'busy', strategy: first, fraction: 0, leftMs: null };
      const started = deps.spawn();
      simulator = started;
      started.onmessage = ({ data }) => {
        if (simulator === started) hear(data, strategies);
      };
      started.onerror = (event) => {
        if (simulator === started) end({ kind: 'failed', text: event.message || 'the thread could not be started' });
      };
      started.postMessage({ scenario: reading.value.scenario, strategies });
    },
    cancel: () => end({ kind: 'rest' }),
    close: () => end({ kind: 'rest' }),
  };
}
