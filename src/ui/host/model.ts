import { computed, effect, signal } from '@preact/signals';
import type { RunMoment } from '../../core/server/progress.ts';
import type { ExperimentKey } from '../../experiment/experiment.ts';
import { settings } from '../../experiment/settings.ts';
import type { HostState, RunLog } from '../../host/state.ts';
import { choicesOf } from '../../models/plan.ts';
import { type RunNumbers, runSummary } from '../../observe/run-numbers.ts';
import type { XAxis } from '../charts/series.ts';
import { draftOf, isAsked, readDraft } from '../form/experiment-draft.ts';
import type { Form } from '../form/form-fields.tsx';
import { live } from './live.ts';
import type { HostPageDeps } from './page.tsx';

/** A run in the charts and the table of runs. */
export interface ShownRun {
  readonly log: RunLog;
  /** 0 is the run of this page; earlier ones count up and keep their number. */
  readonly slot: number;
  readonly isShown: boolean;
  /** The run and its workers, of this page's run now, of others when they were kept; null before a run is. */
  readonly moment: RunMoment | null;
  /** What it came to, of this page's run so far; null where that was not kept. */
  readonly numbers: RunNumbers | null;
}

/** The host page's own state beside the host's: what is typed, and how the curves are drawn. */
export type HostModel = ReturnType<typeof createHostModel>;

/** The run of a page that is a host. */
export function ownRun(log: RunLog, { run, workers }: HostState): ShownRun {
  const isNow = run?.id === log.id;
  const moment = isNow ? { run, workers } : log.end;
  return { log, slot: 0, isShown: true, moment, numbers: isNow ? runSummary({ run, workers }) : log.summary };
}

const isOver = ({ run }: HostState) => run === null || run.phase === 'finished' || run.phase === 'failed';

/** Starts listening to the host and its stored runs; `close` stops it. */
export function createHostModel(deps: HostPageDeps) {
  const { host } = deps;
  // The log is one object that grows, so its lengths are what changes.
  const seen = live(host, () => ({ state: host.state, log: host.log }));
  const state = computed(() => seen.value.value.state);
  const isLocked = computed(() => !isOver(state.value));
  const draft = signal(draftOf(deps.experiment));
  const reading = computed(() => readDraft(draft.value));
  const experiment = computed(() => {
    if (isLocked.value && state.value.run !== null) return state.value.run.experiment;
    return reading.value.ok ? reading.value.experiment : lastValid;
  });
  let lastValid = deps.experiment;
  let lastText = JSON.stringify(deps.experiment);

  const stored = signal<readonly RunLog[]>([]);
  const hidden = signal<ReadonlySet<string>>(new Set());
  const slots = new Map<string, number>();
  const slotOf = (id: string): number => {
    const taken = new Set(slots.values());
    let slot = slots.get(id) ?? 1;
    while (!slots.has(id) && taken.has(slot)) slot += 1;
    slots.set(id, slot);
    return slot;
  };
  const runs = computed((): readonly ShownRun[] => {
    const { log, state } = seen.value.value;
    const earlier = stored.value.filter(({ id }) => id !== log?.id).sort((a, b) => b.startedAtMs - a.startedAtMs);
    const isShown = ({ id }: RunLog) => !hidden.value.has(id);
    const all = earlier.map((of): ShownRun => {
      return { log: of, slot: slotOf(of.id), isShown: isShown(of), moment: of.end, numbers: of.summary };
    });
    return log === null ? all : [{ ...ownRun(log, state), isShown: isShown(log) }, ...all];
  });

  let loaded: string | null = null;
  let drafted: string | null = null;
  const load = async () => {
    const isFirst = loaded === null;
    try {
      const logs = await deps.runs.list();
      // Runs from before this page are there to be picked, but do not crowd the charts.
      if (isFirst) hidden.value = new Set(logs.map(({ id }) => id).filter((id) => id !== host.log?.id));
      stored.value = logs;
    } catch (error) {
      console.error('The earlier runs could not be read', error);
    }
  };
  const stops = [
    effect(() => {
      const { run } = state.value;
      const key = `${run?.id ?? ''} ${run?.phase === 'finished'}`;
      if (key === loaded) return;
      void load();
      loaded = key;
    }),
    effect(() => {
      const { run } = state.value;
      if (!isLocked.value || run === null || run.id === drafted) return;
      drafted = run.id;
      draft.value = draftOf(run.experiment);
    }),
    effect(() => {
      if (!reading.value.ok) return;
      lastValid = reading.value.experiment;
      const text = JSON.stringify(lastValid);
      if (text !== lastText) deps.onExperimentChange(lastValid);
      lastText = text;
    }),
  ];
  return {
    deps,
    state,
    draft,
    reading,
    /** The draft for fields. */
    form: {
      settings,
      draft,
      problems: computed(() => (reading.value.ok ? new Map() : reading.value.problems)),
      isAsked: (key) => isAsked(draft.value, key),
      choicesOf: (key) => choicesOf(key as ExperimentKey),
    } satisfies Form,
    /** While a run goes on its experiment stands. */
    isLocked,
    /** What is trained now, or would be on Start. */
    experiment,
    runs,
    axis: signal<XAxis>('step'),
    smoothing: signal(0.95),
    cutsOutliers: signal(true),
    /** Where the pointer is on the charts' x axis. */
    hoverX: signal<number | null>(null),
    /** Reset was asked for while there is work to lose. */
    asksReset: signal(false),
    show(id: string, isShown: boolean): void {
      const next = new Set(hidden.value);
      if (isShown) next.delete(id);
      else next.add(id);
      hidden.value = next;
    },
    forget(id: string): void {
      void deps.runs.remove(id).then(load, load);
      slots.delete(id);
    },
    close(): void {
      for (const stop of stops) stop();
      seen.stop();
    },
  };
}
