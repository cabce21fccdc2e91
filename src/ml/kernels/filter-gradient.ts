import { getBackend, type Tensor } from '@tensorflow/tfjs-core';
import { kernel } from './kernel.ts';
import { type ConvWindow, patchKernels, patchProduct } from './patch-product.ts';

export const filterKernels = ['Conv2DBackpropFilter', ...patchKernels] as const;

/**
 * tfjs's webgpu kernel runs one invocation per number of the filter, each over all pixels of the batch: below this many
 * a GPU idles (an integrated one has some thousands of lanes).
 */
const FEW_INVOCATIONS = 1 << 15;
/** The other way needs each patch of the input in memory. */
const MAX_PATCH_BYTES = 128 << 20;

/** The gradient of a convolution's filter, by the way that suits the backend. */
export function filterGradient(x: Tensor, dy: Tensor, window: ConvWindow): Tensor {
  const { size, filters, stride, pad } = window;
  const channels = x.shape[3] ?? 0;
  const numbers = size * size * channels * filters;
  const patchBytes = (4 * dy.size * size * size * channels) / filters;
  if (getBackend() === 'webgpu' && numbers < FEW_INVOCATIONS && patchBytes < MAX_PATCH_BYTES) {
    return patchProduct(x, dy, window);
  }
  const filterShape = [size, size, channels, filters];
  const attrs = { strides: [stride, stride], pad, dataFormat: 'NHWC', filterShape };
  return kernel('Conv2DBackpropFilter', { x, dy }, attrs);
}
