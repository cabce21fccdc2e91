import { loadGraphModel } from '@tensorflow/tfjs-converter';
import { type Tensor, tidy } from '@tensorflow/tfjs-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { initialParams } from '../../core/math/params.ts';
import { rng } from '../../core/math/rng.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { createEngine, type Engine } from '../../ml/engine.ts';
import { tensorOf } from '../../ml/kernels/kernel.ts';
import { network } from '../../ml/network.ts';
import { elements } from '../../models/layer.ts';
import { resolveExperiment } from '../../models/plan.ts';
import { graphModel, WEIGHTS_FILE } from './graph-model.ts';

const seed = 11;
const EXAMPLES = 4;

/** Serves the two files as a web server does, to the loader that fetches them. */
function served(files: Readonly<Record<string, BodyInit>>): typeof fetch {
  return async (url) => {
    const body = files[String(url).replace('http://run.test/model/', '')];
    return body === undefined ? new Response(null, { status: 404 }) : new Response(body);
  };
}

function softmaxOf(logits: Float32Array, classes: number): Float64Array {
  const result = new Float64Array(logits.length);
  for (let row = 0; row < logits.length; row += classes) {
    const exps = Array.from(logits.subarray(row, row + classes), (logit) => Math.exp(logit));
    const total = exps.reduce((a, b) => a + b, 0);
    for (const [i, value] of exps.entries()) result[row + i] = value / total;
  }
  return result;
}

const cases: readonly (readonly [string, Partial<Experiment>])[] = [
  ['softmax', { model: 'softmax', data: 'mnist' }],
  ['mlp', { model: 'mlp', data: 'cifar10' }],
  ['lenet', { model: 'lenet', data: 'mnist' }],
  ['alexnet-small', { model: 'alexnet-small', data: 'cifar10' }],
];

describe.each(cases)('%s as a graph model', (_, changes) => {
  const experiment = { ...defaultExperiment, ...changes };
  const named = resolveExperiment(experiment);
  if (named.kind !== 'layers') throw new Error('only models of layers have a graph');
  const { model, data, schema } = named;

  describe.each(['cpu', 'wasm'] as const)('on %s', (backend) => {
    let engine: Engine;
    beforeAll(async () => {
      engine = await createEngine(model, data, backend);
    });
    afterAll(() => engine.close());

    test(`loaded by TensorFlow.js gives the probabilities that our own network gives, to 1e-5 (seed ${seed})`, async () => {
      const random = rng(seed, model.name);
      // No zeros, and wide enough that the classes differ: else any graph would give a tenth for each.
      const params = initialParams(schema, seed).map((value) => value + random.normal() * 0.05);
      const images = Uint8Array.from({ length: EXAMPLES * elements(data.input) }, () => random.below(256));
      const batch = engine.stage(
        images,
        new Uint8Array(EXAMPLES),
        Uint32Array.from({ length: EXAMPLES }, (_, i) => i),
      );
      const tensors = schema.tensors.map(({ offset, size, shape }) =>
        tensorOf(params.slice(offset, offset + size), shape),
      );
      const logits = tidy(() => network(model.layers(data.classes), data.input).logits(batch.input, tensors));
      const expected = softmaxOf((await logits.data()) as Float32Array, data.classes);

      const graph = graphModel({ experiment, version: 3, params });
      if (graph === null) throw new Error('no graph came');
      const fetchFunc = served({ 'model.json': graph.json, [WEIGHTS_FILE]: graph.weights });
      const loaded = await loadGraphModel('http://run.test/model/model.json', { fetchFunc });
      expect(loaded.inputs.map(({ name, shape }) => ({ name, shape }))).toEqual([
        { name: 'input', shape: [-1, ...data.input] },
      ]);
      expect(loaded.outputs.map(({ name }) => name)).toEqual(['probabilities']);
      const output = loaded.predict(batch.input) as Tensor;
      const probabilities = await output.data();

      expect(output.shape).toEqual([EXAMPLES, data.classes]);
      expect(Math.max(...expected)).toBeGreaterThan(0.2);
      for (const [i, value] of expected.entries()) expect(Math.abs((probabilities[i] ?? 0) - value)).toBeLessThan(1e-5);
      for (const tensor of [output, logits, ...tensors]) tensor.dispose();
      batch.dispose();
      loaded.dispose();
    });
  });
});
