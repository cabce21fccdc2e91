import { alexnetFake } from './presets/alexnet-fake.ts';
import { lenetBatch } from './presets/lenet-batch.ts';
import { lenetSgd } from './presets/lenet-sgd.ts';
import { lenetWorkers } from './presets/lenet-workers.ts';
import { mnistSoftmaxBatch } from './presets/mnist-softmax-batch.ts';
import { mnistSoftmaxCluster } from './presets/mnist-softmax-cluster.ts';
import { mnistSoftmaxEpochs } from './presets/mnist-softmax-epochs.ts';
import { sparseBatch } from './presets/sparse-batch.ts';
import { sparseDense } from './presets/sparse-dense.ts';
import { sparseModes } from './presets/sparse-modes.ts';
import type { Sweep } from './sweep.ts';

/** Every sweep there is, in the order they are listed; each has a quick size. */
export const presets: readonly Sweep[] = [
  mnistSoftmaxCluster,
  mnistSoftmaxBatch,
  mnistSoftmaxEpochs,
  lenetWorkers,
  lenetBatch,
  lenetSgd,
  alexnetFake,
  sparseBatch,
  sparseModes,
  sparseDense,
];
