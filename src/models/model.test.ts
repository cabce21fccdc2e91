import { expect, test } from 'vitest';
import { defaultExperiment, isUsed } from '../experiment/experiment.ts';
import { dataSpecs } from './data.ts';
import { elements, outputShape } from './layer.ts';
import { gradientFlops, modelSchema, models } from './model.ts';
import { dataTitles, resolveExperiment } from './plan.ts';
import { sparseDataSpecs } from './sparse-data.ts';

const shapesOf = (name: keyof typeof models, input: readonly number[], classes: number) => {
  let shape = input;
  return models[name].layers(classes).map((layer) => {
    shape = outputShape(layer, shape);
    return `${layer.kind} ${shape.join('×')}`;
  });
};

test('lenet has the shapes and the 61,706 parameters of LeNet-5', () => {
  expect(shapesOf('lenet', [28, 28, 1], 10).filter((line) => !/relu|flatten|standardize/.test(line))).toEqual([
    'conv 28×28×6',
    'avgpool 14×14×6',
    'conv 10×10×16',
    'avgpool 5×5×16',
    'dense 120',
    'dense 84',
    'dense 10',
  ]);
  expect(modelSchema(models.lenet, [28, 28, 1], 10).size).toBe(61_706);
});

test('alexnet has 61 million parameters to 2 % and ends its convolutions at 6×6×256', () => {
  const { input, classes } = dataSpecs['fake-227'];
  const { size } = modelSchema(models.alexnet, input, classes);
  expect(Math.abs(size / 61e6 - 1)).toBeLessThan(0.02);
  expect(shapesOf('alexnet', input, classes)).toContain('maxpool 6×6×256');
});

test('alexnet-small has the layers of alexnet', () => {
  const kinds = (name: 'alexnet' | 'alexnet-small') => models[name].layers(10).map(({ kind }) => kind);
  expect(kinds('alexnet-small')).toEqual(kinds('alexnet'));
});

test('a gradient takes as many operations as its products, and none for the gradient of the input', () => {
  expect(gradientFlops(models.softmax, [28, 28, 1], 10)).toBe(2 * 2 * 7840);
  const conv1 = 2 * 28 * 28 * 25 * 6;
  const rest = 2 * (10 * 10 * 25 * 6 * 16 + 400 * 120 + 120 * 84 + 84 * 10);
  expect(gradientFlops(models.lenet, [28, 28, 1], 10)).toBe(2 * conv1 + 3 * rest);
});

const sparse = { ...defaultExperiment, model: 'sparse-logistic', data: 'criteo-fake' } as const;

test('sparse logistic regression has a weight per feature and a bias, of which an example touches 40', () => {
  const { schema, trainCount } = resolveExperiment({ ...sparse, features: 33_762_578, examples: 1000 });
  expect([schema.size, schema.keysPerExample, trainCount]).toEqual([33_762_579, 40, 1000]);
  const whole = resolveExperiment({ ...sparse, model: 'dense-logistic' }).schema;
  expect([whole.size, whole.keysPerExample]).toEqual([33_762_579, null]);
  expect(whole.hash).not.toBe(schema.hash);
});

test.each([
  [{ strategy: 'allreduce' }, /^strategy: allreduce gives every worker/],
  [{ aggregate: 'median' }, /^aggregate: .* use mean/],
  [{ up: 'topk' }, /^up: .*float32 or float16/],
  [{ down: 'int8' }, /^down: .*float32 or float16/],
  [{ strategy: 'async', overlap: true }, /^overlap: /],
  [{ optimizer: 'adam' }, /^optimizer: adam moves all/],
  [{ strategy: 'local', optimizer: 'ftrl' }, /^optimizer: .*use sgd/],
  [{ l1: 1 }, /^l1: Only ftrl/],
  [{ l2: 1, optimizer: 'adagrad' }, /^l2: Only ftrl/],
  [{ strategy: 'local', localSteps: 2000 }, /^batch: /],
  [{ features: 64 }, /^features: .*at least 65/],
  [{ examples: 99 }, /^batch is .*99 examples/],
  [{ data: 'mnist' }, /takes other data: use criteo-fake/],
  [{ model: 'mlp' }, /takes other data: use mnist/],
  [{ model: 'mlp', data: 'mnist', optimizer: 'ftrl' }, /^optimizer: ftrl is for models whose parameters have keys/],
  [{ model: 'dense-logistic', optimizer: 'adagrad' }, /^optimizer: adagrad/],
] as const)('what a sparse model cannot do is refused under the name of its setting: %j (K9)', (change, words) => {
  expect(() => resolveExperiment({ ...sparse, ...change })).toThrow(words);
});

test('what only data of sparse examples use is used with each of them, and with no other', () => {
  for (const data of Object.keys(dataTitles)) {
    const deciding = { ...defaultExperiment, data };
    expect(isUsed('features', deciding)).toBe(Object.hasOwn(sparseDataSpecs, data));
  }
  const file = { ...sparse, data: 'file', entries: 1000 } as const;
  expect(resolveExperiment(file).schema.keysPerExample).toBe(1001);
  expect(() => resolveExperiment({ ...file, batch: 5000 })).toThrow(/^batch: .*at most 3996 of these/);
});

test('a model that does not fit the data is refused with the shapes', () => {
  const mixed = { ...defaultExperiment, model: 'lenet', data: 'cifar10' };
  expect(() => resolveExperiment(mixed)).toThrow(
    'the model lenet needs images of 28×28×1; those of cifar10 are 32×32×3',
  );
  expect(resolveExperiment({ ...mixed, data: 'fashion-mnist' }).schema.size).toBe(61_706);
  const fitting = resolveExperiment({ ...mixed, model: 'mlp' });
  expect(fitting.kind === 'layers' && elements(fitting.data.input)).toBe(3072);
});
