import { initialParams } from '../../src/core/math/params.ts';
import { createEngine, type Engine } from '../../src/ml/engine.ts';
import { dataSpecs } from '../../src/models/data.ts';
import { models } from '../../src/models/model.ts';
import { type MeasuringPage, rateOf, someExamples } from './measured.ts';
import { matMulRate, operatorRun } from './running.ts';

/* The trainer as a tab uses it: a batch is staged, its gradient computed and read, and applied to the parameters. */

let engine: Engine | null = null;
let run = async () => {};

const page: MeasuringPage = {
  async prepare({ model, data, batch }) {
    engine?.close();
    const current = await createEngine(models[model], dataSpecs[data], 'wasm');
    engine = current;
    const { images, labels } = someExamples(data);
    const params = initialParams(current.schema, 1);
    let from = 0;
    run = async () => {
      from = (from + batch) % (labels.length - batch);
      const indices = Uint32Array.from({ length: batch }, (_, i) => from + i);
      const staged = current.stage(images, labels, indices, { seed: 1, from });
      const { gradient } = await current.gradient(params, staged);
      staged.dispose();
      for (let i = 0; i < params.length; i++) params[i] = (params[i] as number) - 1e-4 * (gradient[i] as number);
    };
    for (let i = 0; i < 10; i++) await run();
    return current.backend.name;
  },
  stepRate: (ms) => rateOf(run, ms),
  async prepareOperator(index) {
    engine ??= await createEngine(models.softmax, dataSpecs.mnist, 'wasm');
    run = operatorRun(index);
    for (let i = 0; i < 3; i++) await run();
    return engine.backend.name;
  },
  operatorRate: (ms) => rateOf(run, ms),
  async matMulRate(ms) {
    engine ??= await createEngine(models.softmax, dataSpecs.mnist, 'wasm');
    return matMulRate(ms);
  },
};
Object.assign(globalThis, { page });
