import type { SavedServer } from '../core/server/server.ts';
import type { ServerEvent } from '../core/server/server-events.ts';
import type { FileIdentity } from '../data/sparse/file-identity.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { CheckpointKeeper } from './checkpoint-keeper.ts';
import type { EvaluatorClient } from './evaluator-client.ts';
import type { ExampleServer } from './example-server.ts';

interface RunStarterDeps {
  readonly examples: ExampleServer;
  readonly evaluator: EvaluatorClient;
  readonly keeper: CheckpointKeeper;
  /** The data of the next run is here: from now on everything is about that run. */
  onDataReady(experiment: Experiment): void;
  onStart(event: Extract<ServerEvent, { type: 'start' }>): void;
  /** The data cannot be used, or the experiment cannot be run. */
  onFailed(error: unknown): void;
  onEvaluatorFailed(error: unknown): void;
}

/** Starts a run once its data and its evaluator are ready. Of several that are asked for, the last one starts. */
export class RunStarter {
  readonly #deps: RunStarterDeps;
  /** Stands for the last start that was asked for. */
  #last: symbol | null = null;

  constructor(deps: RunStarterDeps) {
    this.#deps = deps;
  }

  start(id: string, experiment: Experiment, maxWorkers?: number): void {
    this.#whenDataReady(experiment, null, (ready) => this.#begin(id, ready, maxWorkers));
  }

  /** Goes on with the run that was found saved, if there is one. */
  resumeSaved(): void {
    const { keeper } = this.#deps;
    const { resumable } = keeper;
    if (!resumable) return;
    this.#whenDataReady(resumable.experiment, resumable.file, (ready) => {
      const saved = keeper.take();
      if (saved) this.#begin(resumable.id, ready, undefined, saved);
    });
  }

  /** What was asked for is not to start any more. */
  cancel(): void {
    this.#last = null;
  }

  /** Goes on at once if everyone has the data. */
  #whenDataReady(experiment: Experiment, file: FileIdentity | null, then: (experiment: Experiment) => void): void {
    const { examples, evaluator, onFailed } = this.#deps;
    const start = Symbol();
    this.#last = start;
    const failed = (error: unknown) => {
      if (this.#last === start) onFailed(error);
    };
    const read = async () => {
      const found = await examples.prepare(experiment, file);
      const test = await examples.test();
      if (this.#last !== start) return;
      evaluator.giveTestSet(test);
      then(found);
    };
    if (experiment.data === 'file') return void read().catch(failed);
    try {
      then(experiment);
    } catch (error) {
      failed(error);
    }
  }

  #begin(id: string, experiment: Experiment, maxWorkers?: number, saved?: SavedServer): void {
    const { keeper, evaluator, onDataReady, onStart, onEvaluatorFailed } = this.#deps;
    const { schema, trainCount } = resolveExperiment(experiment);
    const plan = { id, experiment, schema, trainCount, most: maxWorkers };
    keeper.restart();
    onDataReady(experiment);
    const begin = () => onStart(saved ? { type: 'start', plan, saved } : { type: 'start', plan });
    const keys = schema.keysPerExample === null ? null : evaluator.findKeys(experiment);
    if (keys === null) return begin();
    const start = this.#last;
    keys.then(() => this.#last === start && begin(), onEvaluatorFailed);
  }
}
