import { type Schema, schemaOf, type TensorSpec } from '../core/math/schema.ts';
import type { Problem } from '../experiment/problems.ts';
import { alexnet } from './alexnet.ts';
import { alexnetSmall } from './alexnet-small.ts';
import type { DataSpec } from './data.ts';
import { type Layer, layerFlops, layerTensors, outputShape, type Shape } from './layer.ts';
import { lenet } from './lenet.ts';
import { mlp } from './mlp.ts';
import { softmax } from './softmax.ts';

/** A classifier as a list of plain layers; the last one gives one logit per class. */
export interface Model {
  readonly name: string;
  readonly title: string;
  /** The only shape of input it takes; left out if it takes any. */
  readonly input?: Shape;
  layers(classes: number): readonly Layer[];
}

/** Every model there is, in the order the page lists them. */
export const models = { softmax, mlp, lenet, alexnet, 'alexnet-small': alexnetSmall } as const satisfies Record<
  string,
  Model
>;
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

/** Why this model cannot be trained on this data; null if it can. */
export function misfit(model: Model, data: DataSpec): Problem<'data'> | null {
  const { input } = model;
  if (input === undefined || input.join() === data.input.join()) return null;
  const [needs, has] = [input.join('×'), data.input.join('×')];
  return { key: 'data', text: `the model ${model.name} needs images of ${needs}; those of ${data.name} are ${has}` };
}

/** The floating-point operations of one example's gradient: forward, then back to weights and, but for the first, inputs. */
export function gradientFlops(model: Model, input: Shape, classes: number): number {
  let shape = input;
  let flops = 0;
  for (const layer of model.layers(classes)) {
    flops += layerFlops(layer, shape) * (flops === 0 ? 2 : 3);
    shape = outputShape(layer, shape);
  }
  return flops;
}
