import type { RunState } from '../../core/server/progress.ts';
import type { Host, HostState, WorkerRow } from '../../host/state.ts';
import {
  type HostView,
  runAfter,
  settledReport,
  unlessAborted,
  until,
  viewOf,
  watchHost,
  watchRun,
} from '../../host/watch-run.ts';
import { type RunOrder, type RunStage, type RunTrainer, type TrainedRun, trainingStage } from '../../lab/run-order.ts';
import { workersOf } from '../../lab/summary.ts';
import { type Machine, type RunReport, runReport } from '../../observe/run-report.ts';
import type { KeptModel } from '../../store/labs.ts';
import { stopWords } from '../words/words.ts';

/** A run starts with a look at the links and a message to a thread; what is broken after this long is its fault. */
const START_MS = 5000;
/** A profile and the model are good to have; nobody waits for them for long. */
const ROUND_OFF_MS = 60_000;

/** How many tabs beside this one are connected and not resting. */
export const tabsHere = ({ workers }: HostState): number =>
  workers.filter(({ isLocal, phase }) => !isLocal && phase !== 'gone' && phase !== 'paused').length;

/** Trains the runs of a lab with the tabs that are connected to this page's host, as many as each asks for. */
export class TabTrainer implements RunTrainer<KeptModel> {
  readonly #host: Host;
  readonly #machine: Machine;
  #interrupt = new AbortController();

  constructor(host: Host, machine: Machine) {
    this.#host = host;
    this.#machine = machine;
  }

  breakOff(): void {
    this.#interrupt.abort();
  }

  async train(order: RunOrder, onStage: (stage: RunStage) => void): Promise<TrainedRun<KeptModel> | null> {
    this.#interrupt = new AbortController();
    const { signal } = this.#interrupt;
    const host = this.#host;
    const watch = watchHost(host);
    const isShort = ({ state }: HostView): boolean => {
      const here = tabsHere(state);
      if (here < order.tabs) onStage({ kind: 'short', needed: order.tabs, here });
      return here < order.tabs;
    };
    if ((await until(watch, (view) => (isShort(view) ? null : true), { signal })) === 'aborted') return null;

    onStage({ kind: 'starting', text: 'starting' });
    const { run: runBefore, note: noteBefore } = host.state;
    const before = runBefore?.id;
    const startedAtMs = performance.now();
    host.setTrainsHere(order.hostTrains);
    host.start(order.experiment, workersOf(order.experiment));
    const outcome = await watchRun(watch, {
      before,
      signal,
      giveUp({ state: { note } }, run) {
        const isLate = performance.now() - startedAtMs > START_MS;
        const isNews = run !== null || isLate || note?.text !== noteBefore?.text;
        return note?.kind === 'broken' && isNews ? note.text : null;
      },
      onProgress(view, run) {
        // Somebody may have left before it began.
        if (run !== null && !(run.phase === 'waiting' && isShort(view)))
          onStage(trainingStage(run, `step ${run.version}`));
      },
    });
    if (outcome.kind === 'finished' || outcome.kind === 'failed')
      return this.#roundOff(order, outcome.run, onStage, signal);
    // Before it began, what is there is of the run before.
    const report = runAfter(before, viewOf(host)) && this.#report();
    // A run that is still on its way to the server would begin after the reset, with nobody to end it.
    if (outcome.kind === 'aborted') await until(watch, (view) => runAfter(before, view), { timeoutMs: START_MS });
    host.reset();
    if (outcome.kind === 'aborted') return null;
    return this.#result(report, outcome.kind === 'given-up' ? outcome.why : 'the host dropped it', null);
  }

  async #roundOff(order: RunOrder, run: RunState, onStage: (stage: RunStage) => void, signal: AbortSignal) {
    const host = this.#host;
    const say = (text: string) => onStage({ kind: 'rounding-off', id: run.id, text });
    say('counting the last bytes');
    const report = await settledReport(watchHost(host), () => this.#report());
    const failure = failureOf(run, report);
    if (report === null || failure !== null) return this.#result(report, failure, null);
    const late = AbortSignal.timeout(ROUND_OFF_MS);
    if (order.profiles) {
      say('taking one step apart');
      await unlessAborted(host.profile(order.experiment), AbortSignal.any([signal, late])).catch(() => {});
    }
    if (order.keepsModel) say('fetching the model');
    const model = order.keepsModel ? await unlessAborted(modelOf(host), late) : null;
    return this.#result({ ...report, profile: host.log?.profile ?? null }, null, model);
  }

  #result(report: RunReport | null, failure: string | null, model: KeptModel | null): TrainedRun<KeptModel> {
    return { report, failure, model, problems: [], machine: this.#machine };
  }

  /** Of the run that is there, with those workers alone that did something in it. */
  #report(): RunReport | null {
    const { state, log } = this.#host;
    const { run, workers } = state;
    if (run === null || log?.id !== run.id) return null;
    return runReport({ run, workers: workers.filter(tookPart) }, log, this.#machine);
  }
}

const tookPart = ({ applied, stale, rejected }: WorkerRow): boolean => applied + stale + rejected > 0;

async function modelOf(host: Host): Promise<KeptModel | null> {
  const trained = await host.parameters();
  return trained && { version: trained.version, params: new Blob([trained.params as Float32Array<ArrayBuffer>]) };
}

/** Why a run that is over does not count; null if it does. */
function failureOf({ phase, stopReason, experiment }: RunState, report: RunReport | null): string | null {
  if (report === null) return 'its curves were lost';
  if (phase === 'failed') return stopReason === null ? 'it failed' : stopWords(stopReason, experiment);
  const gone = report.workers.filter((worker) => worker.phase === 'gone').length;
  const asked = workersOf(experiment);
  // Whoever took the place of one that left was not there from the beginning.
  const whole = Math.min(report.workers.length - gone, asked - gone);
  return whole < asked ? `only ${whole} of ${asked} workers took part to the end` : null;
}
