import { inputWords, resolveTrained, type TrainedModel } from './trained-model.ts';

/*
 * safetensors, little-endian:
 *
 *  offset  bytes  field
 *       0      8  length of the head, n, so that 8 + n is a multiple of 8
 *       8      n  JSON, padded with spaces: name → { dtype, shape, data_offsets: [from, to] }, from the end of the head;
 *                 and `__metadata__`: text by name
 *   8 + n      …  the numbers of the tensors, one after another, without gaps
 */
const LENGTH_BYTES = 8;
const ALIGNMENT = 8;

/** A trained model's parameters as a safetensors file: tensors are named and laid out as in the model's schema. */
export function safetensors(trained: TrainedModel): Uint8Array<ArrayBuffer> {
  const { experiment, version, params } = trained;
  const named = resolveTrained(trained);
  const head: Record<string, unknown> = {
    __metadata__: {
      producer: 'Manyhands',
      model: experiment.model,
      version: String(version),
      experiment: JSON.stringify(experiment),
      input: inputWords(named),
    },
  };
  for (const { name, shape, offset, size } of named.schema.tensors) {
    head[name] = { dtype: 'F32', shape, data_offsets: [offset * 4, (offset + size) * 4] };
  }
  const json = new TextEncoder().encode(JSON.stringify(head));
  const headBytes = Math.ceil((LENGTH_BYTES + json.length) / ALIGNMENT) * ALIGNMENT - LENGTH_BYTES;
  const file = new Uint8Array(LENGTH_BYTES + headBytes + params.byteLength);
  new DataView(file.buffer).setBigUint64(0, BigInt(headBytes), true);
  file.fill(0x20, LENGTH_BYTES, LENGTH_BYTES + headBytes);
  file.set(json, LENGTH_BYTES);
  new Float32Array(file.buffer, LENGTH_BYTES + headBytes).set(params);
  return file;
}
