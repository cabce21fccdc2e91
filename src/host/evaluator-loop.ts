import type { ServerEvent } from '../core/server/server.ts';
import { errorText } from '../experiment/error-text.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { BackendChoice } from '../models/backend.ts';
import { type Evaluator, openEvaluator } from './evaluator.ts';

/** What the server asks of the evaluator. Arrays' buffers are transferred. */
export type EvaluationRequest =
  /** The test set of data that only the server has, as `encodeExamples` writes it, for all requests to come. */
  | { readonly type: 'test-set'; readonly examples: Uint8Array }
  /** Which parameters the test set touches: answered with `keys`. */
  | { readonly type: 'keys'; readonly experiment: Experiment }
  /** With all parameters, or those at the keys that it answered. */
  | {
      readonly type: 'evaluate';
      readonly run: number;
      readonly version: number;
      readonly experiment: Experiment;
      readonly params: Float32Array;
    };

export type EvaluationReply =
  | Extract<ServerEvent, { type: 'evaluated' }>
  | { readonly type: 'keys'; readonly keys: Uint32Array | null }
  | { readonly type: 'busy'; readonly text: string | null }
  | { readonly type: 'failed'; readonly text: string };

/** Names the test set of an experiment: what was loaded, or said, of one holds for all others of the same name. */
export const testSetOf = ({ model, data, features }: Experiment): string => [model, data, features].join();

/** Answers requests from the port, one after another, on the whole test set. */
export function evaluatorLoop(port: MessagePort, baseUrl: string, backend: BackendChoice): void {
  let testExamples: Uint8Array | null = null;
  let prepared: { readonly testSet: string; readonly evaluator: Evaluator } | null = null;
  const post = (reply: EvaluationReply) => port.postMessage(reply);

  const drop = () => {
    prepared?.evaluator.close();
    prepared = null;
  };

  const prepare = async (experiment: Experiment): Promise<Evaluator> => {
    const testSet = testSetOf(experiment);
    if (prepared?.testSet === testSet) return prepared.evaluator;
    drop();
    post({ type: 'busy', text: 'Loading the test set…' });
    const evaluator = await openEvaluator(experiment, baseUrl, backend, testExamples);
    post({ type: 'busy', text: null });
    prepared = { testSet, evaluator };
    return evaluator;
  };

  const answer = async (request: EvaluationRequest) => {
    try {
      if (request.type === 'test-set') {
        testExamples = request.examples;
        return drop();
      }
      const { type, experiment } = request;
      const evaluator = await prepare(experiment);
      if (type === 'keys') return post({ type, keys: evaluator.keys });
      const { run, version, params } = request;
      post({ type: 'evaluated', run, version, ...(await evaluator.evaluate(params)) });
    } catch (error) {
      // Whatever broke may be broken for good: the next request loads anew.
      drop();
      post({ type: 'failed', text: errorText(error) });
    }
  };

  // An evaluator takes one evaluation at a time.
  let last = Promise.resolve();
  port.addEventListener('message', ({ data }: MessageEvent<EvaluationRequest>) => {
    last = last.then(() => answer(data));
  });
  port.start();
}
