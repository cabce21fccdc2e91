import type { Rng } from '../core/math/rng.ts';
import type { Run, RunPlan } from '../core/server/run.ts';
import { type Effect, ParameterServer, type ServerEvent } from '../core/server/server.ts';
import type { Received } from '../core/wire/inbox.ts';
import { readToHost, type ToHost } from '../core/wire/protocol.ts';
import type { ResourceSample } from '../core/wire/resources.ts';
import { hostConditions, parseEmulation } from '../experiment/emulation.ts';
import { errorText } from '../experiment/error-text.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import { Messenger } from '../net/link/messenger.ts';
import { portLink } from '../net/link/port.ts';
import { CheckpointKeeper, type CheckpointStore } from './checkpoint-keeper.ts';
import { CurveFeed } from './curve-feed.ts';
import { EvaluatorClient } from './evaluator-client.ts';
import type { ExampleServer } from './example-server.ts';
import { ExampleLimit, SampleLimit } from './request-limits.ts';
import type { LocalNote, Resumable } from './state.ts';
import { StepRecorder } from './step-recorder.ts';
import type { FromServer, ServedWorker, ToServer } from './thread.ts';
import { WorkerTraffic } from './worker-traffic.ts';

const PUBLISH_MS = 250;
/** A goodbye needs a moment to reach the other side: closing a channel may drop what is buffered. */
const GOODBYE_MS = 1000;

export interface ServerLoopDeps {
  /** Null where no run is to be saved. */
  readonly store: CheckpointStore | null;
  readonly random: Rng;
  now(): number;
  /** now() + this is the time of day. */
  readonly wallOffsetMs: number;
  post(message: FromServer): void;
  /** Examples that only this host has. */
  readonly examples: ExampleServer;
}

/** What a run is started with, by hand or from a checkpoint. */
interface StartRequest {
  readonly id: string;
  readonly experiment: Experiment;
  readonly maxWorkers?: number | undefined;
}

/**
 * Runs the parameter server in a thread of its own: turns frames into events and effects into frames, evaluations,
 * checkpoints and news for the host.
 */
export class ServerLoop {
  readonly #deps: ServerLoopDeps;
  readonly #server: ParameterServer;
  readonly #links = new Map<number, Messenger>();
  readonly #traffic = new WorkerTraffic();
  readonly #feed = new CurveFeed();
  readonly #recorder = new StepRecorder();
  readonly #samples = new SampleLimit();
  readonly #exampleLimit = new ExampleLimit();
  readonly #keeper: CheckpointKeeper;
  readonly #evaluator: EvaluatorClient;
  #note: LocalNote = null;
  #busyMs = 0;
  /** Made up: how long a push takes at least. */
  #slowApplyMs = 0;
  /** Whether it remembers when each push came and was answered. */
  #observes = true;
  /** Stands for the last start that was asked for. */
  #lastStart: symbol | null = null;

