import { type SparseBatch, SparseBatchBuilder } from '../../core/sparse/batch.ts';
import { mix32 } from '../../core/sparse/mix.ts';
import { CATEGORY_FIELDS, cardinalitiesFor, NUMERIC_FIELDS, numericValue } from './formats/criteo-fields.ts';
import { countQuantiles, momentsOf, PIECES, type Quantiles, valueAt, zipfQuantiles } from './quantiles.ts';
import { type Scatter, scatterOf, timesModulo } from './scatter.ts';

/** A category's frequency falls as rank^−1.1: of ten million, the first has 8 %, the first thousand 60 %. */
const ZIPF = 1.1;
/** Roughly the median counts of the real columns, and the spread of their logarithms. */
const MEDIANS = [1, 3, 6, 4, 2500, 32, 3, 8, 38, 1, 1, 0.5, 4] as const;
const LOG_SPREAD = 0.9;
/** Numbers are standardised, as data for a linear model usually are. */
const NUMERIC_SPREAD = 0.5;
/** Of a number's weight to that of the most frequent categories: each kind carries about half of the score. */
const NUMERIC_STRENGTH = 2;
/** A category of this rank weighs half as much as the first: what is rarely seen cannot be learnt, and says little. */
const HALF_RANK = 6;
/** Of the planted score: its spread decides how much can be known, its mean makes about a third of the labels 1. */
const SCORE_SPREAD = 2;
const SCORE_MEAN = -1;
const CALIBRATION_EXAMPLES = 4000;

const FIELDS = NUMERIC_FIELDS + CATEGORY_FIELDS;
const GOLDEN = 0x9e3779b9;
const SPLIT_SALTS = { train: 0x1b873593, test: 0x52dce729, calibration: 0x38b34ae5 } as const;

/** Train and test share the planted model and nothing else. */
export type FakeSplit = 'train' | 'test';

export interface CriteoFakeRecipe {
  /** Number of keys: 0 … 12 are the numbers, the rest the categories. */
  readonly features: number;
  readonly seed: number;
}

interface Column extends Scatter {
  readonly base: number;
  readonly size: number;
}

/**
 * Click logs in the shape of Criteo's (13 numbers, 26 categories with a long tail), labelled by a planted logistic
 * model. Example i of a split depends on the recipe and i alone, so any part can be made anywhere, in any order.
 */
export class CriteoFake {
  readonly features: number;
  /** The planted model's constant. */
  readonly bias: number;
  private readonly scale: number;
  private readonly seed: number;
  private readonly numericWeights: Float64Array;
  private readonly columns: readonly Column[];
  /** Of all fields, one after the other. */
  private readonly quantiles: Quantiles;

  constructor({ features, seed }: CriteoFakeRecipe) {
    this.features = features;
    this.seed = mix32(mix32(seed) + Math.floor(seed / 2 ** 32));
    this.numericWeights = Float64Array.from(
      { length: NUMERIC_FIELDS },
      (_, key) => NUMERIC_STRENGTH * this.hashOf(key),
    );
    let base = NUMERIC_FIELDS;
    this.columns = cardinalitiesFor(features).map((size) => {
      const column = { base, size, ...scatterOf(size) };
      base += size;
      return column;
    });
    this.quantiles = new Float32Array(FIELDS * (PIECES + 1));
    for (const [field, median] of MEDIANS.entries()) {
      const values = countQuantiles(median, LOG_SPREAD, numericValue);
      const { mean, spread } = momentsOf(values);
      this.quantiles.set(
        values.map((value) => ((value - mean) / spread) * NUMERIC_SPREAD),
        field * (PIECES + 1),
      );
    }
    for (const [field, { size }] of this.columns.entries()) {
      this.quantiles.set(zipfQuantiles(size, ZIPF), (NUMERIC_FIELDS + field) * (PIECES + 1));
    }
    [this.scale, this.bias] = [1, 0];
    const sample = new SparseBatchBuilder(CALIBRATION_EXAMPLES);
    this.draw(sample, SPLIT_SALTS.calibration, 0, CALIBRATION_EXAMPLES);
    const { mean, spread } = momentsOf(this.plantedScores(sample));
    this.scale = SCORE_SPREAD / spread;
    this.bias = SCORE_MEAN - this.scale * mean;
  }

