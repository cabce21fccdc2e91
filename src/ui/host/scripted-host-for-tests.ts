import { noCounters, type RunPhase, type RunState } from '../../core/server/progress.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { newLog } from '../../host/run-log.ts';
import type { Host, HostState, RunLog } from '../../host/state.ts';
import type { StepProfile } from '../../observe/step-trace.ts';
import type { HostPageDeps } from './page.tsx';

export const experiment: Experiment = { ...defaultExperiment, workers: 2 };

export const runIn = (phase: RunPhase): RunState => ({
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
  counters: noCounters,
});

/** A run of which nothing is known yet. */
export const emptyLog: RunLog = newLog('a', experiment, 0);

/** A host that only remembers what it was told, and is in the state it is put in. */
export function scriptedHost() {
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
    examples: null,
  };
  let log: RunLog | null = null;
  const profiles: PromiseWithResolvers<StepProfile>[] = [];
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
    chooseExamples: tell('chooseExamples'),
    parameters: async () => ({ version: 1240, params: new Float32Array(7850) }),
    profile() {
      const asked = Promise.withResolvers<StepProfile>();
      profiles.push(asked);
      return asked.promise;
    },
    close: tell('close'),
  };
  const put = (next: Partial<HostState>, nextLog: RunLog | null = log) => {
    state = { ...state, ...next };
    log = nextLog;
    for (const listener of listeners) listener();
  };
  return { host, told, put, listeners, profiles };
}

/** What a host page needs around a scripted host, with these runs kept. */
export const hostPageDeps = (
  { host }: ReturnType<typeof scriptedHost>,
  kept: readonly RunLog[] = [],
): HostPageDeps => ({
  host,
  experiment,
  experimentError: null,
  onExperimentChange: () => undefined,
  joinLink: (code) => `https://example.test/#join=${code}`,
  openWorkerTab: () => undefined,
  networkWords: 'No servers.',
  runs: { list: async () => kept, remove: async () => {} },
});
