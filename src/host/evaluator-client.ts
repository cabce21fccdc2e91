import type { Run } from '../core/server/run.ts';
import { gather } from '../core/sparse/logistic.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { type EvaluationReply, type EvaluationRequest, testSetOf } from './evaluator-loop.ts';

interface EvaluatorClientDeps {
  now(): number;
  /** An evaluation is over. */
  onEvaluated(reply: Extract<EvaluationReply, { type: 'evaluated' }>, startMs: number): void;
  onFailed(text: string): void;
  /** What it is busy with, if anything. */
  onBusy(text: string | null): void;
}

/** The server's way to the thread that evaluates on the test set. */
export class EvaluatorClient {
  readonly #deps: EvaluatorClientDeps;
  #port: MessagePort | null = null;
  /** Which parameters a test set touches, where they have keys. */
  #touched: { readonly testSet: string; readonly keys: Uint32Array } | null = null;
  #waiting: { readonly testSet: string; then(): void } | null = null;
  #askedMs = 0;

  constructor(deps: EvaluatorClientDeps) {
    this.#deps = deps;
  }

  attach(port: MessagePort): void {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<EvaluationReply>) => this.#hear(data);
  }

  /** Asks for an evaluation of the parameters as they are now. */
  evaluate({ run, params: all, keys, plan }: Run, version: number): void {
    const params = keys && this.#touched ? valuesAt(all, this.#touched.keys) : all.slice();
    this.#post({ type: 'evaluate', run, version, experiment: plan.experiment, params }, [params.buffer]);
    this.#askedMs = this.#deps.now();
  }

  /** The test set of data that only the host has. */
  giveTestSet(examples: Uint8Array<ArrayBuffer>): void {
    this.#post({ type: 'test-set', examples }, [examples.buffer]);
    this.#touched = null;
  }

  /**
   * Goes on once it is known which parameters the test set touches, where they have keys: before that, what is to be
   * evaluated could be gone when it is asked for.
   */
  whenReady(experiment: Experiment, hasKeys: boolean, then: () => void): void {
    this.#waiting = null;
    const testSet = testSetOf(experiment);
    if (!hasKeys || !this.#port || this.#touched?.testSet === testSet) return then();
    this.#touched = null;
    this.#waiting = { testSet, then };
    this.#post({ type: 'keys', experiment });
  }

  /** What waited is not wanted any more. */
  cancel(): void {
    this.#waiting = null;
  }

  #hear(reply: EvaluationReply): void {
    switch (reply.type) {
      case 'evaluated':
        return this.#deps.onEvaluated(reply, this.#askedMs);
      case 'keys':
        return this.#known(reply.testSet, reply.keys);
      case 'failed':
        this.#waiting = null;
        return this.#deps.onFailed(reply.text);
      case 'busy':
        return this.#deps.onBusy(reply.text);
      default:
        reply satisfies never;
    }
  }

  #known(testSet: string, keys: Uint32Array | null): void {
    if (testSet !== this.#waiting?.testSet || !keys) return;
    const { then } = this.#waiting;
    this.#touched = { testSet, keys };
    this.#waiting = null;
    then();
  }

  #post(request: EvaluationRequest, transfer: Transferable[] = []): void {
    this.#port?.postMessage(request, transfer);
  }
}

function valuesAt(params: Float32Array, keys: Uint32Array): Float32Array<ArrayBuffer> {
  const values = new Float32Array(keys.length);
  gather(params, keys, keys.length, values);
  return values;
}
