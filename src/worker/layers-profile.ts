import { initialParams } from '../core/math/params.ts';
import { loadSplit } from '../data/dataset.ts';
import { exampleOrder } from '../data/order.ts';
import type { Experiment } from '../experiment/experiment.ts';
import { createEngine } from '../ml/engine.ts';
import type { BackendChoice } from '../models/backend.ts';
import type { DataName } from '../models/data.ts';
import type { Named } from '../models/plan.ts';
import type { StepProfile } from '../observe/step-trace.ts';
import { medianMs } from './median-time.ts';

/** The first steps compile. */
const WARM_UPS = 2;

/** One step of a model made of layers, operator by operator, and the whole of it. */
export async function layersProfile(
  { model, data, schema }: Extract<Named, { kind: 'layers' }>,
  { batch: size, seed }: Experiment,
  baseUrl: string,
  want: BackendChoice,
): Promise<StepProfile> {
  const { images, labels } = await loadSplit(data.name as DataName, 'train', { baseUrl });
  const engine = await createEngine(model, data, want, { batch: size });
  const batch = engine.stage(images, labels, exampleOrder(data.trainCount, seed).indices(0, size), { seed, from: 0 });
  try {
    await engine.warmUp(batch);
    const params = initialParams(schema, seed);
    const step = () => engine.gradient(params, batch);
    for (let i = 0; i < WARM_UPS; i++) await step();
    const stepMs = await medianMs(step);
    const operators = await engine.operators(params, batch);
    return { backend: engine.backend.name, batch: size, operators, stepMs };
  } finally {
    batch.dispose();
    engine.close();
  }
}
