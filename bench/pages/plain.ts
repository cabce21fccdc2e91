import '@tensorflow/tfjs-core/dist/register_all_gradients.js';
import * as tf from '@tensorflow/tfjs-core';
import { loadSplit } from '../../src/data/dataset.ts';
import { registerWasm } from '../../src/ml/wasm.ts';

/*
 * Softmax regression as the tfjs examples have it: variables, an optimizer, a tensor made of each batch. (Slices of one
 * resident tensor would be slower: on wasm a slice reads all of it.)
 */

const RESIDENT = 20_000;

async function prepare(batch: number): Promise<(ms: number) => number> {
  registerWasm();
  await tf.setBackend('wasm');
  const { images, labels } = await loadSplit('mnist', 'train', { baseUrl: new URL('.', location.href).href });
  const xs = Float32Array.from(images.subarray(0, RESIDENT * 784), (v) => v / 255);
  const ys = new Float32Array(RESIDENT * 10);
  for (let i = 0; i < RESIDENT; i++) ys[10 * i + (labels[i] as number)] = 1;
  const weights = tf.variable(tf.zeros([784, 10]));
  const bias = tf.variable(tf.zeros([10]));
  const optimizer = tf.train.sgd(0.5);
  let at = 0;
  const step = () => {
    at = at + 2 * batch > RESIDENT ? 0 : at + batch;
    tf.tidy(() => {
      const x = tf.tensor2d(xs.subarray(at * 784, (at + batch) * 784), [batch, 784]);
      const y = tf.tensor2d(ys.subarray(at * 10, (at + batch) * 10), [batch, 10]);
      optimizer.minimize(() => tf.losses.softmaxCrossEntropy(y, tf.add(tf.matMul(x, weights), bias)));
    });
  };
  for (let i = 0; i < 20; i++) step();
  /** Trains for so long; examples per second. On wasm a step is done when the call returns. */
  return (ms) => {
    const startMs = performance.now();
    let steps = 0;
    while (performance.now() - startMs < ms) {
      step();
      steps += 1;
    }
    return (steps * batch * 1000) / (performance.now() - startMs);
  };
}

Object.assign(globalThis, { prepare });
