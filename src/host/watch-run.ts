import type { RunState, TestPoint } from '../core/server/progress.ts';
import type { RunReport } from '../observe/run-report.ts';
import type { Host, HostState } from './state.ts';

/** A host at one moment, as a program that watches a run sees it. */
export interface HostView {
  readonly state: HostState;
  /** The last evaluation of its run. */
  readonly test: TestPoint | null;
}

/** Shows something now and after every change, until what it returns is called; `lost` says that it is out of sight for good. */
export type Watch<Seen> = (show: (seen: Seen) => void, lost: (error: unknown) => void) => () => void;

export const viewOf = ({ state, log }: Host): HostView => ({ state, test: log?.test.at(-1) ?? null });

/** Watches a host in this program: every change is seen when it happens. */
export const watchHost =
  (host: Host): Watch<HostView> =>
  (show) => {
    const look = () => show(viewOf(host));
    const stop = host.subscribe(look);
    look();
    return stop;
  };

const LOOK_EVERY_MS = 250;

/** Watches what is behind a browser's page: it is asked again a while after each answer. */
export const poll =
  <Seen>(look: () => Promise<Seen>, everyMs = LOOK_EVERY_MS): Watch<Seen> =>
  (show, lost) => {
    let isStopped = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const ask = async () => {
      try {
        const seen = await look();
        if (isStopped) return;
        show(seen);
        if (!isStopped) timer = setTimeout(ask, everyMs);
      } catch (error) {
        if (!isStopped) lost(error);
      }
    };
    void ask();
    return () => {
      isStopped = true;
      clearTimeout(timer);
    };
  };

export interface Patience {
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number;
}

/** Timers cannot be set to longer. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The first answer of `read` that is not null; it is asked at once and after every change. What it throws rejects. */
export function until<Seen, Found>(watch: Watch<Seen>, read: (seen: Seen) => Found | null): Promise<Found>;
export function until<Seen, Found>(
  watch: Watch<Seen>,
  read: (seen: Seen) => Found | null,
  patience: Patience,
): Promise<Found | 'timed-out' | 'aborted'>;
export function until<Seen, Found>(
  watch: Watch<Seen>,
  read: (seen: Seen) => Found | null,
  { signal, timeoutMs }: Patience = {},
): Promise<Found | 'timed-out' | 'aborted'> {
  return new Promise((resolve, reject) => {
    let stop: (() => void) | null = null;
    let isOver = false;
    const end = (settle: () => void) => {
      if (isOver) return;
      isOver = true;
      stop?.();
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      settle();
    };
    const onAbort = () => end(() => resolve('aborted'));
    const fail = (error: unknown) => end(() => reject(error));
    const timer =
      timeoutMs === undefined
        ? undefined
        : setTimeout(() => end(() => resolve('timed-out')), Math.min(timeoutMs, MAX_TIMEOUT_MS));
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) return onAbort();
    stop = watch((seen) => {
      if (isOver) return;
      try {
        const found = read(seen);
        if (found !== null) end(() => resolve(found));
      } catch (error) {
        fail(error);
      }
    }, fail);
    // It may have ended with the first look.
    if (isOver) stop();
  });
}

/** The host's run, unless it is still the one before. */
export const runAfter = (before: string | undefined, { state: { run } }: HostView): RunState | null =>
  run?.id === before ? null : run;

/** What came of a run that was watched to its end. */
export type RunOutcome =
  | { readonly kind: 'finished'; readonly run: RunState }
  /** `run.stopReason` is the code. */
  | { readonly kind: 'failed'; readonly run: RunState }
  /** The host dropped it. */
  | { readonly kind: 'stopped' }
  /** Whoever watched saw no point in going on. */
  | { readonly kind: 'given-up'; readonly why: string }
  /** The run as it was last seen; null if it never began. */
  | { readonly kind: 'timed-out' | 'aborted'; readonly run: RunState | null };

export interface RunWatcher<Seen> extends Patience {
  /** The id of the run that was there before; the next one is watched. */
  readonly before?: string | undefined;
  /** Called with every look at a run that goes on, or, with null, has not begun. */
  onProgress?(seen: Seen, run: RunState | null): void;
  /** Why there is no point in waiting any longer; null while there is. */
  giveUp?(seen: Seen, run: RunState | null): string | null;
}

/** Watches a host's run to its end. */
export async function watchRun<Seen extends HostView>(
  watch: Watch<Seen>,
  { before, onProgress, giveUp, ...patience }: RunWatcher<Seen>,
): Promise<RunOutcome> {
  let run: RunState | null = null;
  const read = (seen: Seen): RunOutcome | null => {
    const current = runAfter(before, seen);
    if (current === null && run !== null) return { kind: 'stopped' };
    run = current;
    if (run?.phase === 'finished' || run?.phase === 'failed') return { kind: run.phase, run };
    const why = giveUp?.(seen, run) ?? null;
    if (why !== null) return { kind: 'given-up', why };
    onProgress?.(seen, run);
    return null;
  };
  const outcome = await until(watch, read, patience);
  return typeof outcome === 'string' ? { kind: outcome, run } : outcome;
}

/** What comes of the work; null if the signal comes first. */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(null);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** How long the last evaluation and the transports' own byte counts, which are looked up every two seconds, may lag behind. */
const SETTLE_MS = 5000;

/** The report once it has the run's last evaluation and the transports have counted its last push; after a while, as it is. */
export async function settledReport<Seen>(
  watch: Watch<Seen>,
  reportOf: (seen: Seen) => RunReport | null,
): Promise<RunReport | null> {
  let report: RunReport | null = null;
  const read = (seen: Seen) => {
    report = reportOf(seen);
    return report !== null && isSettled(report) ? true : null;
  };
  await until(watch, read, { timeoutMs: SETTLE_MS });
  return report;
}

const isSettled = ({ phase, series, steps, workers }: RunReport): boolean =>
  (phase !== 'finished' || series.test.at(-1)?.step === steps) &&
  workers.every((worker) => worker.isLocal || worker.phase === 'gone' || isCounted(worker.transport));

const isCounted = (transport: RunReport['workers'][number]['transport']): boolean =>
  transport !== null && transport.unaccountedBytes >= 0;
