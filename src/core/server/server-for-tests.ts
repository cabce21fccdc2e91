import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { rng } from '../math/rng.ts';
import { type Schema, schemaOf } from '../math/schema.ts';
import { noPhases } from '../wire/phases.ts';
import { type Lease, PROTOCOL, type ToHost, type ToWorker } from '../wire/protocol.ts';
import { type Effect, ParameterServer, type SavedServer, type ServerEvent } from './server.ts';

/** Parameters with keys, of which an example touches one. */
export const keyedTestSchema = schemaOf([{ name: 'w', shape: [40], init: { kind: 'zeros' } }], 1);
export const testSchema = schemaOf([{ name: 'w', shape: [3], init: { kind: 'zeros' } }]);

type Sent = { readonly link: number; readonly message: ToWorker; readonly withParams: boolean };

/** A worker as the server sees it: keeps what it was given and pushes on demand. */
export class FakeWorker {
  readonly link: number;
  leases: Lease[] = [];
  version = -1;
  seq = 0;
  token = '';
  constructor(link: number) {
    this.link = link;
  }
}

/** A parameter server whose clock, links and evaluator are in the hands of a test. */
export class Rig {
  readonly server: ParameterServer;
  readonly experiment: Experiment;
  readonly schema: Schema;
  nowMs = 1000;
  sent: Sent[] = [];
  effects: Effect[] = [];
  readonly workers = new Map<number, FakeWorker>();
  readonly #evaluates: boolean;
  readonly #maxWorkers: number | undefined;

  constructor(
    experiment: Partial<Experiment>,
    {
      saved,
      evaluates = true,
      schema = testSchema,
      maxWorkers,
    }: { saved?: SavedServer; evaluates?: boolean; schema?: Schema; maxWorkers?: number } = {},
  ) {
    this.#evaluates = evaluates;
    this.#maxWorkers = maxWorkers;
    this.schema = schema;
    this.experiment = { ...defaultExperiment, lr: 1, batch: 10, epochs: null, evalEvery: 1_000_000, ...experiment };
    this.server = new ParameterServer(rng(1), 0);
    this.start(saved);
  }

  start(saved?: SavedServer): void {
    const plan = {
      id: 'test',
      experiment: this.experiment,
      schema: this.schema,
      trainCount: 100,
      maxWorkers: this.#maxWorkers,
    };
    this.do(saved ? { type: 'start', plan, saved } : { type: 'start', plan });
  }

  do(event: ServerEvent): void {
    for (const effect of this.server.handle(event, this.nowMs)) {
      this.effects.push(effect);
      if (effect.type === 'evaluate' && this.#evaluates) {
        this.do({
          type: 'evaluated',
          run: effect.run,
          version: effect.version,
          loss: 2,
          accuracy: 0.1,
          precisions: [],
        });
      }
      if (effect.type !== 'send') continue;
      this.sent.push(effect);
      const worker = this.workers.get(effect.link);
      const { message } = effect;
      if (!worker) continue;
      if (message.type === 'welcome') worker.token = message.token;
      if (message.type === 'work' || message.type === 'answer') {
        worker.leases.push(...message.leases);
        // Where parameters have keys, values come for what is due; what was due before it is taken back.
        if (message.due > 0) worker.leases = worker.leases.filter(({ id }) => id >= message.due);
        if (effect.withParams) worker.version = message.version;
      }
    }
  }

  say(link: number, message: ToHost, body: Uint8Array = new Uint8Array(0)): void {
    this.do({ type: 'message', link, isLocal: link === 0, message, body });
  }

  hello(link: number, token = ''): FakeWorker {
    const worker = new FakeWorker(link);
    this.workers.set(link, worker);
    this.say(link, { type: 'hello', protocol: PROTOCOL, token, name: '', device: 'test' });
    return worker;
  }

  /** Hello and ready. Link 0 is the worker in the host's own tab. */
  join(link: number, token = ''): FakeWorker {
    const worker = this.hello(link, token);
    this.ready(link);
    return worker;
  }

  ready(link: number): void {
    const run = this.server.run?.run ?? 0;
    this.say(link, { type: 'ready', run, schema: this.schema.hash, backend: 'test', why: '' });
  }

  /** Pushes `gradient` for the worker's oldest lease; `as` changes what the push claims. */
  push(link: number, gradient = [1, 2, 3], as: Partial<Extract<ToHost, { type: 'push' }>> = {}): void {
    this.pushBody(link, new Uint8Array(Float32Array.from(gradient).buffer), as);
  }

  pushBody(link: number, body: Uint8Array, as: Partial<Extract<ToHost, { type: 'push' }>> = {}): void {
    const worker = this.workers.get(link) as FakeWorker;
    const lease = worker.leases.shift();
    worker.seq += 1;
    const run = this.server.run?.run ?? 0;
    const head = { run, seq: worker.seq, lease: lease?.id ?? 0, version: worker.version, examples: lease?.count ?? 0 };
    const rest = { loss: 1, correct: null, phases: noPhases, peerBytes: 0, next: null };
    this.say(link, { type: 'push', ...head, ...rest, ...as }, body);
  }

  /** Everything sent to a link, of one type, newest last. */
  got<Type extends ToWorker['type']>(
    link: number,
    type: Type,
  ): (Extract<ToWorker, { type: Type }> & { withParams: boolean })[] {
    return this.sent.flatMap(({ link: to, message, withParams }) =>
      to === link && message.type === type ? [{ ...(message as Extract<ToWorker, { type: Type }>), withParams }] : [],
    );
  }

  /** The verdict of the last answer to a link. */
  verdict(link: number) {
    return this.got(link, 'answer').at(-1)?.verdict;
  }

  get params(): number[] {
    return [...(this.server.run?.params ?? [])];
  }

  get phase() {
    return this.server.run?.phase;
  }
}
