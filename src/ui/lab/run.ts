import { effect, type ReadonlySignal, signal } from '@preact/signals';
import type { RunState } from '../../core/server/progress.ts';
import type { Host, HostState, WorkerRow } from '../../host/state.ts';
import { workersOf } from '../../lab/summary.ts';
import type { SweepRun } from '../../lab/sweep.ts';
import type { SweepWork } from '../../lab/sweep-runner.ts';
import { type Machine, type RunReport, runReport } from '../../observe/run-report.ts';
import type { KeptModel } from '../../store/labs.ts';
import { stopWords } from '../words/words.ts';

/** The host looks at its links every two seconds: so long after a run their counts may lag behind. */
const SETTLE_MS = 3000;
/** A start is a look at the links and a message to a thread; what is wrong after this long has to do with it. */
const START_MS = 5000;
/** A profile and the model are good to have; nobody waits for them for long. */
const ROUND_OFF_MS = 60_000;

/** Where one run of a sweep is. */
export type RunStage =
  /** Fewer tabs are connected than it needs: it waits. */
  | { readonly kind: 'short'; readonly needed: number; readonly here: number }
  | { readonly kind: 'starting' }
  /** It is the host's run of this id. */
  | { readonly kind: 'training'; readonly id: string }
  /** It is over; what more is wanted of it is fetched. */
  | { readonly kind: 'rounding-off'; readonly id: string; readonly words: string };

/** What came of one run. */
export interface TrainedRun {
  readonly report: RunReport | null;
  readonly failure: string | null;
  /** Null if it failed, or is not to be kept. */
  readonly model: KeptModel | null;
}

export interface RunTerms {
  readonly host: Host;
  readonly machine: Machine;
  /** The sweep's: the host is one of the workers. With `single` it always is. */
  readonly hostTrains: boolean;
  /** The run under way is to be broken off. */
  readonly isStopped: ReadonlySignal<boolean>;
  /** Runs that need more tabs than are here are passed over instead of waited for. */
  readonly skipsShort: ReadonlySignal<boolean>;
  readonly keepsModel: boolean;
  /** Whether one step is taken apart afterwards. */
  readonly profiles: boolean;
  onStage(stage: RunStage): void;
}

const trainsHere = ({ experiment }: SweepRun, hostTrains: boolean): boolean =>
  hostTrains || experiment.strategy === 'single';

/** How many tabs beside this one must be connected for a run. */
export const tabsNeeded = (run: SweepRun, hostTrains: boolean): number =>
  workersOf(run.experiment) - (trainsHere(run, hostTrains) ? 1 : 0);

/** How many tabs beside this one are connected and not resting. */
export const tabsHere = ({ workers }: HostState): number =>
  workers.filter(({ isLocal, phase }) => !isLocal && phase !== 'gone' && phase !== 'paused' && phase !== 'greeting')
    .length;

const tookPart = ({ applied, stale, rejected }: WorkerRow): boolean => applied + stale + rejected > 0;

/** The report of the run that is there, with those workers alone that did something in it. */
export function reportOf({ state, log }: Host, machine: Machine): RunReport | null {
  const { run, workers } = state;
  return run === null || log?.id !== run.id
    ? null
    : runReport({ run, workers: workers.filter(tookPart) }, log, machine);
}

