import { type Tensor, tidy } from '@tensorflow/tfjs-core';
import type { Schema } from '../core/math/schema.ts';
import type { DataSpec } from '../models/data.ts';
import type { Labels } from '../models/labels.ts';
import { type Model, modelSchema } from '../models/model.ts';
import type { OperatorTime } from '../observe/step-trace.ts';
import { type Backend, type BackendChoice, chooseBackend, reportFault } from './backend.ts';
import { crossEntropy } from './cross-entropy.ts';
import { DeviceError, deviceErrorOf } from './device-error.ts';
import { watchDevice } from './device-watch.ts';
import { type Evaluation, evaluator } from './evaluator.ts';
import { tensorOf } from './kernels/kernel.ts';
import { network } from './network.ts';
import { stepTimer } from './probe.ts';
import { operatorTimes } from './profile.ts';
import { type ReadStrategy, readAll, readKernels } from './results.ts';
import { type Draw, stager, stagingKernels } from './staging.ts';

/** A batch on the device. */
export interface StagedBatch {
  readonly labels: Labels;
  readonly input: Tensor;
  readonly target: Tensor;
  /** One over the number of examples. */
  readonly perExample: Tensor;
  /** One for each dropout layer. */
  readonly masks: readonly Tensor[];
  dispose(): void;
}

export interface GradientResult {
  /** Of the mean loss, in schema order; its buffer is nobody else's and can be transferred. */
  readonly gradient: Float32Array<ArrayBuffer>;
  /** The batch's mean loss. */
  readonly loss: number;
  /** How many of its examples the parameters got right. */
  readonly correct: number;
  readonly decodeMs: number;
  readonly computeMs: number;
  readonly readMs: number;
}

/** Computes gradients and losses of one model. A thread has one engine at a time: tfjs has one backend at a time. */
export interface Engine {
  readonly backend: Backend;
  readonly schema: Schema;
  /** Puts a batch on the device; do it while waiting for parameters. `dispose()` frees it. Throws as `gradient` rejects. */
  stage(images: Uint8Array, labels: Labels, indices: Uint32Array, draw?: Draw): StagedBatch;
  /**
   * Mean gradient over the batch, and the mean loss. `params` must stay as they are until it resolves. Rejects with
   * `DeviceError` rather than give anything that the device may have got wrong; close the engine then, and make anew.
   */
  gradient(params: Float32Array, batch: StagedBatch): Promise<GradientResult>;
  /** The same step taken apart: what `gradient` does, operator by operator, in the order they run. */
  operators(params: Float32Array, batch: StagedBatch): Promise<readonly OperatorTime[]>;
  /** Compiles, grows buffers and finds how this device is best read, on a batch like those to come. */
  warmUp(batch: StagedBatch): Promise<void>;
  /**
   * Mean loss and accuracy over a whole split, one evaluation at a time. Keeps the split on the device for the next
   * time if it is not too large.
   */
  evaluate(params: Float32Array, images: Uint8Array, labels: Labels, chunk?: number): Promise<Evaluation>;
  close(): void;
}

const noDraw: Draw = { seed: 0, from: 0 };

