import type { NodeResources } from '../core/wire/resources.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { ProvenLink } from '../net/join/handshake.ts';
import { type Gauges, type ResourceSampler, resourceSampler } from '../observe/resource-sampler.ts';
import type { RunLog } from '../observe/run-log.ts';
import { runSummary } from '../observe/run-numbers.ts';
import type { StepProfile } from '../observe/step-trace.ts';
import type { ExampleSource } from './example-server.ts';
import { HostLinks } from './host-links.ts';
import { HostTrainers, type HostTrainersDeps } from './host-trainers.ts';
import { addSample, extendLog, type GrowingLog, newLog } from './run-log.ts';
import type { Host, HostState, LocalNote, Room } from './state.ts';
import type { FromServer, Spawn, Thread, ToServer } from './thread.ts';

const STATS_MS = 2000;

interface ListenHandlers {
  onLink(link: ProvenLink): void;
  onState(state: { readonly kind: Room['signalling']; readonly problem: string | null }): void;
}

export interface HostDeps extends HostTrainersDeps {
  readonly code: string;
  /** Whether steps and resources are recorded; otherwise curves and sums alone. */
  readonly observes?: boolean;
  /** Watches what this tab or process uses. */
  readonly gauges: { readonly source: NodeResources['source']; open(): Gauges };
  readonly spawnServer: Spawn<ToServer, FromServer>;
  listen(handlers: ListenHandlers): { close(): void };
  /** A worker was removed by hand: its device is to be turned away from now on. */
  onRemoved(link: ProvenLink): void;
  /** Keeps a run's curves for later comparison; called now and then, and when it is over. */
  keepRun(log: RunLog): Promise<void>;
}

/** A host whose main thread only carries buffers: the server and the trainers are threads of their own. */
export const startHost = (deps: HostDeps): Host => new ThreadedHost(deps);

type Served = Extract<FromServer, { type: 'state' }>;

class ThreadedHost implements Host {
  readonly #deps: HostDeps;
  readonly #server: Thread<ToServer>;
  readonly #trainers: HostTrainers;
  readonly #links = new HostLinks();
  readonly #sampler: ResourceSampler;
  readonly #listener: { close(): void };
  readonly #statsTimer: ReturnType<typeof setInterval>;
  readonly #listeners = new Set<() => void>();
  readonly #requests = new Map<number, (copy: Awaited<ReturnType<Host['parameters']>>) => void>();
  #log: GrowingLog | null = null;
  #lastLink = 0;
  #lastRequest = 0;
  #trainsHere = true;
  #note: LocalNote = null;
  #served: Served | null = null;
  #room: Room;
  #state: HostState;

