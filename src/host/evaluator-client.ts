import type { Run } from '../core/server/run.ts';
import { valuesAt } from '../core/sparse/logistic.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { type EvaluationReply, type EvaluationRequest, testSetOf } from './evaluator-loop.ts';

type Answer<Type extends EvaluationReply['type']> = Extract<EvaluationReply, { type: Type }>;

/** The server's way to the thread that evaluates on the test set. It answers in the order it is asked. */
export class EvaluatorClient {
  readonly #onBusy: (text: string | null) => void;
  readonly #waiting: { resolve(reply: EvaluationReply): void; reject(error: Error): void }[] = [];
  #port: MessagePort | null = null;
  /** Which parameters a test set touches, where they have keys. */
  #touched: { readonly testSet: string; readonly keys: Uint32Array } | null = null;

  /** `onBusy` hears what it is busy with; null when it is done. */
  constructor(onBusy: (text: string | null) => void) {
    this.#onBusy = onBusy;
  }

  attach(port: MessagePort): void {
    this.#port = port;
    port.onmessage = ({ data }: MessageEvent<EvaluationReply>) => {
      if (data.type === 'busy') return this.#onBusy(data.text);
      const waiting = this.#waiting.shift();
      if (data.type === 'failed') waiting?.reject(new Error(`The test set could not be evaluated: ${data.text}`));
      else waiting?.resolve(data);
    };
  }

  /** Evaluates the parameters as they are now. */
  evaluate({ run, params: all, keys, plan }: Run, version: number): Promise<Answer<'evaluated'>> {
    const params = keys && this.#touched ? valuesAt(all, this.#touched.keys) : all.slice();
    return this.#ask({ type: 'evaluate', run, version, experiment: plan.experiment, params }, [params.buffer]);
  }

  /** The test set of data that only the host has. */
  giveTestSet(examples: Uint8Array<ArrayBuffer>): void {
    this.#port?.postMessage({ type: 'test-set', examples } satisfies EvaluationRequest, [examples.buffer]);
    this.#touched = null;
  }

  /**
   * Finds out which parameters with keys the test set touches. Not to be left for later: what is to be evaluated could be
   * gone by then.
   */
  async findKeys(experiment: Experiment): Promise<void> {
    const testSet = testSetOf(experiment);
    if (!this.#port || this.#touched?.testSet === testSet) return;
    this.#touched = null;
    const { keys } = await this.#ask<'keys'>({ type: 'keys', experiment });
    this.#touched = keys && { testSet, keys };
  }

  #ask<Type extends EvaluationReply['type']>(
    request: EvaluationRequest,
    transfer: Transferable[] = [],
  ): Promise<Answer<Type>> {
    this.#port?.postMessage(request, transfer);
    return new Promise((resolve, reject) =>
      this.#waiting.push({ resolve: (reply) => resolve(reply as Answer<Type>), reject }),
    );
  }
}
