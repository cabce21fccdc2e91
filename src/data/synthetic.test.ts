import { expect, test } from 'vitest';
import { checksum } from '../core/wire/checksum.ts';
import { dataSpecs } from '../models/data.ts';
import { generate, generateSplit, type Recipe } from './synthetic.ts';

const recipe: Recipe = { input: [12, 10, 3], classes: 5, seed: 3 };

function made(of: Recipe, which: 'train' | 'test', count: number) {
  const making = generate(of, which, count);
  for (let step = making.next(); ; step = making.next()) if (step.done) return step.value;
}

test('the same recipe gives the same images, another seed or split gives others', () => {
  const sum = (of: Recipe, which: 'train' | 'test') => checksum(made(of, which, 20).images);
  expect(sum(recipe, 'train')).toBe(sum(recipe, 'train'));
  expect(sum({ ...recipe, seed: 4 }, 'train')).not.toBe(sum(recipe, 'train'));
  expect(sum(recipe, 'test')).not.toBe(sum(recipe, 'train'));
});

test('fewer images are the first of more', () => {
  const few = made(recipe, 'train', 5);
  const more = made(recipe, 'train', 9);
  expect([...more.labels.subarray(0, 5)]).toEqual([...few.labels]);
  expect([...more.images.subarray(0, few.images.length)]).toEqual([...few.images]);
});

test('what is learnt from the train split holds for the test split', () => {
  const size = 12 * 10 * 3;
  const train = made(recipe, 'train', 400);
  const means = Array.from({ length: 5 }, () => new Float64Array(size));
  const counts = new Float64Array(5);
  for (const [index, label] of train.labels.entries()) {
    counts[label] = (counts[label] ?? 0) + 1;
    const mean = means[label] ?? new Float64Array();
    for (let i = 0; i < size; i++) mean[i] = (mean[i] ?? 0) + (train.images[index * size + i] ?? 0);
  }
  const test = made(recipe, 'test', 200);
  const correct = Array.from(test.labels).filter((label, index) => {
    const distances = means.map((mean, c) =>
      mean.reduce((sum, value, i) => sum + (value / (counts[c] ?? 1) - (test.images[index * size + i] ?? 0)) ** 2, 0),
    );
    return distances.indexOf(Math.min(...distances)) === label;
  }).length;
  expect(correct / 200).toBeGreaterThan(0.8);
});

test('more than 256 classes have labels of two bytes', () => {
  const { labels } = made({ ...recipe, classes: 1000 }, 'train', 100);
  expect(labels).toBeInstanceOf(Uint16Array);
  expect(Math.max(...labels)).toBeGreaterThan(255);
  expect(Math.max(...labels)).toBeLessThan(1000);
});

test('a named data set is as large as it says', async () => {
  const { testCount, input } = dataSpecs['fake-28'];
  const fractions: number[] = [];
  const split = await generateSplit('fake-28', 'test', (fraction) => fractions.push(fraction));
  expect(split.images.length).toBe(testCount * input[0] * input[1]);
  expect(fractions.at(-1)).toBe(1);
});
