import { checksum } from '../wire/checksum.ts';

/** How a tensor starts: all zeros, or uniform in ±√(6 / fan) (Glorot with fan = in + out, He with fan = in). */
export type Init = { readonly kind: 'zeros' } | { readonly kind: 'uniform'; readonly fan: number };

export interface TensorSpec {
  readonly name: string;
  readonly shape: readonly number[];
  readonly init: Init;
}

/** One tensor's place in the flat parameter buffer, in float32 elements. */
export interface TensorSlot extends TensorSpec {
  readonly offset: number;
  readonly size: number;
}

/** The layout of all parameters in one flat buffer. Two sides with the same hash agree on every offset. */
export interface Schema {
  readonly tensors: readonly TensorSlot[];
  readonly size: number;
  /** Where parameters have keys, their places: how many of them an example touches at most. Null: a step uses all. */
  readonly keysPerExample: number | null;
  readonly hash: string;
}

/** Lays tensors out one after another. Names must be unique. */
export function schemaOf(specs: readonly TensorSpec[], keysPerExample: number | null = null): Schema {
  const names = new Set(specs.map((spec) => spec.name));
  if (names.size !== specs.length) throw new Error('two tensors of a model have the same name');
  let size = 0;
  const tensors = specs.map((spec) => {
    const slot = { ...spec, offset: size, size: spec.shape.reduce((a, b) => a * b, 1) };
    size += slot.size;
    return slot;
  });
  const places = tensors.map((t) => `${t.name}[${t.shape.join(',')}]@${t.offset}`).join(';');
  const canonical = keysPerExample === null ? places : `${places};${keysPerExample}`;
  const bytes = Uint8Array.from(canonical, (char) => char.charCodeAt(0) & 0xff);
  return { tensors, size, keysPerExample, hash: checksum(bytes).toString(16).padStart(8, '0') };
}
