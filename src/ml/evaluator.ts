import type { Tensor } from '@tensorflow/tfjs-core';
import type { DataSpec } from '../models/data.ts';
import type { Labels } from '../models/labels.ts';
import { elements } from '../models/layer.ts';
import { crossEntropy } from './cross-entropy.ts';
import type { Stager } from './staging.ts';

/** Means over a split. */
export interface Evaluation {
  readonly loss: number;
  readonly accuracy: number;
  /** The accuracy of each chunk, in order. */
  readonly precisions: readonly number[];
}

/** Of one shape whatever the split, since devices keep buffers by size; fewer where images are large. */
const CHUNK = 1000;
const CHUNK_BYTES = 8 << 20;
/** A split that takes more than this on the device is put there anew each time. */
const MAX_KEPT_BYTES = 64 << 20;

interface Kept {
  readonly images: Uint8Array;
  readonly chunk: number;
  readonly inputs: Tensor[];
}

/** Evaluates parameters on whole splits; `close` frees the split it keeps on the device. */
export function evaluator(
  data: DataSpec,
  staging: Stager,
  upload: (params: Float32Array) => readonly Tensor[],
  logitsOf: (input: Tensor, params: readonly Tensor[]) => Tensor,
): {
  evaluate(params: Float32Array, images: Uint8Array, labels: Labels, chunk?: number): Promise<Evaluation>;
  close(): void;
} {
  const usual = Math.max(1, Math.min(CHUNK, Math.floor(CHUNK_BYTES / (4 * elements(data.input)))));
  let kept: Kept | null = null;
  const close = () => {
    for (const input of kept?.inputs ?? []) input.dispose();
    kept = null;
  };

  /** The last chunk is filled up with its last example, whose extra rows nobody looks at. */
  const stageChunk = (images: Uint8Array, from: number, chunk: number, count: number) =>
    staging.input(
      images,
      Uint32Array.from({ length: chunk }, (_, i) => Math.min(from + i, count - 1)),
    );

  return {
    async evaluate(params, images, labels, wanted = usual) {
      const count = labels.length;
      if (count === 0) throw new RangeError('an evaluation needs at least one example');
      const chunk = Math.min(wanted, count);
      if (kept?.images !== images || kept.chunk !== chunk) close();
      // Pixels are one byte each here and four on the device.
      const keeps = images.length * 4 <= MAX_KEPT_BYTES;
      const inputs = kept?.inputs ?? [];
      if (keeps) kept ??= { images, chunk, inputs };
      const tensors = upload(params);
      let lossSum = 0;
      let correct = 0;
      const precisions: number[] = [];
      try {
        for (let from = 0, index = 0; from < count; from += chunk, index++) {
          const input = inputs[index] ?? stageChunk(images, from, chunk, count);
          if (keeps) inputs[index] = input;
          const logits = logitsOf(input, tensors);
          if (!keeps) input.dispose();
          const own = labels.subarray(from, Math.min(count, from + chunk));
          const values = await logits.data<'float32'>().finally(() => logits.dispose());
          const part = crossEntropy(values, own, data.classes);
          lossSum += part.lossSum;
          correct += part.correct;
          precisions.push(part.correct / own.length);
        }
      } finally {
        for (const tensor of tensors) tensor.dispose();
      }
      return { loss: lossSum / count, accuracy: correct / count, precisions };
    },
    close,
  };
}
