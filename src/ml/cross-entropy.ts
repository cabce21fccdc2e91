import type { Labels } from '../models/labels.ts';

/**
 * The summed softmax cross-entropy of rows of logits and how many rows have their largest logit at the label.
 * Stable for logits of any size; sums in double precision, so the order of rows hardly matters.
 */
export function crossEntropy(
  logits: Float32Array,
  labels: Labels,
  classes: number,
): { readonly lossSum: number; readonly correct: number } {
  let lossSum = 0;
  let correct = 0;
  for (let row = 0; row < labels.length; row++) {
    const start = row * classes;
    let best = start;
    for (let i = start + 1; i < start + classes; i++) if ((logits[i] as number) > (logits[best] as number)) best = i;
    const top = logits[best] as number;
    let sum = 0;
    for (let i = start; i < start + classes; i++) sum += Math.exp((logits[i] as number) - top);
    const label = labels[row] as number;
    lossSum += Math.log(sum) + top - (logits[start + label] as number);
    if (best === start + label) correct++;
  }
  return { lossSum, correct };
}