  constructor(deps: ServerLoopDeps) {
    const { store, random, now, wallOffsetMs, examples } = deps;
    this.#deps = deps;
    this.#server = new ParameterServer(random, wallOffsetMs);
    this.#keeper = new CheckpointKeeper({
      store,
      server: this.#server,
      now,
      file: () => examples.identity,
      onMade: (startMs, durationMs) => this.#spent('checkpoint', startMs, durationMs),
      onFailed: (error) => {
        this.#note = { kind: 'busy', text: `The run could not be saved (${errorText(error)}). Training goes on.` };
      },
    });
    this.#evaluator = new EvaluatorClient((text) => {
      this.#note = text === null ? null : { kind: 'busy', text };
    });
    setInterval(() => {
      this.#handle({ type: 'tick' });
      this.#publish();
    }, PUBLISH_MS);
    this.#keeper.find().then(
      () => this.#publish(),
      (error) => {
        this.#note = { kind: 'broken', text: `Saved runs could not be read (${errorText(error)}).` };
      },
    );
  }

  /** Does what the host asks for. */
  hear(message: ToServer): void {
    switch (message.type) {
      case 'evaluator':
        return this.#evaluator.attach(message.port);
      case 'link':
        return this.#open(message.link, message.isLocal, message.port);
      case 'unlink':
        return this.#links.get(message.link)?.close();
      case 'parameters': {
        const { run } = this.#server;
        const copy = { version: run?.version ?? 0, params: run?.params.slice() ?? null };
        return this.#deps.post({ type: 'parameters', request: message.request, ...copy });
      }
      case 'start':
        this.#observes = message.observes;
        void this.#start(message, null);
        break;
      case 'examples':
        this.#deps.examples.choose(message.source);
        break;
      case 'resume-saved':
        if (this.#keeper.resumable) void this.#start(this.#keeper.resumable, this.#keeper.resumable);
        break;
      case 'discard-saved':
        this.#keeper.discard();
        break;
      case 'remove':
        this.#handle({ type: 'remove', worker: message.worker });
        break;
      case 'reset':
        this.#lastStart = null;
        if (this.#server.run) this.#keeper.drop(this.#server.run.plan.id);
        this.#handle({ type: 'reset' });
        break;
      case 'pause':
      case 'resume':
      case 'finish':
        this.#handle({ type: message.type });
        break;
      default:
        message satisfies never;
    }
    this.#publish();
  }

  #handle(event: ServerEvent): void {
    const { now } = this.#deps;
    const startMs = now();
    const effects = this.#server.handle(event, startMs);
    if (event.type === 'message') this.#record(event, startMs);
    for (const effect of effects) this.#carryOut(effect);
    this.#busyMs += now() - startMs;
  }

  /** Remembers what a message means for its worker's time; made to be slow, a push takes longer. */
  #record({ link, message }: Extract<ServerEvent, { type: 'message' }>, startMs: number): void {
    const { now } = this.#deps;
    if (message.type === 'pause' || message.type === 'resume')
      this.#recorder.paused(link, message.type === 'pause', this.#sinceStart(startMs));
    if (message.type !== 'push') return;
    while (now() - startMs < this.#slowApplyMs);
    const worker = this.#traffic.workerOn(link);
    if (this.#observes && worker !== null)
      this.#recorder.pushed(link, worker, message, this.#sinceStart(startMs), now() - startMs);
  }

  #carryOut(effect: Effect): void {
    switch (effect.type) {
      case 'send':
        return this.#send(effect);
      case 'close': {
        const messenger = this.#links.get(effect.link);
        setTimeout(() => messenger?.close(), GOODBYE_MS);
        return;
      }
      case 'evaluate':
        if (this.#server.run) this.#evaluate(this.#server.run, effect.version);
        return;
      case 'checkpoint':
        return void this.#keeper.save();
      case 'wake':
        setTimeout(() => this.#handle({ type: 'tick' }), Math.max(0, effect.atMs - this.#deps.now()));
        return;
      default:
        effect satisfies never;
    }
  }

  #send({ link, message, withParams }: Extract<Effect, { type: 'send' }>): void {
    const { now } = this.#deps;
    const { run } = this.#server;
    const messenger = this.#links.get(link);
    const startMs = now();
    const body = withParams ? run?.outgoing('due' in message ? message.due : 0) : undefined;
    messenger?.send(body ? 'parameters' : 'control', run?.run ?? 0, message, body);
    if (message.type === 'answer') this.#recorder.answered(link, message, this.#sinceStart(now()), now() - startMs);
    if (message.type === 'work') this.#recorder.sentParams(link, message.version, this.#sinceStart(now()));
    if (message.type === 'welcome') this.#traffic.attach(message.worker, link);
    if (message.type === 'run' && run) messenger?.expectBodyBytes(run.incomingBytes);
  }

  #evaluate(run: Run, version: number): void {
    const startMs = this.#deps.now();
    const evaluated = (reply: ServerEvent) => {
      this.#spent('evaluation', startMs, this.#deps.now() - startMs);
      this.#handle(reply);
    };
    const failed = (error: unknown) => {
      this.#note = { kind: 'broken', text: errorText(error) };
      this.#handle({ type: 'evaluator-failed' });
    };
    this.#evaluator.evaluate(run, version).then(evaluated, failed);
  }

  #spent(kind: 'checkpoint' | 'evaluation', startMs: number, durationMs: number): void {
    this.#recorder.spent({ kind, startMs: this.#sinceStart(startMs), durationMs });
  }

  #open(link: number, isLocal: boolean, port: MessagePort): void {
    const messenger = new Messenger(portLink(port), {
      onMessage: (received) => this.#receive(link, isLocal, received),
      onGarbled: () => this.#handle({ type: 'garbled', link }),
      onClose: () => {
        this.#traffic.detach(link, messenger.traffic);
        this.#links.delete(link);
        this.#handle({ type: 'closed', link });
      },
    });
    this.#links.set(link, messenger);
  }

  #receive(link: number, isLocal: boolean, { head, body }: Received): void {
    let message: ToHost;
    try {
      message = readToHost(head);
    } catch {
      return this.#handle({ type: 'garbled', link });
    }
    if (message.type === 'sample') this.#passOn(link, message.sample);
    if (message.type === 'want') void this.#sendExamples(link, message);
    this.#handle({ type: 'message', link, isLocal, message, body });
  }

  #passOn(link: number, sample: ResourceSample): void {
    const nowMs = this.#deps.now();
    const worker = this.#traffic.workerOn(link);
    if (worker === null || !this.#server.run || !this.#samples.admit(worker, nowMs)) return;
    this.#deps.post({ type: 'sample', worker, atMs: this.#sinceStart(nowMs), sample });
  }

  async #sendExamples(link: number, { run, lease: id }: Extract<ToHost, { type: 'want' }>): Promise<void> {
    const worker = this.#traffic.workerOn(link);
    const current = this.#server.run;
    const lease = current?.run === run && worker !== null ? current.leases.find(id, worker) : null;
    if (!lease || !this.#exampleLimit.admit(id)) return;
    const answer = { type: 'examples', run, lease: id } as const;
    try {
      const body = await this.#deps.examples.of(lease.from, lease.count);
      // Lease numbers repeat from run to run.
      if (this.#server.run?.run !== run) return;
      this.#links.get(link)?.send('data', run, { ...answer, problem: null }, body);
    } catch (error) {
      this.#links.get(link)?.send('control', run, { ...answer, problem: errorText(error).slice(0, 300) });
    }
  }

  /** Starts a run, or goes on with a saved one, once its data and its evaluator are ready. The last that was asked for starts. */
  async #start({ id, experiment: asked, maxWorkers }: StartRequest, resumable: Resumable | null): Promise<void> {
    const { examples } = this.#deps;
    const start = Symbol();
    this.#lastStart = start;
    this.#note = null;
    try {
      let experiment = asked;
      if (asked.data === 'file') {
        experiment = await examples.prepare(asked, resumable?.file ?? null);
        const test = await examples.test();
        if (this.#lastStart !== start) return;
        this.#evaluator.giveTestSet(test);
      }
      const { schema, trainCount } = resolveExperiment(experiment);
      const saved = resumable && this.#keeper.take();
      this.#restart(experiment);
      if (schema.keysPerExample !== null) await this.#evaluator.findKeys(experiment);
      if (this.#lastStart !== start) return;
      const plan: RunPlan = { id, experiment, schema, trainCount, maxWorkers };
      this.#handle(saved ? { type: 'start', plan, saved } : { type: 'start', plan });
    } catch (error) {
      if (this.#lastStart === start) this.#note = { kind: 'broken', text: errorText(error) };
    }
    this.#publish();
  }

  /** Everything is about the next run now. */
  #restart({ emulate }: Experiment): void {
    this.#keeper.restart();
    this.#recorder.restart();
    this.#exampleLimit.restart();
    this.#traffic.restart(this.#links);
    this.#slowApplyMs = hostConditions(parseEmulation(emulate)).applyMs;
    this.#busyMs = 0;
  }

  /** Wall time since the run began. */
  #sinceStart(atMs: number): number {
    return this.#deps.wallOffsetMs + atMs - (this.#server.run?.startedAtMs ?? 0);
  }

  #publish(): void {
    const { now, post, examples } = this.#deps;
    const { run, members } = this.#server;
    const nowMs = now();
    const state = this.#server.runState(nowMs);
    const workers: ServedWorker[] = this.#server.workerStates(nowMs).map((worker) => {
      const link = members.get(worker.worker)?.session?.link ?? null;
      const present = link === null ? undefined : this.#links.get(link)?.traffic;
      return { ...worker, link, traffic: this.#traffic.of(worker.worker, present) };
    });
    post({
      type: 'state',
      run: state && { ...state, counters: { ...state.counters, busyMs: this.#busyMs } },
      workers,
      resumable: this.#keeper.resumable,
      examples: examples.state,
      note: this.#note,
    });
    if (!run) return;
    const curves = this.#feed.news(run, members);
    if (curves) post(curves);
    const steps = this.#recorder.news();
    if (steps) post({ type: 'steps', id: run.plan.id, ...steps });
  }
}
