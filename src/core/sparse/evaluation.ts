import { logLossOf, sigmoid } from './logistic.ts';

/** Of the histogram of predicted probabilities. */
const BINS = 2 ** 16;

export interface Evaluation {
  readonly examples: number;
  /** Mean, in nats. */
  readonly logLoss: number;
  /** Share of examples whose label was predicted. */
  readonly accuracy: number;
  /** The chance that a label 1 scores above a label 0, ties counting half; null unless both labels were seen. */
  readonly auc: number | null;
  /** How far the exact AUC can be from `auc`: half the share of pairs that fall into the same bin. */
  readonly aucError: number;
}

/** Collects predictions batch by batch in fixed memory (512 KiB), without allocating. */
export class StreamingEvaluation {
  private examples = 0;
  private lossSum = 0;
  private right = 0;
  private readonly zeros = new Uint32Array(BINS);
  private readonly ones = new Uint32Array(BINS);

  /** Adds the first `count` examples, scored before the sigmoid. */
  add(scores: Float64Array | Float32Array, labels: Uint8Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const score = scores[i] as number;
      const label = labels[i] as number;
      this.lossSum += logLossOf(score, label);
      if (score > 0 === (label === 1)) this.right++;
      const bin = Math.min(BINS - 1, Math.floor(sigmoid(score) * BINS));
      const bins = label === 1 ? this.ones : this.zeros;
      bins[bin] = (bins[bin] as number) + 1;
    }
    this.examples += count;
  }

  /** What was added so far; an evaluation of nothing is all NaN. */
  result(): Evaluation {
    let [zerosBelow, ones, above, tied] = [0, 0, 0, 0];
    for (let bin = 0; bin < BINS; bin++) {
      const [zerosHere, onesHere] = [this.zeros[bin] as number, this.ones[bin] as number];
      above += onesHere * zerosBelow;
      tied += onesHere * zerosHere;
      zerosBelow += zerosHere;
      ones += onesHere;
    }
    const pairs = ones * zerosBelow;
    return {
      examples: this.examples,
      logLoss: this.lossSum / this.examples,
      accuracy: this.right / this.examples,
      auc: pairs === 0 ? null : (above + tied / 2) / pairs,
      aucError: pairs === 0 ? 0 : tied / 2 / pairs,
    };
  }

  clear(): void {
    [this.examples, this.lossSum, this.right] = [0, 0, 0];
    this.zeros.fill(0);
    this.ones.fill(0);
  }
}
