import { describe, expect, test } from 'vitest';
import { initialParams } from '../../core/math/params.ts';
import { defaultExperiment, type Experiment } from '../../experiment/experiment.ts';
import { resolveExperiment } from '../../models/plan.ts';
import { graphModel, WEIGHTS_FILE } from './graph-model.ts';

interface Node {
  readonly name: string;
  readonly op: string;
  readonly input: readonly string[];
  readonly attr: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}
interface Weight {
  readonly name: string;
  readonly shape: readonly number[];
  readonly dtype: 'float32' | 'int32';
}
interface File {
  readonly format: string;
  readonly modelTopology: { readonly node: readonly Node[] };
  readonly weightsManifest: readonly { readonly paths: readonly string[]; readonly weights: readonly Weight[] }[];
}

/** How protobuf's JSON writes each kind of attribute, which is how Netron reads it. */
const attributes: Readonly<Record<string, (value: never) => boolean>> = {
  type: (value: string) => /^DT_(FLOAT|INT32)$/.test(value),
  shape: isShape,
  tensor: ({ dtype, tensorShape }: { dtype: string; tensorShape: never }) => /^DT_/.test(dtype) && isShape(tensorShape),
  b: (value: unknown) => typeof value === 'boolean',
  f: (value: unknown) => Number.isFinite(value),
  i: isWhole,
  s: (value: string) => /^[A-Z]+$/.test(atob(value)),
  list: ({ i, ...rest }: { i: readonly string[] }) =>
    Object.keys(rest).length === 0 && i.length > 0 && i.every(isWhole),
};
function isWhole(value: unknown): boolean {
  return typeof value === 'string' && /^-?\d+$/.test(value);
}
function isShape({ dim }: { readonly dim: readonly { readonly size: string }[] }): boolean {
  return dim.every(({ size }) => isWhole(size));
}

const cases: readonly Partial<Experiment>[] = [
  { model: 'softmax', data: 'mnist' },
  { model: 'mlp', data: 'cifar10' },
  { model: 'lenet', data: 'mnist' },
  { model: 'alexnet-small', data: 'cifar10' },
];

describe.each(cases)('the graph of %j, read as Netron does', (changes) => {
  const experiment = { ...defaultExperiment, ...changes };
  const { schema } = resolveExperiment(experiment);
  const files = graphModel({ experiment, version: 1, params: initialParams(schema, 3) });
  const { format, modelTopology, weightsManifest } = JSON.parse(files?.json ?? '') as File;
  const nodes = modelTopology.node;

  test('is a graph model whose attributes have one value each, of a kind that is known', () => {
    expect(format).toBe('graph-model');
    for (const { name, attr } of nodes) {
      for (const [key, value] of Object.entries(attr)) {
        const [[kind, of] = ['', null], ...more] = Object.entries(value);
        expect(more, `${name} ${key}`).toEqual([]);
        expect(attributes[kind]?.(of as never), `${name} ${key} ${kind}`).toBe(true);
      }
    }
  });

  test('has each name once, and inputs that are before what uses them', () => {
    const known = new Set<string>();
    for (const { name, input } of nodes) {
      expect(input.filter((one) => !known.has(one))).toEqual([]);
      expect(known.has(name)).toBe(false);
      known.add(name);
    }
  });

  test('has a constant for each weight, of its shape, and bytes for all of them with none left over', () => {
    expect(weightsManifest.map(({ paths }) => paths)).toEqual([[WEIGHTS_FILE]]);
    const weights = weightsManifest.flatMap((one) => one.weights);
    const constants = nodes.filter(({ op }) => op === 'Const');
    expect(constants.map(({ name }) => name).sort()).toEqual(weights.map(({ name }) => name).sort());
    for (const { name, shape, dtype } of weights) {
      const tensor = constants.find((one) => one.name === name)?.attr.value?.tensor;
      const dim = shape.map((size) => ({ size: String(size) }));
      expect(tensor).toEqual({ dtype: dtype === 'int32' ? 'DT_INT32' : 'DT_FLOAT', tensorShape: { dim } });
    }
    const bytes = weights.reduce((sum, { shape }) => sum + 4 * shape.reduce((a, b) => a * b, 1), 0);
    expect(files?.weights.length).toBe(bytes);
  });
});
