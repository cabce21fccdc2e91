import { elements, type Layer, outputShape, type Shape } from '../../models/layer.ts';

/** A value of a node, as protobuf's JSON has it: texts in base64, whole numbers as texts. */
export type Attr =
  | { readonly s: string }
  | { readonly i: string }
  | { readonly f: number }
  | { readonly b: boolean }
  | { readonly type: 'DT_FLOAT' | 'DT_INT32' }
  | { readonly list: { readonly i: readonly string[] } }
  | { readonly shape: TensorShape }
  | { readonly tensor: { readonly dtype: 'DT_FLOAT' | 'DT_INT32'; readonly tensorShape: TensorShape } };

export interface TensorShape {
  readonly dim: readonly { readonly size: string }[];
}

/** An operation of a TensorFlow graph. */
export interface GraphNode {
  readonly name: string;
  readonly op: string;
  readonly input: readonly string[];
  readonly attr: Readonly<Record<string, Attr>>;
}

/** A tensor that is part of a graph but no parameter. */
export interface Constant {
  readonly name: string;
  readonly shape: Shape;
  readonly values: Float32Array<ArrayBuffer> | Int32Array<ArrayBuffer>;
}

export const tensorShape = (shape: Shape): TensorShape => ({ dim: shape.map((size) => ({ size: String(size) })) });

const text = (value: string): Attr => ({ s: btoa(value) });
const numbers = (...values: readonly number[]): Attr => ({ list: { i: values.map(String) } });
const float: Attr = { type: 'DT_FLOAT' };

/** The nodes of a tensor that is stored beside the graph. */
export function storedNode(name: string, shape: Shape, dtype: 'DT_FLOAT' | 'DT_INT32'): GraphNode {
  const tensor = { dtype, tensorShape: tensorShape(shape) };
  return { name, op: 'Const', input: [], attr: { dtype: { type: dtype }, value: { tensor } } };
}

/** A model's layers as nodes from `input` on, in order, with the constants they need; `output` is the last one's name. */
export function layerNodes(layers: readonly Layer[], inputShape: Shape, input: string) {
  const nodes: GraphNode[] = [];
  const constants: Constant[] = [];
  const counts = new Map<string, number>();
  let last = input;
  let shape = inputShape;

  /** `conv1`, `pool2`: layers that have no name of their own are counted. */
  const scopeOf = (kind: string): string => {
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return `${kind}${count}`;
  };
  const add = (scope: string, op: string, others: readonly string[], attr: Readonly<Record<string, Attr>>) => {
    nodes.push({ name: `${scope}/${op}`, op, input: [last, ...others], attr: { T: float, ...attr } });
    last = `${scope}/${op}`;
  };
  const constant = (name: string, of: Shape, values: Constant['values']): string => {
    constants.push({ name, shape: of, values });
    return name;
  };
  const scalar = (name: string, value: number) => constant(name, [], Float32Array.of(value));

  const addLayer = (layer: Layer): void => {
    switch (layer.kind) {
      case 'flatten': {
        const scope = scopeOf('flatten');
        const flat = constant(`${scope}/shape`, [2], Int32Array.of(-1, elements(shape)));
        return add(scope, 'Reshape', [flat], { Tshape: { type: 'DT_INT32' } });
      }
      case 'relu':
        return add(last.slice(0, last.lastIndexOf('/')), 'Relu', [], {});
      case 'standardize': {
        const scope = scopeOf('standardize');
        add(scope, 'Sub', [scalar(`${scope}/mean`, layer.mean)], {});
        return add(scope, 'Mul', [scalar(`${scope}/scale`, 1 / layer.deviation)], {});
      }
      case 'dense':
        add(layer.name, 'MatMul', [`${layer.name}/kernel`], { transpose_a: { b: false }, transpose_b: { b: false } });
        return add(layer.name, 'BiasAdd', [`${layer.name}/bias`], { data_format: text('NHWC') });
      case 'conv':
        add(layer.name, 'Conv2D', [`${layer.name}/kernel`], {
          strides: numbers(1, layer.stride, layer.stride, 1),
          dilations: numbers(1, 1, 1, 1),
          padding: text(layer.pad.toUpperCase()),
          data_format: text('NHWC'),
        });
        return add(layer.name, 'BiasAdd', [`${layer.name}/bias`], { data_format: text('NHWC') });
      case 'avgpool':
      case 'maxpool':
        return add(scopeOf('pool'), layer.kind === 'avgpool' ? 'AvgPool' : 'MaxPool', [], {
          ksize: numbers(1, layer.size, layer.size, 1),
          strides: numbers(1, layer.stride, layer.stride, 1),
          padding: text('VALID'),
          data_format: text('NHWC'),
        });
      case 'lrn':
        return add(scopeOf('norm'), 'LRN', [], {
          depth_radius: { i: String(layer.radius) },
          bias: { f: layer.bias },
          alpha: { f: layer.alpha },
          beta: { f: layer.beta },
        });
      case 'dropout':
        return add(scopeOf('dropout'), 'Identity', [], {});
      default:
        layer satisfies never;
    }
  };
  for (const layer of layers) {
    addLayer(layer);
    shape = outputShape(layer, shape);
  }
  return { nodes, constants, output: last };
}