  constructor(deps: HostDeps) {
    this.#deps = deps;
    this.#room = { code: deps.code, signalling: 'connecting', problem: null };
    this.#state = this.#snapshot();
    this.#server = deps.spawnServer({
      onMessage: (message) => this.#hear(message),
      onError: (text) =>
        this.#setNote({ kind: 'broken', text: `The parameter server stopped (${text}). ${deps.remedy}` }),
    });
    this.#trainers = new HostTrainers(deps, {
      tellServer: this.#tell,
      openLocalLink: () => this.#openLink(true),
      onNote: (note) => this.#setNote(note),
      onLocalEnd: () => {
        this.#trainsHere = false;
        this.#changed();
      },
    });
    this.#sampler = resourceSampler({
      now: () => performance.now(),
      busyMs: () => this.#served?.run?.counters.busyMs ?? 0,
      links: async () => this.#links.carried(),
      openGauges: deps.gauges.open,
    });
    this.#listener = deps.listen({
      onLink: (link) => {
        const { link: number, port } = this.#openLink(false);
        this.#links.add(number, link, port);
        // A run may be over before the timer counts for the first time.
        void this.#links.count();
      },
      onState: ({ kind, problem }) => {
        this.#room = { code: deps.code, signalling: kind, problem };
        this.#changed();
      },
    });
    this.#statsTimer = setInterval(() => void this.#look(), STATS_MS);
  }

  get state(): HostState {
    return this.#state;
  }

  get log(): RunLog | null {
    return this.#log;
  }

  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  start(experiment: Experiment, maxWorkers?: number): void {
    this.#startTrainers();
    // What links carried before is known when the run begins.
    void this.#links.count().then(() => {
      this.#links.startRun();
      const id = crypto.getRandomValues(new Uint32Array(2)).join('-');
      this.#tell({ type: 'start', id, experiment, maxWorkers, observes: this.#observes });
    });
  }

  readonly discardSaved = () => this.#tell({ type: 'discard-saved' });
  readonly pause = () => this.#tell({ type: 'pause' });
  readonly resume = () => this.#tell({ type: 'resume' });
  readonly finish = () => this.#tell({ type: 'finish' });
  readonly chooseExamples = (source: ExampleSource) => this.#tell({ type: 'examples', source });

  resumeSaved(): void {
    this.#startTrainers();
    this.#tell({ type: 'resume-saved' });
  }

  reset(): void {
    this.#log = null;
    this.#tell({ type: 'reset' });
  }

  remove(worker: number): void {
    const { link = null } = this.#served?.workers.find((row) => row.worker === worker) ?? {};
    const known = this.#links.get(link);
    if (known) this.#deps.onRemoved(known.link);
    this.#tell({ type: 'remove', worker });
  }

  setTrainsHere(on: boolean): void {
    this.#trainsHere = on;
    if (!on) this.#trainers.stopLocal();
    else if (this.#served?.run) this.#trainers.startLocal();
    this.#changed();
  }

  parameters(): ReturnType<Host['parameters']> {
    this.#lastRequest += 1;
    const request = this.#lastRequest;
    this.#tell({ type: 'parameters', request });
    return new Promise((resolve) => this.#requests.set(request, resolve));
  }

  async profile(experiment: Experiment): Promise<StepProfile> {
    const log = this.#log;
    const profile = await this.#trainers.profile(experiment);
    if (log) log.profile = profile;
    this.#changed();
    return profile;
  }

  close(): void {
    clearInterval(this.#statsTimer);
    this.#sampler.close();
    this.#listener.close();
    this.#server.stop();
    this.#trainers.close();
  }

  get #observes(): boolean {
    return this.#deps.observes ?? true;
  }

  /** Threads that compute start with the first run, so that a page that is only looked at costs nothing. */
  #startTrainers(): void {
    this.#note = null;
    this.#trainers.startEvaluator();
    if (this.#trainsHere) this.#trainers.startLocal();
    this.#changed();
  }

  #hear(message: FromServer): void {
    switch (message.type) {
      case 'state': {
        const before = this.#served?.run?.phase;
        this.#served = message;
        if (message.run?.phase !== before) this.#keepIfOver();
        return this.#changed();
      }
      case 'curves': {
        const { id, experiment, startedAtMs } = message;
        if (this.#log?.id !== id) this.#log = newLog(id, experiment, startedAtMs);
        extendLog(this.#log, message);
        this.#keepIfOver();
        return this.#changed();
      }
      case 'steps':
      case 'sample':
        if (this.#log) extendLog(this.#log, message);
        return;
      case 'parameters': {
        const { version, params, request } = message;
        this.#requests.get(request)?.(params && { version, params });
        this.#requests.delete(request);
        return;
      }
      default:
        message satisfies never;
    }
  }

  #keepIfOver(): void {
    const { run, workers } = this.#snapshot();
    const log = this.#log;
    if (!log || log.test.length === 0 || (run?.phase !== 'finished' && run?.phase !== 'failed')) return;
    if (log.id === run.id) Object.assign(log, { summary: runSummary({ run, workers }), end: { run, workers } });
    this.#deps.keepRun(log).catch(() => {});
  }

  /** Counts what links carried, and samples this tab or process while a run goes on. */
  async #look(): Promise<void> {
    await this.#links.count();
    const { run } = this.#state;
    if (this.#observes && (run?.phase === 'running' || run?.phase === 'finishing')) {
      const sample = await this.#sampler.sample();
      const node = { node: 'host', worker: null, source: this.#deps.gauges.source };
      if (this.#log) addSample(this.#log, node, { atMs: Date.now() - run.startedAtMs, sample });
    } else this.#sampler.close();
    if (this.#served?.run) this.#changed();
  }

  #openLink(isLocal: boolean): { link: number; port: MessagePort } {
    const { port1, port2 } = new MessageChannel();
    this.#lastLink += 1;
    this.#tell({ type: 'link', link: this.#lastLink, isLocal, port: port1 }, [port1]);
    return { link: this.#lastLink, port: port2 };
  }

  readonly #tell = (message: ToServer, transfer: Transferable[] = []): void => this.#server.post(message, transfer);

  #setNote(note: LocalNote): void {
    this.#note = note;
    this.#changed();
  }

  #snapshot(): HostState {
    const served = this.#served;
    return {
      room: this.#room,
      run: served?.run ?? null,
      workers: (served?.workers ?? []).map(({ link, ...worker }) => ({
        ...worker,
        transport: this.#links.get(link)?.stats ?? null,
      })),
      trainsHere: this.#trainsHere,
      note: this.#note ?? served?.note ?? null,
      resumable: served?.resumable ?? null,
      examples: served?.examples ?? null,
    };
  }

  #changed(): void {
    this.#state = this.#snapshot();
    for (const listener of this.#listeners) listener();
  }
}
