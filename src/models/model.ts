import { type Schema, schemaOf, type TensorSpec } from '../core/schema.ts';
import { type Layer, layerTensors, outputShape, type Shape } from './layer.ts';
import { mlp } from './mlp.ts';
import { softmax } from './softmax.ts';

/** A classifier as a list of plain layers; the last one gives one logit per class. */
export interface Model {
  readonly name: string;
  readonly title: string;
  layers(classes: number): readonly Layer[];
}

/** Every model there is, in the order the page lists them. */
export const models = { softmax, mlp } as const satisfies Record<string, Model>;
export type ModelName = keyof typeof models;

/** The layout of a model's parameters for data of this shape. */
export function modelSchema(model: Model, input: Shape, classes: number): Schema {
  const specs: TensorSpec[] = [];
  let shape = input;
  for (const layer of model.layers(classes)) {
    specs.push(...layerTensors(layer, shape));
    shape = outputShape(layer, shape);
  }
  return schemaOf(specs);
}