  /** Appends examples `from` … `from + count − 1` of the split to the batch: 39 entries each, one of every field. */
  fill(batch: SparseBatchBuilder, split: FakeSplit, from: number, count: number): void {
    this.draw(batch, SPLIT_SALTS[split], from, count);
  }

  /** The planted model's weight of a key. */
  weightOf(key: number): number {
    if (key < NUMERIC_FIELDS) return this.scale * (this.numericWeights[key] as number);
    const { base, size, inverse } = this.columns.findLast((column) => column.base <= key) as Column;
    return this.scale * this.strengthOf(key, timesModulo(key - base, inverse, size));
  }

  /** The planted model's scores of a batch: nobody can predict its labels better than by their sign. */
  plantedScores(batch: SparseBatch): Float64Array {
    const scores = new Float64Array(batch.count);
    for (let example = 0, i = 0; example < batch.count; example++) {
      let score = this.bias;
      for (const end = batch.offsets[example + 1] as number; i < end; i++) {
        score += this.weightOf(batch.keys[i] as number) * (batch.values[i] as number);
      }
      scores[example] = score;
    }
    return scores;
  }

  private draw(batch: SparseBatchBuilder, salt: number, from: number, count: number): void {
    const { columns, quantiles, numericWeights } = this;
    for (let index = from; index < from + count; index++) {
      let counter = mix32(mix32((index >>> 0) ^ salt) + this.seed);
      const state = mix32(mix32(Math.floor(index / 2 ** 32) + counter) ^ mix32((index >>> 0) + GOLDEN));
      const start = batch.extend(FIELDS);
      const { keys, values } = batch;
      let score = 0;
      for (let key = 0; key < NUMERIC_FIELDS; key++) {
        counter = (counter + GOLDEN) | 0;
        const value = valueAt(quantiles, key * (PIECES + 1), randomWord(counter, state));
        score += (numericWeights[key] as number) * Math.fround(value);
        keys[start + key] = key;
        values[start + key] = value;
      }
      for (let field = NUMERIC_FIELDS; field < FIELDS; field++) {
        counter = (counter + GOLDEN) | 0;
        const { base, size, factor } = columns[field - NUMERIC_FIELDS] as Column;
        const drawn = Math.floor(valueAt(quantiles, field * (PIECES + 1), randomWord(counter, state)));
        const rank = drawn < size ? drawn : size - 1;
        const key = base + timesModulo(rank, factor, size);
        score += this.strengthOf(key, rank);
        keys[start + field] = key;
        values[start + field] = 1;
      }
      const chance = 1 / (1 + Math.exp(-(this.bias + this.scale * score)));
      batch.end(randomWord((counter + GOLDEN) | 0, state) < chance * 2 ** 32 ? 1 : 0);
    }
  }

  private strengthOf(key: number, rank: number): number {
    return (this.hashOf(key) * HALF_RANK) / (HALF_RANK + rank);
  }

  /** In [−1, 1), by the key and the seed. */
  private hashOf(key: number): number {
    return mix32((key + this.seed) | 0) / 2 ** 31;
  }
}

/** An even 32-bit word from a counter and 32 more bits of state: examples whose counters meet still differ. */
function randomWord(counter: number, state: number): number {
  let x = (Math.imul(counter ^ (counter >>> 16), 0x21f0aaad) + state) | 0;
  x = Math.imul(x ^ (x >>> 15), 0x735a2d97);
  return (x ^ (x >>> 15)) >>> 0;
}
