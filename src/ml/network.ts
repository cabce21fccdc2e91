import type { Tensor } from '@tensorflow/tfjs-core';
import type { Layer } from '../models/layer.ts';
import { kernel } from './kernels/kernel.ts';
import { type LayerMath, layerMath, type Passed } from './layers.ts';

interface Stage {
  readonly math: LayerMath;
  /** Where its parameters start among all tensors of the schema. */
  readonly first: number;
}

/** A model's layers in a row, forward and backward, by hand: a tape would cost more than the small kernels do. */
export interface Network {
  /** Every kernel that training it runs. */
  readonly needs: readonly string[];
  /** True if the first layer with parameters multiplies the flattened input: then it wants it transposed too. */
  readonly startsDense: boolean;
  logits(input: Tensor, params: readonly Tensor[]): Tensor;
  /** The logits, then the gradient of the mean softmax cross-entropy for each parameter tensor in schema order. */
  gradients(
    input: Tensor,
    inputTransposed: Tensor | null,
    target: Tensor,
    params: readonly Tensor[],
    perExample: Tensor,
  ): Tensor[];
}

/** What the loss and its gradient run. */
const lossKernels = ['Softmax', 'Sub', 'Multiply'];

/** The network of these layers. Call its functions inside `tidy`. */
export function network(layers: readonly Layer[]): Network {
  let tensors = 0;
  const stages: Stage[] = layers.map((layer) => {
    const math = layerMath(layer);
    const stage = { math, first: tensors };
    tensors += math.tensorCount;
    return stage;
  });
  const paramsOf = ({ math, first }: Stage, params: readonly Tensor[]) => params.slice(first, first + math.tensorCount);
  const firstTrained = stages.findIndex(({ math }) => math.tensorCount > 0);
  const startsDense =
    layers[firstTrained]?.kind === 'dense' && layers.slice(0, firstTrained).every(({ kind }) => kind === 'flatten');

  return {
    needs: [...new Set([...stages.flatMap(({ math }) => math.needs), ...lossKernels])],
    startsDense,
    logits: (input, params) => stages.reduce((x, stage) => stage.math.forward(x, paramsOf(stage, params)), input),
    gradients(input, inputTransposed, target, params, perExample) {
      let x = input;
      const passed: Passed[] = stages.map((stage, index) => {
        const y = stage.math.forward(x, paramsOf(stage, params));
        const step = { x, y, xTransposed: index === firstTrained ? inputTransposed : null };
        x = y;
        return step;
      });
      const logits = x;
      // d loss / d logits = (softmax − target) / examples: stable however large the logits are.
      const error = kernel('Sub', { a: kernel('Softmax', { logits }, { dim: 1 }), b: target });
      let dy = kernel('Multiply', { a: error, b: perExample });
      const gradients: Tensor[] = [];
      for (let index = stages.length - 1; index >= firstTrained; index--) {
        const [stage, step] = [stages[index], passed[index]];
        if (stage === undefined || step === undefined) break;
        gradients.unshift(...stage.math.paramGradients(step, dy));
        if (index > firstTrained) dy = stage.math.inputGradient(step, dy, paramsOf(stage, params));
      }
      return [logits, ...gradients];
    },
  };
}