/** Starts the best backend for the model as far as `want` lets it; `batch` is how many examples a step will have. */
export async function createEngine(
  model: Model,
  data: DataSpec,
  want: BackendChoice,
  { batch: batchSize = 32 }: { readonly batch?: number } = {},
): Promise<Engine> {
  const schema = modelSchema(model, data.input, data.classes);
  const net = network(model.layers(data.classes), data.input);
  const timeStep = stepTimer(model, data, schema, net, batchSize);
  const backend = await chooseBackend(want, [...net.needs, ...stagingKernels, ...readKernels], timeStep);
  const staging = stager(data);
  const watch = watchDevice();
  let strategy: ReadStrategy = 'separate';
  let hasFailed = false;

  /** Views of the flat buffer, uploaded without a copy in between. */
  const upload = (params: Float32Array): Tensor[] => {
    if (params.length !== schema.size) {
      throw new RangeError(`the model has ${schema.size} parameters, ${params.length} came`);
    }
    return schema.tensors.map(({ offset, size, shape }) => tensorOf(params.subarray(offset, offset + size), shape));
  };
  const evaluation = evaluator(data, staging, upload, (input, params) => tidy(() => net.logits(input, params)));

  /** What an error means for the device; the next choice of a backend hears of it. */
  const faultOf = (error: unknown): unknown => {
    const fault = watch.fault() ?? deviceErrorOf(error);
    if (fault instanceof DeviceError && fault.fault !== 'non-finite' && !hasFailed) {
      hasFailed = true;
      reportFault(backend.name, fault);
    }
    return fault;
  };

  /** Runs something on the device; whatever the device did wrong meanwhile, it rejects. */
  const guarded = async <Result>(run: () => Promise<Result>): Promise<Result> => {
    try {
      const before = watch.fault();
      if (before !== null) throw before;
      const result = await watch.unlessGone(run());
      const after = watch.fault();
      if (after !== null) throw after;
      return result;
    } catch (error) {
      throw faultOf(error);
    }
  };

  const gradient = async (params: Float32Array, batch: StagedBatch): Promise<GradientResult> => {
    const startMs = performance.now();
    let decodedMs = startMs;
    const results = tidy(() => {
      const tensors = upload(params);
      decodedMs = performance.now();
      return net.gradients(batch.input, batch.target, tensors, batch.perExample, batch.masks);
    });
    try {
      let computedMs = decodedMs;
      const { head: logits, rest: gradient } = await readAll(results, strategy, () => {
        computedMs = performance.now();
      });
      const { lossSum, correct } = crossEntropy(logits, batch.labels, data.classes);
      const loss = lossSum / batch.labels.length;
      if (!Number.isFinite(loss)) {
        throw new DeviceError('non-finite', 'the loss is not a number any more: try a lower learning rate');
      }
      const readMs = performance.now() - computedMs;
      return { gradient, loss, correct, decodeMs: decodedMs - startMs, computeMs: computedMs - decodedMs, readMs };
    } finally {
      for (const tensor of results) tensor.dispose();
    }
  };

  return {
    backend,
    schema,
    stage(images, labels, indices, draw = noDraw) {
      try {
        const own = labels instanceof Uint8Array ? new Uint8Array(indices.length) : new Uint16Array(indices.length);
        for (const [row, index] of indices.entries()) own[row] = labels[index] as number;
        const input = staging.input(images, indices);
        const target = staging.target(own);
        const perExample = tensorOf(Float32Array.of(1 / indices.length), []);
        const masks = staging.masks(net.dropouts, indices.length, draw);
        return {
          labels: own,
          input,
          target,
          perExample,
          masks,
          dispose() {
            for (const tensor of [input, target, perExample, ...masks]) tensor.dispose();
          },
        };
      } catch (error) {
        throw faultOf(error);
      }
    },
    gradient: (params, batch) => guarded(() => gradient(params, batch)),
    operators: (params, batch) =>
      guarded(() =>
        operatorTimes(
          () => upload(params),
          (tensors, at) => net.gradients(batch.input, batch.target, tensors, batch.perExample, batch.masks, at),
          (results) => readAll(results, strategy, () => {}),
        ),
      ),
    async warmUp(batch) {
      const params = new Float32Array(schema.size);
      await guarded(() => gradient(params, batch));
      if (backend.name !== 'webgpu') return;
      const times = new Map<ReadStrategy, number>();
      for (const tried of ['joined', 'separate', 'joined', 'separate'] as const) {
        strategy = tried;
        const startMs = performance.now();
        await guarded(() => gradient(params, batch));
        // The second time counts: the first one compiles.
        times.set(tried, performance.now() - startMs);
      }
      strategy = (times.get('joined') ?? 0) < (times.get('separate') ?? 0) ? 'joined' : 'separate';
    },
    evaluate: (...args) => guarded(() => evaluation.evaluate(...args)),
    close() {
      watch.stop();
      evaluation.close();
      staging.close();
    },
  };
}
