import { type Rng, rng } from '../core/math/rng.ts';
import { type DataName, dataSpecs } from '../models/data.ts';
import type { FileDataName, Split, SplitName } from './files.ts';

type GeneratedName = Exclude<DataName, FileDataName>;

export const isGenerated = (name: DataName): name is GeneratedName => name.startsWith('fake-');

/** What is generated: any size, any number of classes. */
export interface Recipe {
  readonly input: readonly [height: number, width: number, channels: number];
  readonly classes: number;
  readonly seed: number;
}

/** Everyone who trains on generated data must have the same. */
const SEED = 2012;
/** With 1000 classes and a few hundred images, a class that is shown once cannot be learnt: so many are shown. */
const MAX_SHOWN = 20;
/** A class is a coarse pattern of this many cells a side, so that it can be learnt by looking at a small image. */
const CELLS = 4;
/** Of 255. A pattern differs from grey by as much as its noise: learnable, but not from a single pixel. */
const CONTRAST = 60;
const NOISE = 60;
/** A pattern moves by up to this share of the side: a network that looks at places alone is worse off. */
const SHIFT = 1 / 8;

interface Pattern {
  readonly label: number;
  /** [CELLS, CELLS, channels], −1 … 1. */
  readonly cells: Float32Array;
}

function patternsOf({ input, classes, seed }: Recipe): Pattern[] {
  const shown = Math.min(classes, MAX_SHOWN);
  return Array.from({ length: shown }, (_, index) => {
    const label = Math.floor((index * classes) / shown);
    const random = rng(seed, 'pattern', label);
    const cells = Float32Array.from({ length: CELLS * CELLS * input[2] }, () => random.uniform() * 2 - 1);
    return { label, cells };
  });
}

/** Noise of roughly normal shape from a table: a logarithm for each of millions of pixels would take seconds. */
function noiseTable(random: Rng): Int16Array {
  return Int16Array.from({ length: 4096 }, () => Math.round(random.normal() * NOISE));
}

function draw(target: Uint8Array, { input }: Recipe, { cells }: Pattern, random: Rng, noise: Int16Array): void {
  const [height, width, channels] = input;
  const reach = (side: number) => Math.floor(side * SHIFT);
  const [down, right] = [reach(height), reach(width)].map((most) => random.below(2 * most + 1) - most) as [
    number,
    number,
  ];
  const cellOf = (at: number, side: number) => Math.min(CELLS - 1, Math.max(0, Math.floor((at * CELLS) / side)));
  let at = 0;
  for (let y = 0; y < height; y++) {
    const row = cellOf(y - down, height) * CELLS;
    for (let x = 0; x < width; x++) {
      const cell = (row + cellOf(x - right, width)) * channels;
      const bits = random.uint32();
      for (let c = 0; c < channels; c++) {
        const value = 128 + CONTRAST * (cells[cell + c] as number) + (noise[(bits >>> (c * 10)) & 4095] as number);
        target[at++] = value < 0 ? 0 : value > 255 ? 255 : value;
      }
    }
  }
}

/**
 * Labelled images in which each class is a pattern, moved about and under noise. The same recipe, split and count give
 * the same images on every machine; the splits share patterns and nothing else. Yields the index of each image made.
 */
export function* generate(recipe: Recipe, which: SplitName, count: number): Generator<number, Split> {
  const size = recipe.input.reduce((a, b) => a * b, 1);
  const images = new Uint8Array(count * size);
  const labels = recipe.classes > 256 ? new Uint16Array(count) : new Uint8Array(count);
  const patterns = patternsOf(recipe);
  const noise = noiseTable(rng(recipe.seed, 'noise'));
  for (let index = 0; index < count; index++) {
    const random = rng(recipe.seed, which, index);
    const pattern = patterns[random.below(patterns.length)] as Pattern;
    labels[index] = pattern.label;
    draw(images.subarray(index * size, (index + 1) * size), recipe, pattern, random, noise);
    yield index;
  }
  return { count, images, labels };
}

/** A breath for other messages of the thread after so much work. */
const BREATH_MS = 30;

/** The generated data set's split; reports how far it is. */
export async function generateSplit(
  name: GeneratedName,
  which: SplitName,
  onProgress: (fraction: number) => void,
): Promise<Split> {
  const { input, classes, trainCount, testCount } = dataSpecs[name];
  const count = which === 'train' ? trainCount : testCount;
  const making = generate({ input, classes, seed: SEED }, which, count);
  let breathedMs = performance.now();
  for (let step = making.next(); ; step = making.next()) {
    if (step.done) {
      onProgress(1);
      return step.value;
    }
    if (performance.now() - breathedMs < BREATH_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    onProgress(step.value / count);
    breathedMs = performance.now();
  }
}
