import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import '@tensorflow/tfjs-backend-cpu';
import * as tf from '@tensorflow/tfjs-core';
import { initialParams } from '../../src/core/math/params.ts';
import { registerWasm } from '../../src/ml/wasm.ts';
import { dataSpecs } from '../../src/models/data.ts';
import { elements, type Layer } from '../../src/models/layer.ts';
import { modelSchema, models } from '../../src/models/model.ts';
import { type MeasuringPage, rateOf, someExamples, type Task } from './measured.ts';
import { operators } from './operators.ts';
import { matMulRate, operatorRun } from './running.ts';

/* tfjs as its examples use it: variables, an optimizer, its own gradients, its own kernels. */

registerWasm();

function apply(layer: Layer, x: tf.Tensor, take: () => tf.Tensor): tf.Tensor {
  switch (layer.kind) {
    case 'flatten':
      return tf.reshape(x, [x.shape[0] ?? 0, -1]);
    case 'relu':
      return tf.relu(x);
    case 'standardize':
      return tf.div(tf.sub(x, layer.mean), layer.deviation);
    case 'dense':
      return tf.add(tf.matMul(x, take()), take());
    case 'conv':
      return tf.add(tf.conv2d(x as tf.Tensor4D, take() as tf.Tensor4D, layer.stride, layer.pad), take());
    case 'avgpool':
      return tf.avgPool(x as tf.Tensor4D, layer.size, layer.stride, 'valid');
    case 'maxpool':
      return tf.maxPool(x as tf.Tensor4D, layer.size, layer.stride, 'valid');
    case 'lrn':
      return tf.localResponseNormalization(x as tf.Tensor4D, layer.radius, layer.bias, layer.alpha, layer.beta);
    case 'dropout':
      return tf.dropout(x, layer.rate);
    default:
      return layer satisfies never;
  }
}

/** A training step on the current backend. */
function stepOf({ model, data, batch }: Task): { step: () => Promise<void>; dispose: () => void } {
  const { input, classes } = dataSpecs[data];
  const schema = modelSchema(models[model], input, classes);
  const params = initialParams(schema, 1);
  const variables = schema.tensors.map(({ offset, size, shape }) =>
    tf.variable(tf.tensor(params.slice(offset, offset + size), [...shape])),
  );
  const { images, labels } = someExamples(data);
  const size = elements(input);
  // Made once, outside of what is measured: stock tfjs gets its numbers ready to use.
  const floats = Float32Array.from(images, (value) => value / 255);
  const optimizer = tf.train.sgd(1e-4);
  let from = 0;
  const step = async () => {
    from = (from + batch) % (labels.length - batch);
    tf.tidy(() => {
      const pixels = floats.subarray(from * size, (from + batch) * size);
      const oneHot = new Float32Array(batch * classes);
      for (let i = 0; i < batch; i++) oneHot[i * classes + (labels[from + i] as number)] = 1;
      const [x, y] = [tf.tensor(pixels, [batch, ...input]), tf.tensor2d(oneHot, [batch, classes])];
      optimizer.minimize(() => {
        let next = 0;
        const take = () => variables[next++] as tf.Tensor;
        const logits = models[model].layers(classes).reduce<tf.Tensor>((value, layer) => apply(layer, value, take), x);
        return tf.losses.softmaxCrossEntropy(y, logits) as tf.Scalar;
      });
    });
  };
  return { step, dispose: () => tf.dispose(variables) };
}

let run = async () => {};

const page: MeasuringPage = {
  /** The fastest of tfjs's backends that can train it: wasm cannot train a convolution. */
  async prepare(task) {
    let best = { backend: '', ms: Number.POSITIVE_INFINITY };
    for (const backend of ['wasm', 'cpu']) {
      await tf.setBackend(backend);
      const { step, dispose } = stepOf(task);
      try {
        await step();
        const startMs = performance.now();
        await step();
        const ms = performance.now() - startMs;
        if (ms < best.ms) best = { backend, ms };
      } catch (error) {
        console.info(`${backend} cannot train ${task.model}: ${error instanceof Error ? error.message : error}`);
      }
      dispose();
    }
    await tf.setBackend(best.backend);
    run = stepOf(task).step;
    await run();
    return best.backend;
  },
  stepRate: (ms) => rateOf(run, ms),
  async prepareOperator(index) {
    const backend = tf.getKernel(operators[index]?.kernel ?? '', 'wasm') === undefined ? 'cpu' : 'wasm';
    await tf.setBackend(backend);
    run = operatorRun(index);
    await run();
    return backend;
  },
  operatorRate: (ms) => rateOf(run, ms),
  async matMulRate(ms) {
    const before = tf.getBackend();
    await tf.setBackend('wasm');
    const rate = await matMulRate(ms);
    await tf.setBackend(before);
    return rate;
  },
};
Object.assign(globalThis, { page });
