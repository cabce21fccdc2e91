import {
  noCounters,
  type RunPhase,
  type RunState,
  type StopReason,
  type WorkerPhase,
} from '../../core/server/progress.ts';
import { noPhases } from '../../core/wire/phases.ts';
import { TallyCounter, type TransportStats } from '../../core/wire/traffic.ts';
import type { Experiment } from '../../experiment/experiment.ts';
import type { ExampleSource } from '../../host/example-server.ts';
import { newLog } from '../../host/run-log.ts';
import type { Host, HostState, RunLog, WorkerRow } from '../../host/state.ts';
import type { StepProfile } from '../../observe/step-trace.ts';

const profile: StepProfile = { backend: 'wasm', batch: 100, operators: [], stepMs: 2 };
const nothing = new TallyCounter().counts;
const noTransport: TransportStats = {
  messagesSent: 0,
  messagesReceived: 0,
  bytesSent: 0,
  bytesReceived: 0,
  wireBytesSent: 0,
  wireBytesReceived: 0,
  roundTripMs: null,
};

/** A worker that has done nothing yet; number 0 is the host's own. */
export const workerRow = (worker: number, phase: WorkerPhase = 'ready'): WorkerRow => ({
  worker,
  name: `worker ${worker}`,
  isLocal: worker === 0,
  device: 'a test',
  backend: 'wasm',
  why: '',
  phase,
  trouble: null,
  applied: 0,
  stale: 0,
  rejected: 0,
  examples: 0,
  phases: noPhases,
  stalenessSum: 0,
  stalenessMax: 0,
  peerBytes: 0,
  lastLoss: null,
  examplesPerSecond: 0,
  traffic: { sent: nothing, received: nothing },
  transport: worker === 0 ? null : noTransport,
});

/** A host that remembers what it was told, and whose runs do what the test says. */
export class LabHostForTests implements Host {
  readonly told: string[] = [];
  /** What every run comes to. */
  params = new Float32Array(7850);
  /** A real host looks at its links before it starts: then a run begins only when `begin` is called. */
  startsLate = false;
  begin: () => void = () => {};
  state: HostState = {
    room: { code: 'kelp42', signalling: 'open', problem: null },
    run: null,
    workers: [],
    trainsHere: true,
    note: null,
    resumable: null,
    examples: null,
  };
  log: RunLog | null = null;
  #listeners = new Set<() => void>();
  #runs = 0;

  get listeners(): number {
    return this.#listeners.size;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  put(next: Partial<HostState>): void {
    this.state = { ...this.state, ...next };
    for (const listener of [...this.#listeners]) listener();
  }

  /** So many tabs are connected. */
  connect(tabs: number): void {
    this.put({ workers: Array.from({ length: tabs }, (_, at) => workerRow(at + 1)) });
  }

  start(experiment: Experiment, maxWorkers?: number): void {
    this.told.push(`start ${experiment.strategy} × ${experiment.workers}, at most ${maxWorkers}`);
    this.#runs += 1;
    const id = `run ${this.#runs}`;
    const run: RunState = {
      id,
      run: this.#runs,
      experiment,
      phase: 'running',
      stopReason: null,
      version: 0,
      examples: 0,
      elapsedMs: 0,
      startedAtMs: 0,
      leftMs: 1000,
      counters: noCounters,
    };
    this.begin = () => {
      this.log = newLog(id, experiment, 0);
      this.put({ run });
    };
    if (!this.startsLate) this.begin();
  }

  /** The run under way is over, after so many steps by the first so many workers. */
  end(steps: number, by: number, phase: RunPhase = 'finished', stopReason: StopReason = 'steps'): void {
    const { run, workers } = this.state;
    if (run === null || this.log === null) throw new Error('there is no run to end');
    const point = { step: steps, elapsedMs: 500, wallMs: 500, loss: 0.4, examples: 100, accuracy: 0.9 };
    this.log = { ...this.log, test: [{ ...point, precisions: [], auc: null }] };
    this.put({
      run: { ...run, phase, stopReason, version: steps, elapsedMs: 500 },
      workers: workers.map((row, at) => (at < by ? { ...row, applied: steps } : row)),
    });
  }

  reset(): void {
    this.told.push('reset');
    this.log = null;
    this.put({ run: null });
  }

  setTrainsHere(on: boolean): void {
    this.told.push(`trains here: ${on}`);
    const others = this.state.workers.filter(({ isLocal }) => !isLocal);
    this.put({ trainsHere: on, workers: on ? [workerRow(0), ...others] : others });
  }

  resumeSaved(): void {}
  discardSaved(): void {}
  chooseExamples(source: ExampleSource): void {
    this.told.push(`examples of ${source.kind === 'file' ? source.name : source.path}`);
  }
  pause(): void {}
  resume(): void {}
  finish(): void {}
  remove(): void {}
  close(): void {}
  parameters(): ReturnType<Host['parameters']> {
    return Promise.resolve(this.state.run && { version: this.state.run.version, params: this.params });
  }
  profile(): ReturnType<Host['profile']> {
    this.told.push('profile');
    if (this.log !== null) this.log = { ...this.log, profile };
    return Promise.resolve(profile);
  }
}
