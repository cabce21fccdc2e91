import type { Tensor } from '@tensorflow/tfjs-core';
import type { Layer, Shape } from '../models/layer.ts';
import { outputShape } from '../models/layer.ts';
import { kernel } from './kernels/kernel.ts';
import { reluGradient } from './kernels/relu.ts';
import { type LayerMath, layerMath, type Passed } from './layers.ts';

interface Stage {
  /** As the schema calls the layer, or its kind and number. */
  readonly name: string;
  readonly math: LayerMath;
  /** Where its parameters start among all tensors of the schema. */
  readonly first: number;
  /** Its output went through a relu that is part of its kernel. */
  readonly isRelu: boolean;
  /** Which of the masks is its own; null if it is not dropout. */
  readonly mask: number | null;
}

/** What a dropout layer needs a mask for. */
export interface Dropout {
  readonly rate: number;
  readonly shape: Shape;
}

/** Which part of a network is at work. */
export interface LayerPass {
  readonly layer: string;
  readonly pass: 'forward' | 'backward';
}

/** A model's layers in a row, forward and backward, by hand: a tape would cost more than the small kernels do. */
export interface Network {
  /** Every kernel that training it runs. */
  readonly needs: readonly string[];
  /** In the order in which `gradients` takes their masks. */
  readonly dropouts: readonly Dropout[];
  /** Without dropout. */
  logits(input: Tensor, params: readonly Tensor[]): Tensor;
  /**
   * The logits, then the gradient of the mean softmax cross-entropy for each parameter tensor in schema order. `at` hears
   * whose kernels follow.
   */
  gradients(
    input: Tensor,
    target: Tensor,
    params: readonly Tensor[],
    perExample: Tensor,
    masks: readonly Tensor[],
    at?: (place: LayerPass) => void,
  ): [Tensor, ...Tensor[]];
}

/** What the loss and its gradient run. */
const lossKernels = ['Softmax', 'Sub', 'Multiply'];

/** Layers whose kernels can apply a relu to what they give. */
const canFuse = (layer: Layer | undefined): boolean => layer?.kind === 'dense' || layer?.kind === 'conv';

/** The network of these layers. Call its functions inside `tidy`. */
export function network(layers: readonly Layer[], input: Shape): Network {
  const stages: Stage[] = [];
  const dropouts: Dropout[] = [];
  let tensors = 0;
  let shape = input;
  const counts = new Map<string, number>();
  for (const [index, layer] of layers.entries()) {
    counts.set(layer.kind, (counts.get(layer.kind) ?? 0) + 1);
    shape = outputShape(layer, shape);
    if (layer.kind === 'relu' && canFuse(layers[index - 1])) continue;
    const isRelu = canFuse(layer) && layers[index + 1]?.kind === 'relu';
    const math = layerMath(layer, isRelu);
    const name = 'name' in layer ? layer.name : `${layer.kind}${counts.get(layer.kind)}`;
    stages.push({ name, math, first: tensors, isRelu, mask: layer.kind === 'dropout' ? dropouts.length : null });
    tensors += math.tensorCount;
    if (layer.kind === 'dropout') dropouts.push({ rate: layer.rate, shape });
  }
  const paramsOf = ({ math, first }: Stage, params: readonly Tensor[]) => params.slice(first, first + math.tensorCount);
  const maskOf = ({ mask }: Stage, masks: readonly Tensor[]) => (mask === null ? null : (masks[mask] ?? null));
  const firstTrained = stages.findIndex(({ math }) => math.tensorCount > 0);

  return {
    needs: [...new Set([...stages.flatMap(({ math }) => math.needs), ...lossKernels])],
    dropouts,
    logits: (input, params) => stages.reduce((x, stage) => stage.math.forward(x, paramsOf(stage, params), null), input),
    gradients(input, target, params, perExample, masks, at) {
      let x = input;
      const passed: Passed[] = stages.map((stage) => {
        at?.({ layer: stage.name, pass: 'forward' });
        const y = stage.math.forward(x, paramsOf(stage, params), maskOf(stage, masks));
        const step = { x, y };
        x = y;
        return step;
      });
      const logits = x;
      at?.({ layer: 'loss', pass: 'backward' });
      // d loss / d logits = (softmax − target) / examples: stable however large the logits are.
      const error = kernel('Sub', { a: kernel('Softmax', { logits }, { dim: 1 }), b: target });
      let dy = kernel('Multiply', { a: error, b: perExample });
      const gradients: Tensor[] = [];
      for (let index = stages.length - 1; index >= firstTrained; index--) {
        const [stage, step] = [stages[index], passed[index]];
        if (stage === undefined || step === undefined) break;
        at?.({ layer: stage.name, pass: 'backward' });
        if (stage.isRelu) dy = reluGradient(step.y, dy);
        gradients.unshift(...stage.math.paramGradients(step, dy));
        if (index > firstTrained) {
          dy = stage.math.inputGradient(step, dy, paramsOf(stage, params), maskOf(stage, masks));
        }
      }
      return [logits, ...gradients];
    },
  };
}
