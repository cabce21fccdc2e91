import type { Init, TensorSpec } from '../core/math/schema.ts';

/** `same` keeps the size (divided by the stride, rounded up) with zeros around; `valid` stays inside. */
export type Padding = 'same' | 'valid';

/** A plain layer: data, not code, so that the host can lay parameters out without loading a tensor library. */
export type Layer =
  | { readonly kind: 'flatten' }
  | { readonly kind: 'relu' }
  /** (x − mean) / deviation: first of all, so that what follows sees numbers around 0. */
  | { readonly kind: 'standardize'; readonly mean: number; readonly deviation: number }
  | { readonly kind: 'dense'; readonly name: string; readonly units: number; readonly init: 'zeros' | 'he' }
  /** A square filter over [height, width, channels]. */
  | {
      readonly kind: 'conv';
      readonly name: string;
      readonly filters: number;
      readonly size: number;
      readonly stride: number;
      readonly pad: Padding;
    }
  /** Square windows that stay inside. */
  | { readonly kind: 'avgpool' | 'maxpool'; readonly size: number; readonly stride: number }
  /** Local response normalisation: x / (bias + alpha · Σ x² over the channels up to `radius` away)^beta. */
  | {
      readonly kind: 'lrn';
      readonly radius: number;
      readonly bias: number;
      readonly alpha: number;
      readonly beta: number;
    }
  /** Zeroes this share of its input in training and scales the rest up; does nothing in evaluation. */
  | { readonly kind: 'dropout'; readonly rate: number };

/** A shape without its batch dimension. */
export type Shape = readonly number[];

export const elements = (shape: Shape): number => shape.reduce((a, b) => a * b, 1);

/** The shape a layer gives for a shape it takes; throws if it does not take it. */
export function outputShape(layer: Layer, input: Shape): Shape {
  switch (layer.kind) {
    case 'flatten':
      return [elements(input)];
    case 'relu':
    case 'standardize':
    case 'lrn':
    case 'dropout':
      return input;
    case 'dense':
      return [layer.units];
    case 'conv': {
      const [height, width] = imageShape(layer.kind, input);
      const side = (length: number) =>
        layer.pad === 'same' ? Math.ceil(length / layer.stride) : windows(layer.kind, length, layer);
      return [side(height), side(width), layer.filters];
    }
    case 'avgpool':
    case 'maxpool': {
      const [height, width, channels] = imageShape(layer.kind, input);
      return [windows(layer.kind, height, layer), windows(layer.kind, width, layer), channels];
    }
    default:
      return layer satisfies never;
  }
}

/** The parameters a layer has for a shape it takes. */
export function layerTensors(layer: Layer, input: Shape): readonly TensorSpec[] {
  switch (layer.kind) {
    case 'dense': {
      const fan = elements(input);
      const init: Init = layer.init === 'zeros' ? { kind: 'zeros' } : { kind: 'uniform', fan };
      return weightsAndBias(layer.name, [fan, layer.units], init);
    }
    case 'conv': {
      const [, , channels] = imageShape(layer.kind, input);
      const shape = [layer.size, layer.size, channels, layer.filters];
      return weightsAndBias(layer.name, shape, { kind: 'uniform', fan: layer.size * layer.size * channels });
    }
    case 'flatten':
    case 'relu':
    case 'standardize':
    case 'avgpool':
    case 'maxpool':
    case 'lrn':
    case 'dropout':
      return [];
    default:
      return layer satisfies never;
  }
}

/** Multiplications and additions of a layer's products on one example, forward. Everything else is small beside them. */
export function layerFlops(layer: Layer, input: Shape): number {
  const [weights] = layerTensors(layer, input);
  if (weights === undefined) return 0;
  const places = layer.kind === 'conv' ? elements(outputShape(layer, input)) / layer.filters : 1;
  return 2 * elements(weights.shape) * places;
}

const weightsAndBias = (name: string, shape: Shape, init: Init): readonly TensorSpec[] => [
  { name: `${name}/kernel`, shape: [...shape], init },
  { name: `${name}/bias`, shape: [shape.at(-1) ?? 0], init: { kind: 'zeros' } },
];

function imageShape(kind: string, input: Shape): readonly [number, number, number] {
  const [height, width, channels] = input;
  if (input.length !== 3 || height === undefined || width === undefined || channels === undefined) {
    throw new RangeError(`a ${kind} layer takes images of height × width × channels, not ${input.join(' × ')}`);
  }
  return [height, width, channels];
}

function windows(kind: string, length: number, { size, stride }: { size: number; stride: number }): number {
  if (length < size) throw new RangeError(`a ${kind} layer of ${size} pixels does not fit into ${length}`);
  return Math.floor((length - size) / stride) + 1;
}
