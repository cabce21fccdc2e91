import { loadSplit } from '../data/dataset.ts';
import type { Split } from '../data/files.ts';
import { type ExampleOrder, exampleOrder } from '../data/order.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { DeviceError } from '../ml/device-error.ts';
import { createEngine, type Engine, type StagedBatch } from '../ml/engine.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { DataName } from '../models/data.ts';
import { resolveExperiment } from '../models/plan.ts';
import type { Compute } from './compute.ts';

const layersOf = (experiment: Experiment) => {
  const named = resolveExperiment(experiment);
  if (named.kind !== 'layers') throw new RangeError(`the model ${experiment.model} is not made of layers`);
  return named;
};

/** What is ready to train: kept between runs that use the same model, data and batch. */
interface Prepared {
  readonly key: string;
  readonly experiment: Experiment;
  readonly engine: Engine;
  readonly split: Split;
}

/**
 * Computes with tfjs on data it loads itself. When the device fails, nothing of that step is given; it is computed
 * again on the device made anew, or on the next best one, and `onBackend` is told which. A DeviceError other than
 * `non-finite` means that no device is left.
 */
export function layersCompute(
  baseUrl: string,
  backend: BackendChoice,
  onBackend: (backend: Engine['backend']) => void = () => {},
): Compute {
  let prepared: Prepared | null = null;
  let order: ExampleOrder | null = null;
  let seed = 0;
  let staged: { readonly from: number; readonly batch: StagedBatch } | null = null;

  const stage = (from: number, count: number): StagedBatch => {
    if (!prepared || !order) throw new Error('a step before its model was prepared');
    const { images, labels } = prepared.split;
    return prepared.engine.stage(images, labels, order.indices(from, count), { seed, from });
  };

  const unstage = () => {
    staged?.batch.dispose();
    staged = null;
  };

  const engineFor = (experiment: Experiment): Promise<Engine> => {
    const { model, data } = layersOf(experiment);
    return createEngine(model, data, backend, { batch: experiment.batch });
  };

  /** Runs it, and again on another engine if the device failed. Ends, since a device that fails again is not chosen. */
  const onGoodDevice = async <Result>(run: (ready: Prepared) => Promise<Result>): Promise<Result> => {
    if (!prepared) throw new Error('a step before its model was prepared');
    try {
      return await run(prepared);
    } catch (error) {
      if (!(error instanceof DeviceError) || error.fault === 'non-finite') throw error;
      const failed = prepared;
      unstage();
      prepared = null;
      failed.engine.close();
      const engine = await engineFor(failed.experiment);
      prepared = { ...failed, engine };
      onBackend(engine.backend);
      return onGoodDevice(run);
    }
  };

  return {
    async prepare(experiment, onStage) {
      const { data } = layersOf(experiment);
      const key = [experiment.model, experiment.data, experiment.batch].join();
      unstage();
      seed = experiment.seed;
      order = exampleOrder(data.trainCount, seed);
      if (prepared?.key !== key) {
        onStage({ kind: 'preparing', what: 'library', fraction: null });
        prepared?.engine.close();
        prepared = null;
        const engine = await engineFor(experiment);
        onStage({ kind: 'preparing', what: 'data', fraction: 0 });
        const onProgress = (fraction: number) => onStage({ kind: 'preparing', what: 'data', fraction });
        const split = await loadSplit(data.name as DataName, 'train', { baseUrl, onProgress });
        prepared = { key, experiment, engine, split };
        onStage({ kind: 'preparing', what: 'warm-up', fraction: null });
        // Compiles shaders and grows buffers on a real batch, so that the first step is like every other.
        await onGoodDevice(async ({ engine }) => {
          const batch = stage(0, experiment.batch);
          await engine.warmUp(batch).finally(() => batch.dispose());
        });
      }
      return prepared.engine.backend;
    },
    prefetch(lease) {
      unstage();
      staged = { from: lease.from, batch: stage(lease.from, lease.count) };
      return undefined;
    },
    async step(params, lease) {
      return onGoodDevice(async ({ engine }) => {
        const startMs = performance.now();
        if (staged?.from !== lease.from) this.prefetch(lease);
        const batch = staged?.batch as StagedBatch;
        staged = null;
        const stageMs = performance.now() - startMs;
        const result = await engine.gradient(params, batch).finally(() => batch.dispose());
        return { ...result, decodeMs: result.decodeMs + stageMs };
      });
    },
  };
}
