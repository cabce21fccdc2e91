import { valuesAt } from './logistic.ts';

/** The old values of parameters, update by update: a way back without a second copy of them all. */
export class UndoLog {
  #steps: { readonly keys: Uint32Array; readonly values: Float32Array }[] = [];

  /** From now on, `rewind` leads back to here. */
  clear(): void {
    this.#steps = [];
  }

  /** The parameters at these keys are about to change. */
  record(params: Float32Array, keys: Uint32Array): void {
    this.#steps.push({ keys: keys.slice(), values: valuesAt(params, keys) });
  }

  rewind(params: Float32Array): void {
    for (const { keys, values } of this.#steps.reverse()) {
      for (let i = 0; i < keys.length; i++) params[keys[i] as number] = values[i] as number;
    }
    this.clear();
  }
}
