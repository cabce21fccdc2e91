import { rng } from '../core/math/rng.ts';
import { type Schema, schemaOf } from '../core/math/schema.ts';

const FEATURES = 16;
const CLASSES = 10;
const TRAIN = 16_384;
const TEST = 1024;
/** How far apart the classes are: chosen so that the best possible test loss is a little below 0.3. */
const DISTANCE = 1.2;
/** The widest feature ÷ the narrowest: as with real data, some directions are learnt long before others. */
const SPREAD = 6;

/** Loss and share of right answers. */
export interface Score {
  readonly loss: number;
  readonly accuracy: number;
}

interface Examples {
  /** One example after another. */
  readonly features: Float64Array;
  readonly labels: Uint8Array;
}

/**
 * A real problem small enough to be solved a million times a minute: softmax regression on examples of ten classes that
 * overlap, drawn from a seed. Parameters are [features][classes], then one bias for each class, all zero at first.
 */
export class Problem {
  readonly schema: Schema = schemaOf([
    { name: 'w', shape: [FEATURES, CLASSES], init: { kind: 'zeros' } },
    { name: 'b', shape: [CLASSES], init: { kind: 'zeros' } },
  ]);
  readonly trainCount = TRAIN;
  readonly #train: Examples;
  readonly #test: Examples;
  readonly #weights = new Float64Array(this.schema.size);
  /** Of a batch; its errors once the labels are known. */
  #logits = new Float64Array(0);

  constructor(seed: number) {
    const centres = drawCentres(seed);
    this.#train = draw(seed, 'train', TRAIN, centres);
    this.#test = draw(seed, 'test', TEST, centres);
  }

  /** Writes the mean gradient over these examples of the endless stream of epochs; gives their mean loss. */
  gradient(params: Float32Array, from: number, count: number, into: Float32Array): number {
    if (this.#logits.length < count * CLASSES) this.#logits = new Float64Array(count * CLASSES);
    const first = from % TRAIN;
    // Not only at an epoch's end: a batch may be larger than an epoch.
    if (first + count > TRAIN) return this.#joined(params, first, count, into);
    this.#forward(params, this.#train, first, count);
    const loss = this.#blame(first, count);
    this.#backward(first, count, into);
    return loss;
  }

  /** The test set under these parameters. */
  test(params: Float32Array): Score {
    if (this.#logits.length < TEST * CLASSES) this.#logits = new Float64Array(TEST * CLASSES);
    const { labels } = this.#test;
    this.#forward(params, this.#test, 0, TEST);
    let [lossSum, right] = [0, 0];
    for (let b = 0; b < TEST; b++) {
      const logits = this.#logits.subarray(b * CLASSES, (b + 1) * CLASSES);
      const label = labels[b] as number;
      if (logits.indexOf(Math.max(...logits)) === label) right += 1;
      lossSum -= Math.log(softmaxInPlace(logits, 0, label));
    }
    return { loss: lossSum / TEST, accuracy: right / TEST };
  }

  /** A batch that runs over the end of an epoch, in pieces. */
  #joined(params: Float32Array, first: number, count: number, into: Float32Array): number {
    const sum = new Float64Array(into.length);
    let lossSum = 0;
    for (let done = 0; done < count; ) {
      const start = (first + done) % TRAIN;
      const piece = Math.min(count - done, TRAIN - start);
      lossSum += piece * this.gradient(params, start, piece, into);
      for (let i = 0; i < sum.length; i++) sum[i] = (sum[i] as number) + piece * (into[i] as number);
      done += piece;
    }
    for (let i = 0; i < sum.length; i++) into[i] = (sum[i] as number) / count;
    return lossSum / count;
  }

  /** Leaves each example's logits. */
  #forward(params: Float32Array, { features }: Examples, first: number, count: number): void {
    const weights = this.#weights;
    const logits = this.#logits;
    for (let i = 0; i < weights.length; i++) weights[i] = params[i] as number;
    const bias = FEATURES * CLASSES;
    for (let b = 0; b < count; b++) {
      const x = (first + b) * FEATURES;
      // Ten sums in registers: an array of them would cost a load and a store for each product.
      let z0 = weights[bias] as number;
      let z1 = weights[bias + 1] as number;
      let z2 = weights[bias + 2] as number;
      let z3 = weights[bias + 3] as number;
      let z4 = weights[bias + 4] as number;
      let z5 = weights[bias + 5] as number;
      let z6 = weights[bias + 6] as number;
      let z7 = weights[bias + 7] as number;
      let z8 = weights[bias + 8] as number;
      let z9 = weights[bias + 9] as number;
      for (let f = 0, w = 0; f < FEATURES; f++, w += CLASSES) {
        const value = features[x + f] as number;
        z0 += value * (weights[w] as number);
        z1 += value * (weights[w + 1] as number);
        z2 += value * (weights[w + 2] as number);
        z3 += value * (weights[w + 3] as number);
        z4 += value * (weights[w + 4] as number);
        z5 += value * (weights[w + 5] as number);
        z6 += value * (weights[w + 6] as number);
        z7 += value * (weights[w + 7] as number);
        z8 += value * (weights[w + 8] as number);
        z9 += value * (weights[w + 9] as number);
      }
      const e = b * CLASSES;
      logits[e] = z0;
      logits[e + 1] = z1;
      logits[e + 2] = z2;
      logits[e + 3] = z3;
      logits[e + 4] = z4;
      logits[e + 5] = z5;
      logits[e + 6] = z6;
      logits[e + 7] = z7;
      logits[e + 8] = z8;
      logits[e + 9] = z9;
    }
  }

