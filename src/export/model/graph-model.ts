import { type Constant, type GraphNode, layerNodes, storedNode, tensorShape } from './graph-nodes.ts';
import { inputWords, resolveTrained, type TrainedModel } from './trained-model.ts';

/** What the graph takes and gives. */
const INPUT = 'input';
const OUTPUT = 'probabilities';
/** The weights' file, beside the model's. */
export const WEIGHTS_FILE = 'weights.bin';

/**
 * A model of layers as a graph for inference, as TensorFlow.js loads it with `loadGraphModel` and Netron shows it: images in
 * 0 … 1 in, probabilities of the classes out, dropout passing on what it gets. Null for a model of another kind: a graph
 * would take a dense vector of all features.
 */
export function graphModel(trained: TrainedModel) {
  const named = resolveTrained(trained);
  if (named.kind !== 'layers') return null;
  const { model, data, schema } = named;
  const { nodes, constants, output } = layerNodes(model.layers(data.classes), data.input, INPUT);
  const float = { type: 'DT_FLOAT' } as const;
  const shape = tensorShape([-1, ...data.input]);
  // Parameters first, then constants, as `weightBytes` lays them out.
  const stored = [
    ...schema.tensors.map(({ name, shape }) => ({ name, shape, dtype: 'float32' })),
    ...constants.map(({ name, shape, values }) => {
      return { name, shape, dtype: values instanceof Int32Array ? 'int32' : 'float32' };
    }),
  ];
  const all: GraphNode[] = [
    { name: INPUT, op: 'Placeholder', input: [], attr: { dtype: float, shape: { shape } } },
    ...stored.map(({ name, shape: of, dtype }) => storedNode(name, of, dtype === 'int32' ? 'DT_INT32' : 'DT_FLOAT')),
    ...nodes,
    { name: OUTPUT, op: 'Softmax', input: [output], attr: { T: float } },
  ];
  const json = {
    format: 'graph-model',
    generatedBy: 'Manyhands',
    convertedBy: null,
    signature: {
      inputs: { [INPUT]: { name: `${INPUT}:0`, dtype: 'DT_FLOAT', tensorShape: shape } },
      outputs: { [OUTPUT]: { name: `${OUTPUT}:0`, dtype: 'DT_FLOAT', tensorShape: tensorShape([-1, data.classes]) } },
    },
    userDefinedMetadata: {
      experiment: trained.experiment,
      version: trained.version,
      input: inputWords(named),
      output: 'the probability of each class',
    },
    modelTopology: { node: all, library: {}, versions: { producer: 1, minConsumer: 1 } },
    weightsManifest: [{ paths: [WEIGHTS_FILE], weights: stored }],
  };
  return { json: `${JSON.stringify(json)}\n`, weights: weightBytes(trained.params, constants) };
}

function weightBytes(params: Float32Array, constants: readonly Constant[]): Uint8Array<ArrayBuffer> {
  const size = constants.reduce((sum, { values }) => sum + values.byteLength, params.byteLength);
  const bytes = new Uint8Array(size);
  new Float32Array(bytes.buffer, 0, params.length).set(params);
  let at = params.byteLength;
  for (const { values } of constants) {
    bytes.set(new Uint8Array(values.buffer), at);
    at += values.byteLength;
  }
  return bytes;
}
