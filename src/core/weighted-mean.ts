/** A running mean of gradients, weighted by their examples, in one buffer. */
export class WeightedMean {
  /** Divide by `weight` for the mean. */
  readonly sum: Float32Array;
  weight = 0;
  #lossSum = 0;

  constructor(size: number) {
    this.sum = new Float32Array(size);
  }

  add(gradient: Float32Array, weight: number, loss: number): void {
    const { sum } = this;
    if (this.weight === 0) for (let i = 0; i < sum.length; i++) sum[i] = weight * (gradient[i] as number);
    else for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + weight * (gradient[i] as number);
    this.weight += weight;
    this.#lossSum += weight * loss;
  }

  /** The mean loss of what was added. */
  get loss(): number {
    return this.#lossSum / this.weight;
  }

  clear(): void {
    this.weight = 0;
    this.#lossSum = 0;
  }
}