  /** Turns the logits into errors: what each should have been lower by. Gives the mean loss. */
  #blame(first: number, count: number): number {
    const { labels } = this.#train;
    const errors = this.#logits;
    let lossSum = 0;
    for (let b = 0; b < count; b++) {
      const label = labels[first + b] as number;
      lossSum -= Math.log(softmaxInPlace(errors, b * CLASSES, label));
      errors[b * CLASSES + label] = (errors[b * CLASSES + label] as number) - 1;
    }
    return lossSum / count;
  }

  #backward(first: number, count: number, into: Float32Array): void {
    const { features } = this.#train;
    for (let f = 0; f < FEATURES; f++) this.#sum(features, first * FEATURES + f, FEATURES, count, into, f * CLASSES);
    this.#sum(ONES, 0, 0, count, into, FEATURES * CLASSES);
  }

  /** One feature's share of the gradient: over the batch, its value times each class's error. */
  #sum(values: Float64Array, start: number, stride: number, count: number, into: Float32Array, at: number): void {
    const errors = this.#logits;
    let [g0, g1, g2, g3, g4, g5, g6, g7, g8, g9] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    for (let b = 0, x = start, e = 0; b < count; b++, x += stride, e += CLASSES) {
      const value = values[x] as number;
      g0 += value * (errors[e] as number);
      g1 += value * (errors[e + 1] as number);
      g2 += value * (errors[e + 2] as number);
      g3 += value * (errors[e + 3] as number);
      g4 += value * (errors[e + 4] as number);
      g5 += value * (errors[e + 5] as number);
      g6 += value * (errors[e + 6] as number);
      g7 += value * (errors[e + 7] as number);
      g8 += value * (errors[e + 8] as number);
      g9 += value * (errors[e + 9] as number);
    }
    into[at] = g0 / count;
    into[at + 1] = g1 / count;
    into[at + 2] = g2 / count;
    into[at + 3] = g3 / count;
    into[at + 4] = g4 / count;
    into[at + 5] = g5 / count;
    into[at + 6] = g6 / count;
    into[at + 7] = g7 / count;
    into[at + 8] = g8 / count;
    into[at + 9] = g9 / count;
  }
}

const ONES = Float64Array.of(1);
/** A probability of zero would make the loss infinite. */
const SMALLEST = 1e-300;

/** Turns logits into probabilities; gives the label's. */
function softmaxInPlace(values: Float64Array, at: number, label: number): number {
  let largest = values[at] as number;
  for (let c = 1; c < CLASSES; c++) largest = Math.max(largest, values[at + c] as number);
  let sum = 0;
  for (let c = 0; c < CLASSES; c++) {
    const power = Math.exp((values[at + c] as number) - largest);
    values[at + c] = power;
    sum += power;
  }
  const factor = 1 / sum;
  for (let c = 0; c < CLASSES; c++) values[at + c] = (values[at + c] as number) * factor;
  return Math.max(values[at + label] as number, SMALLEST);
}

/** From 1 down to 1 ÷ SPREAD. */
const scaleOf = (feature: number) => SPREAD ** (-feature / (FEATURES - 1));

function drawCentres(seed: number): Float64Array {
  const random = rng(seed, 'centres');
  return Float64Array.from({ length: CLASSES * FEATURES }, () => (DISTANCE * random.normal()) / Math.sqrt(2));
}

function draw(seed: number, name: string, count: number, centres: Float64Array): Examples {
  const random = rng(seed, name);
  const features = new Float64Array(count * FEATURES);
  const labels = new Uint8Array(count);
  for (let i = 0; i < count; i++) {
    const label = random.below(CLASSES);
    labels[i] = label;
    for (let f = 0; f < FEATURES; f++) {
      features[i * FEATURES + f] = scaleOf(f) * ((centres[label * FEATURES + f] as number) + random.normal());
    }
  }
  return { features, labels };
}

let last: { readonly seed: number; readonly problem: Problem } | null = null;

/** The problem of a seed; the last one is kept, since strategies are compared on the same. */
export function problemOf(seed: number): Problem {
  if (last?.seed !== seed) last = { seed, problem: new Problem(seed) };
  return last.problem;
}
