import { engine, matMul, randomNormal, type Tensor, tidy } from '@tensorflow/tfjs-core';
import { rateOf } from './measured.ts';
import { type Operator, operators } from './operators.ts';

/** The operator with random inputs, to be run again and again on the current backend. */
export function operatorRun(index: number): () => Promise<void> {
  const { kernel, inputs, attrs } = operators[index] as Operator;
  const tensors = Object.fromEntries(
    Object.entries(inputs).map(([name, shape]) => [name, randomNormal([...shape]) as Tensor]),
  );
  return async () => {
    const result = engine().runKernel<Tensor>(kernel, tensors, attrs as Record<string, never>);
    result.dispose();
  };
}

/** Floating-point operations per second of a 512³ product on the current backend, which must be synchronous. */
export async function matMulRate(ms: number): Promise<number> {
  const [a, b] = [randomNormal([512, 512]), randomNormal([512, 512])] as [Tensor, Tensor];
  const rate = await rateOf(() => tidy(() => matMul(a, b)).dispose(), ms);
  a.dispose();
  b.dispose();
  return rate * 2 * 512 ** 3;
}
