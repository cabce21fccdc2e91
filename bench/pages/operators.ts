/** One kernel at sizes that a model has. */
export interface Operator {
  readonly title: string;
  readonly kernel: string;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly attrs: Readonly<Record<string, unknown>>;
}

const conv = (title: string, x: number[], filter: number[], stride: number, pad: 'same' | 'valid'): Operator[] => {
  const [n = 0, height = 0, width = 0] = x;
  const [size = 0, , , filters = 0] = filter;
  const side = (length: number) => (pad === 'same' ? Math.ceil(length / stride) : (length - size) / stride + 1);
  const dy = [n, side(height), side(width), filters];
  const attrs = { strides: [stride, stride], pad, dataFormat: 'NHWC', dilations: [1, 1], dimRoundingMode: 'floor' };
  return [
    {
      title: `${title} forward with bias and relu`,
      kernel: 'FusedConv2D',
      inputs: { x, filter, bias: [filters] },
      attrs: { ...attrs, activation: 'relu', leakyreluAlpha: 0 },
    },
    {
      title: `${title} filter gradient`,
      kernel: 'Conv2DBackpropFilter',
      inputs: { x, dy },
      attrs: { ...attrs, filterShape: filter },
    },
    {
      title: `${title} input gradient`,
      kernel: 'Conv2DBackpropInput',
      inputs: { dy, filter },
      attrs: { ...attrs, inputShape: x },
    },
  ];
};

const pool = { filterSize: [2, 2], strides: [2, 2], pad: 'valid' };
const lrn = { depthRadius: 2, bias: 2, alpha: 1e-4, beta: 0.75 };
const product = (title: string, a: number[], b: number[], transposeA: boolean, transposeB: boolean): Operator => ({
  title,
  kernel: 'BatchMatMul',
  inputs: { a, b },
  attrs: { transposeA, transposeB },
});
const [small, smallPooled] = [
  [32, 16, 16, 32],
  [32, 7, 7, 32],
];

/** LeNet at batch 64 and alexnet-small at batch 32. */
export const operators: readonly Operator[] = [
  ...conv('LeNet conv1', [64, 28, 28, 1], [5, 5, 1, 6], 1, 'same'),
  ...conv('LeNet conv2', [64, 14, 14, 6], [5, 5, 6, 16], 1, 'valid'),
  ...conv('alexnet-small conv2', [32, 7, 7, 32], [5, 5, 32, 64], 1, 'same'),
  {
    title: 'average pool gradient',
    kernel: 'AvgPoolGrad',
    inputs: { dy: [64, 14, 14, 6], input: [64, 28, 28, 6] },
    attrs: pool,
  },
  {
    title: 'max pool gradient',
    kernel: 'MaxPoolGrad',
    inputs: { dy: smallPooled, input: small, output: smallPooled },
    attrs: { filterSize: [3, 3], strides: [2, 2], pad: 'valid' },
  },
  { title: 'local response normalisation', kernel: 'LRN', inputs: { x: small }, attrs: lrn },
  { title: 'its gradient', kernel: 'LRNGrad', inputs: { x: small, y: small, dy: small }, attrs: lrn },
  product('512³ product', [512, 512], [512, 512], false, false),
  product('512³ product, left transposed', [512, 512], [512, 512], true, false),
  product('512³ product, right transposed', [512, 512], [512, 512], false, true),
];
