import type { Experiment } from '../core/config.ts';
import type { ServerEvent } from '../core/server.ts';
import { loadSplit, type Split } from '../data/dataset.ts';
import { DeviceError } from '../ml/device-error.ts';
import { createEngine, type Engine } from '../ml/engine.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { DataName } from '../models/data.ts';
import { resolveExperiment } from '../models/plan.ts';

/** What the server asks of the evaluator. The parameters' buffer is transferred. */
export interface EvaluationRequest {
  readonly run: number;
  readonly version: number;
  readonly experiment: Experiment;
  readonly params: Float32Array;
}

export type EvaluationReply =
  | Extract<ServerEvent, { type: 'evaluated' }>
  | { readonly type: 'busy'; readonly text: string | null }
  | { readonly type: 'failed'; readonly text: string };

/** Answers evaluation requests from the port, one after another, on the whole test set. */
export function evaluateLoop(port: MessagePort, baseUrl: string, backend: BackendChoice): void {
  let prepared: { key: string; engine: Engine; split: Split } | null = null;
  const post = (reply: EvaluationReply) => port.postMessage(reply);

  const prepare = async (experiment: Experiment) => {
    const key = [experiment.model, experiment.data].join();
    if (prepared?.key === key) return prepared;
    const { model, data } = resolveExperiment(experiment);
    prepared?.engine.close();
    prepared = null;
    post({ type: 'busy', text: 'Loading the test set…' });
    const engine = await createEngine(model, data, backend);
    const split = await loadSplit(data.name as DataName, 'test', { baseUrl });
    post({ type: 'busy', text: null });
    prepared = { key, engine, split };
    return prepared;
  };

  const evaluate = async ({ experiment, params }: EvaluationRequest) => {
    const { engine, split } = await prepare(experiment);
    return engine.evaluate(params, split.images, split.labels);
  };

  const answer = async (request: EvaluationRequest) => {
    const { run, version } = request;
    try {
      const { loss, accuracy, precisions } = await evaluate(request).catch((error: unknown) => {
        if (!(error instanceof DeviceError)) throw error;
        // The device went away: once more, on another or made anew.
        prepared?.engine.close();
        prepared = null;
        return evaluate(request);
      });
      post({ type: 'evaluated', run, version, loss, accuracy, precisions });
    } catch (error) {
      post({ type: 'failed', text: error instanceof Error ? error.message : String(error) });
    }
  };

  // The engine takes one evaluation at a time.
  let last = Promise.resolve();
  port.addEventListener('message', ({ data }: MessageEvent<EvaluationRequest>) => {
    last = last.then(() => answer(data));
  });
  port.start();
}
