import type { TensorSpec } from '../core/schema.ts';

/** A plain layer: data, not code, so that the host can lay parameters out without loading a tensor library. */
export type Layer =
  | { readonly kind: 'flatten' }
  | { readonly kind: 'relu' }
  | { readonly kind: 'dense'; readonly name: string; readonly units: number; readonly init: 'zeros' | 'he' };

/** A shape without its batch dimension. */
export type Shape = readonly number[];

/** The shape a layer gives for a shape it takes. */
export function outputShape(layer: Layer, input: Shape): Shape {
  switch (layer.kind) {
    case 'flatten':
      return [elements(input)];
    case 'relu':
      return input;
    case 'dense':
      return [layer.units];
    default:
      return layer satisfies never;
  }
}

/** The parameters a layer has for a shape it takes. */
export function layerTensors(layer: Layer, input: Shape): readonly TensorSpec[] {
  switch (layer.kind) {
    case 'flatten':
    case 'relu':
      return [];
    case 'dense': {
      const fan = elements(input);
      return [
        {
          name: `${layer.name}/kernel`,
          shape: [fan, layer.units],
          init: layer.init === 'zeros' ? { kind: 'zeros' } : { kind: 'uniform', fan },
        },
        { name: `${layer.name}/bias`, shape: [layer.units], init: { kind: 'zeros' } },
      ];
    }
    default:
      return layer satisfies never;
  }
}

export const elements = (shape: Shape): number => shape.reduce((a, b) => a * b, 1);