/** Trains one run of a sweep with as many workers as it asks for; null if it was stopped or passed over. */
export async function trainRun(
  run: SweepRun,
  tell: Parameters<SweepWork['run']>[1],
  terms: RunTerms,
): Promise<TrainedRun | null> {
  const { host, machine, hostTrains, isStopped, skipsShort, onStage } = terms;
  const { until, after, close } = watched(host);
  try {
    const needed = tabsNeeded(run, hostTrains);
    const isShort = (): boolean => {
      const here = tabsHere(host.state);
      if (here < needed) onStage({ kind: 'short', needed, here });
      return here < needed;
    };
    const start = await until(() => {
      if (isStopped.value) return 'no';
      if (!isShort()) return 'yes';
      return skipsShort.value ? 'no' : null;
    });
    onStage({ kind: 'starting' });
    if (start === 'no') return null;

    const before = host.state;
    const isOurs = (state: RunState | null): state is RunState => state !== null && state.id !== before.run?.id;
    host.setTrainsHere(trainsHere(run, hostTrains));
    host.start(run.experiment, workersOf(run.experiment));
    const isOverdue = after(START_MS);
    const end = await until(() => {
      if (isStopped.value) return { kind: 'stopped' } as const;
      const { run: state, note } = host.state;
      const isNews = isOurs(state) || isOverdue.value || note?.text !== before.note?.text;
      const broken = note?.kind === 'broken' && isNews ? ({ kind: 'broken', text: note.text } as const) : null;
      if (!isOurs(state)) return broken;
      // Somebody left before it began.
      const isWaiting = state.phase === 'waiting' && isShort();
      if (isWaiting && skipsShort.value) return { kind: 'stopped' } as const;
      if (!isWaiting) onStage({ kind: 'training', id: state.id });
      // When the loss will be reached nobody knows; other stop rules then only say when it ends at the latest.
      const isKnown = state.phase !== 'waiting' && state.experiment.untilLoss === null;
      tell({ text: `step ${state.version}`, leftMs: isKnown ? state.leftMs : null });
      return state.phase === 'finished' || state.phase === 'failed' ? ({ kind: 'over', state } as const) : broken;
    });
    if (end.kind !== 'over') {
      // Before it began, what is there is of the run before.
      const report = isOurs(host.state.run) ? reportOf(host, machine) : null;
      // A run that is still on its way to the server would begin after the reset, with nobody to end it.
      if (end.kind === 'stopped') {
        const isGivenUp = after(START_MS);
        await until(() => (isOurs(host.state.run) || isGivenUp.value ? true : null));
      }
      host.reset();
      return end.kind === 'stopped' ? null : { report, failure: end.text, model: null };
    }
    const { state } = end;
    const isLate = after(SETTLE_MS);
    const settled = await until(() => {
      const report = reportOf(host, machine);
      const isTested = state.phase === 'failed' || host.log?.test.at(-1)?.step === host.state.run?.version;
      const isCounted = report?.workers.every(({ transport }) => (transport?.unaccountedBytes ?? 0) >= 0) ?? false;
      return isLate.value || (isTested && isCounted) ? { report } : null;
    });
    const failure = failureOf(state, settled.report, run);
    if (failure !== null) return { ...settled, failure, model: null };
    const isTooLate = after(ROUND_OFF_MS);
    const giveUp = until(() => (isTooLate.value ? 'given up' : null));
    if (terms.profiles) {
      onStage({ kind: 'rounding-off', id: state.id, words: 'taking one step apart' });
      const skip = until(() => (isStopped.value ? 'skipped' : null));
      await Promise.race([host.profile(run.experiment).catch(() => {}), skip, giveUp]);
    }
    if (terms.keepsModel) onStage({ kind: 'rounding-off', id: state.id, words: 'fetching the model' });
    const model = terms.keepsModel ? await Promise.race([modelOf(host), giveUp.then(() => null)]) : null;
    const report = settled.report && { ...settled.report, profile: host.log?.profile ?? null };
    return { report, failure, model };
  } finally {
    close();
  }
}

async function modelOf(host: Host): Promise<KeptModel | null> {
  const trained = await host.parameters();
  return trained && { version: trained.version, params: new Blob([trained.params as Float32Array<ArrayBuffer>]) };
}

/** Ways to wait for a host; `close` ends them. */
function watched(host: Host) {
  const beats = signal(0);
  const timers: ReturnType<typeof setTimeout>[] = [];
  const unsubscribe = host.subscribe(() => {
    beats.value += 1;
  });
  return {
    /** What `read` gives, once it gives something; asked after every change of the host and of the signals it reads. */
    until: <T>(read: () => T | null): Promise<T> =>
      new Promise((resolve) => {
        let isFound = false;
        const stop = effect(() => {
          void beats.value;
          const found = isFound ? null : read();
          if (found === null) return;
          isFound = true;
          resolve(found);
          queueMicrotask(() => stop());
        });
      }),
    /** True from so long on. */
    after(ms: number): ReadonlySignal<boolean> {
      const isPast = signal(false);
      const timer = setTimeout(() => {
        isPast.value = true;
      }, ms);
      timers.push(timer);
      return isPast;
    },
    close() {
      unsubscribe();
      for (const timer of timers) clearTimeout(timer);
    },
  };
}

/** Why a run that is over does not count; null if it does. */
function failureOf(state: RunState, report: RunReport | null, { experiment }: SweepRun): string | null {
  if (report === null) return 'its curves were lost';
  if (state.phase === 'failed')
    return state.stopReason === null ? 'it failed' : stopWords(state.stopReason, experiment);
  const gone = report.workers.filter(({ phase }) => phase === 'gone').length;
  const asked = workersOf(experiment);
  // Whoever took the place of one that left was not there from the beginning.
  const whole = Math.min(report.workers.length - gone, asked - gone);
  return whole < asked ? `only ${whole} of ${asked} workers took part to the end` : null;
}
