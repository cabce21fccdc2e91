import { rng } from '../core/math/rng.ts';
import type { Lease } from '../core/wire/protocol.ts';
import { exampleOrder } from '../data/order.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Compute } from '../worker/compute.ts';
import type { FromTrainer, ToTrainer } from '../worker/thread.ts';
import { workLoop } from '../worker/work-loop.ts';
import type { CheckpointStore } from './checkpoint-keeper.ts';
import type { EvaluationReply, EvaluationRequest } from './evaluator-loop.ts';
import { ExampleServer } from './example-server.ts';
import { ServerLoop } from './server-loop.ts';
import type { FromServer, ToServer } from './thread.ts';

const PIXELS = 784;
const CLASSES = 10;

/** A made-up picture and its label, the same for the same index. */
function example(index: number): { pixels: Float32Array; label: number } {
  const random = rng('picture', index);
  const label = random.below(CLASSES);
  const pixels = Float32Array.from(
    { length: PIXELS },
    (_, i) => (i % CLASSES === label ? 0.6 : 0) + 0.4 * random.uniform(),
  );
  return { pixels, label };
}

/** Softmax regression in plain numbers: as real as tfjs for the protocol, and at home in Node. */
function plainSoftmax(): Compute {
  let order = exampleOrder(60_000, 0);
  return {
    async prepare(experiment) {
      order = exampleOrder(60_000, experiment.seed);
      return { name: 'plain', why: 'for tests' };
    },
    prefetch: () => undefined,
    async step(params: Float32Array, lease: Lease) {
      const gradient = new Float32Array(params.length);
      let loss = 0;
      for (const index of order.indices(lease.from, lease.count)) {
        const { pixels, label } = example(index);
        const logits = Float64Array.from({ length: CLASSES }, (_, c) => params[PIXELS * CLASSES + c] as number);
        for (let p = 0; p < PIXELS; p++) {
          for (let c = 0; c < CLASSES; c++) {
            logits[c] = (logits[c] as number) + (pixels[p] as number) * (params[p * CLASSES + c] as number);
          }
        }
        const most = Math.max(...logits);
        const total = logits.reduce((sum, logit) => sum + Math.exp(logit - most), 0);
        loss += (Math.log(total) + most - (logits[label] as number)) / lease.count;
        for (let c = 0; c < CLASSES; c++) {
          const error = (Math.exp((logits[c] as number) - most) / total - (c === label ? 1 : 0)) / lease.count;
          const bias = PIXELS * CLASSES + c;
          gradient[bias] = (gradient[bias] as number) + error;
          for (let p = 0; p < PIXELS; p++) {
            const at = p * CLASSES + c;
            gradient[at] = (gradient[at] as number) + error * (pixels[p] as number);
          }
        }
      }
      return { gradient, loss, correct: null, decodeMs: 0, computeMs: 0, readMs: 0 };
    },
  };
}

/** Keeps checkpoints in memory. */
export function memoryStore(): CheckpointStore & { saves: number } {
  let kept: Awaited<ReturnType<CheckpointStore['latest']>> = null;
  return {
    saves: 0,
    async save(_id, bytes, meta) {
      this.saves += 1;
      kept = { bytes, resumable: { ...meta, savedAtMs: 0 } };
    },
    latest: async () => kept,
    async drop() {
      kept = null;
    },
  };
}

/** A host's server and workers as in tabs, frames and all, in one Node process; ports stand in for data channels. */
export class Cluster {
  readonly experiment: Experiment;
  readonly #server: ServerLoop;
  readonly #waiting: (() => void)[] = [];
  readonly #workers: ((message: ToTrainer) => void)[] = [];
  readonly #ports: MessagePort[] = [];
  readonly #numbers = new Map<number, (message: ToTrainer) => void>();
  /** The parameters of the last evaluation. */
  params: Float32Array = new Float32Array(0);
  state: Extract<FromServer, { type: 'state' }> | null = null;
  readonly train: { step: number; loss: number }[] = [];
  readonly heard: FromServer[] = [];
  #links = 0;

  constructor(experiment: Partial<Experiment>, store = memoryStore()) {
    this.experiment = { ...defaultExperiment, epochs: null, evalEvery: 1000, ...experiment };
    this.#server = new ServerLoop({
      random: rng(1),
      now: () => performance.now(),
      wallOffsetMs: 0,
      store,
      examples: new ExampleServer(null),
      post: (message) => this.#hear(message),
    });
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<EvaluationRequest>) => {
      const post = (reply: EvaluationReply) => port1.postMessage(reply);
      if (data.type === 'keys') {
        const { size } = resolveExperiment(data.experiment).schema;
        const keys = Uint32Array.from({ length: size }, (_, key) => key);
        return post({ type: 'keys', keys });
      }
      if (data.type === 'test-set') return;
      const { run, version, params } = data;
      this.params = params;
      post({ type: 'evaluated', run, version, loss: 1, accuracy: 0.5, precisions: [], auc: null });
    };
    this.#ports.push(port1, port2);
    this.#server.hear({ type: 'evaluator', port: port2 });
  }

  tell(message: ToServer): void {
    this.#server.hear(message);
  }

  start(): void {
    this.#server.hear({
      type: 'start',
      maxWorkers: undefined,
      observes: true,
      id: 'test',
      experiment: this.experiment,
    });
  }

  addWorker({ isLocal = false, compute = plainSoftmax() } = {}): (message: ToTrainer) => void {
    const { port1, port2 } = new MessageChannel();
    this.#links += 1;
    this.#server.hear({ type: 'link', link: this.#links, isLocal, port: port1 });
    const deps = { compute, name: '', device: 'node', now: () => performance.now(), onStep() {} };
    const worker = workLoop(deps, '', (message) => this.#hearWorker(worker, message));
    worker({ type: 'attach', port: port2 });
    this.#workers.push(worker);
    return worker;
  }

  /** Workers that are to connect to each other get a port each. */
  #hearWorker(worker: (message: ToTrainer) => void, message: FromTrainer): void {
    if (message.type === 'view' && message.change.identity) this.#numbers.set(message.change.identity.worker, worker);
    if (message.type !== 'peers') return;
    const self = [...this.#numbers].find(([, other]) => other === worker)?.[0] ?? 0;
    for (const peer of message.calls) {
      const { port1, port2 } = new MessageChannel();
      this.#ports.push(port1, port2);
      worker({ type: 'peer', peer, port: port1 });
      this.#numbers.get(peer)?.({ type: 'peer', peer: self, port: port2 });
    }
  }

  /** Resolves when the state is as asked; the server publishes a few times a second. */
  async until(isSo: (state: Extract<FromServer, { type: 'state' }>) => boolean): Promise<void> {
    while (!this.state || !isSo(this.state)) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  close(): void {
    for (const worker of this.#workers) worker({ type: 'leave' });
    for (const port of this.#ports) port.close();
  }

  #hear(message: FromServer): void {
    this.heard.push(message);
    if (message.type === 'state') this.state = message;
    if (message.type === 'curves') this.train.splice(message.train.from, Infinity, ...message.train.points);
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
