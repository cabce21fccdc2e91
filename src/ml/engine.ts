import { type Tensor, tidy } from '@tensorflow/tfjs-core';
import type { Schema } from '../core/schema.ts';
import type { DataSpec } from '../models/data.ts';
import { type Model, modelSchema } from '../models/model.ts';
import { type Backend, type BackendChoice, chooseBackend } from './backend.ts';
import { crossEntropy } from './cross-entropy.ts';
import { type Evaluation, evaluator } from './evaluator.ts';
import { tensorOf } from './kernels/kernel.ts';
import { transposesFirst } from './kernels/products.ts';
import { network } from './network.ts';
import { stager, stagingKernels } from './staging.ts';

/** A batch on the device. */
export interface StagedBatch {
  readonly labels: Uint8Array;
  readonly input: Tensor;
  readonly inputTransposed: Tensor | null;
  readonly target: Tensor;
  /** One over the number of examples. */
  readonly perExample: Tensor;
  dispose(): void;
}

export interface GradientResult {
  /** Of the mean loss, in schema order; its buffer is nobody else's and can be transferred. */
  readonly gradient: Float32Array<ArrayBuffer>;
  /** The batch's mean loss. */
  readonly loss: number;
  readonly decodeMs: number;
  readonly computeMs: number;
  readonly readMs: number;
}

/** Computes gradients and losses of one model. A thread has one engine at a time: tfjs has one backend at a time. */
export interface Engine {
  readonly backend: Backend;
  readonly schema: Schema;
  /** Puts a batch on the device; do it while waiting for parameters. `dispose()` frees it. */
  stage(images: Uint8Array, labels: Uint8Array, indices: Uint32Array): StagedBatch;
  /** Mean gradient over the batch, and the mean loss. `params` must stay as they are until it resolves. */
  gradient(params: Float32Array, batch: StagedBatch): Promise<GradientResult>;
  /**
   * Mean loss and accuracy over a whole split, one evaluation at a time. Keeps the split on the device for the next
   * time if it is not too large.
   */
  evaluate(params: Float32Array, images: Uint8Array, labels: Uint8Array, chunk?: number): Promise<Evaluation>;
  close(): void;
}

/** Starts the best backend for the model as far as `want` lets it. */
export async function createEngine(model: Model, data: DataSpec, want: BackendChoice): Promise<Engine> {
  const schema = modelSchema(model, data.input, data.classes);
  const net = network(model.layers(data.classes));
  const backend = await chooseBackend(want, [...net.needs, ...stagingKernels]);
  const staging = stager(data);

  /** Views of the flat buffer, uploaded without a copy in between. */
  const upload = (params: Float32Array): Tensor[] => {
    if (params.length !== schema.size) {
      throw new RangeError(`the model has ${schema.size} parameters, ${params.length} came`);
    }
    return schema.tensors.map(({ offset, size, shape }) => tensorOf(params.subarray(offset, offset + size), shape));
  };
  const evaluation = evaluator(data, staging, upload, (input, params) => tidy(() => net.logits(input, params)));

  return {
    backend,
    schema,
    stage(images, labels, indices) {
      const own = Uint8Array.from(indices, (index) => labels[index] as number);
      const input = staging.input(images, indices);
      const inputTransposed = net.startsDense && transposesFirst() ? staging.transposed(input) : null;
      const target = staging.target(own);
      const perExample = tensorOf(Float32Array.of(1 / indices.length), []);
      return {
        labels: own,
        input,
        inputTransposed,
        target,
        perExample,
        dispose() {
          for (const tensor of [input, inputTransposed, target, perExample]) tensor?.dispose();
        },
      };
    },
    async gradient(params, batch) {
      const startMs = performance.now();
      let decodedMs = startMs;
      // The logits, then the gradients.
      const results = tidy(() => {
        const tensors = upload(params);
        decodedMs = performance.now();
        return net.gradients(batch.input, batch.inputTransposed, batch.target, tensors, batch.perExample);
      });
      try {
        // All reads are asked for before any is awaited, so that a GPU gets its commands in one go;
        // the first to come says that the computing is done.
        let computedMs = decodedMs;
        const [logits, ...parts] = await Promise.all(
          results.map(async (tensor, index) => {
            const values = await tensor.data<'float32'>();
            if (index === 0) computedMs = performance.now();
            return values;
          }),
        );
        const gradient = new Float32Array(schema.size);
        for (const [index, part] of parts.entries()) gradient.set(part, schema.tensors[index]?.offset);
        const { lossSum } = crossEntropy(logits ?? new Float32Array(), batch.labels, data.classes);
        const loss = lossSum / batch.labels.length;
        const readMs = performance.now() - computedMs;
        return { gradient, loss, decodeMs: decodedMs - startMs, computeMs: computedMs - decodedMs, readMs };
      } finally {
        for (const tensor of results) tensor.dispose();
      }
    },
    evaluate: evaluation.evaluate,
    close() {
      evaluation.close();
      staging.close();
    },
  };
}
