import { loadSplit } from '../data/dataset.ts';
import { DeviceError } from '../ml/device-error.ts';
import { createEngine } from '../ml/engine.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { DataName } from '../models/data.ts';
import type { Named } from '../models/plan.ts';
import type { Evaluator } from './evaluator.ts';

/** Evaluates models made of layers; on a device that went away, once more on another or made anew. */
export async function layersEvaluator(
  { model, data }: Extract<Named, { kind: 'layers' }>,
  baseUrl: string,
  backend: BackendChoice,
): Promise<Evaluator> {
  let engine = await createEngine(model, data, backend);
  const { images, labels } = await loadSplit(data.name as DataName, 'test', { baseUrl });
  return {
    keys: null,
    async evaluate(params) {
      const result = await engine.evaluate(params, images, labels).catch(async (error: unknown) => {
        if (!(error instanceof DeviceError)) throw error;
        engine.close();
        engine = await createEngine(model, data, backend);
        return engine.evaluate(params, images, labels);
      });
      return { ...result, auc: null };
    },
    close: () => engine.close(),
  };
}
