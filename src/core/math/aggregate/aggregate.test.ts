import { describe, expect, it } from 'vitest';
import { type AggregateName, aggregateNames } from '../../../experiment/experiment.ts';
import { permutation, type Rng, rng } from '../rng.ts';
import { type Aggregate, aggregates } from './aggregate.ts';

const robust = aggregateNames.filter((name) => name !== 'mean');
const seeds = [1, 2, 3, 4, 5, 6, 7, 8];
/** More than a tile of each kind, and no multiple of one. */
const SIZE = 3001;

/** Gradients of one round: a common direction and each worker's own noise. */
function honestGradients(random: Rng, count: number, size = SIZE): Float32Array[] {
  const direction = Float32Array.from({ length: size }, () => random.normal());
  const scale = 10 ** (4 * random.uniform() - 3);
  return Array.from({ length: count }, () => direction.map((value) => scale * (value + random.normal())));
}

function round(aggregate: Aggregate, gradients: readonly Float32Array[], weights?: readonly number[]): Float32Array {
  aggregate.clear();
  gradients.forEach((gradient, i) => {
    aggregate.add({ values: gradient, keys: null }, weights?.[i] ?? 1);
  });
  const { gradient, scale } = aggregate.finish();
  return gradient.values.map((value) => value * scale);
}

const once = (name: AggregateName, gradients: readonly Float32Array[], faulty = 1) =>
  round(aggregates[name](gradients[0]?.length ?? 0, faulty), gradients);

/** Row by row, the values that all gradients have there, in order. */
function* columns(gradients: readonly Float32Array[]): Generator<number[]> {
  for (let i = 0; i < (gradients[0]?.length ?? 0); i++)
    yield gradients.map((g) => g[i] ?? Number.NaN).sort((a, b) => a - b);
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
const meanOf = (gradients: readonly Float32Array[]) => Float32Array.from(columns(gradients), average);
const norm = (values: Float32Array) => Math.hypot(...values);
const distance = (a: Float32Array, b: Float32Array) => norm(a.map((value, i) => value - (b[i] ?? Number.NaN)));

/** Apart by no more than rounding, as a part of what is expected. */
function expectClose(actual: Float32Array, expected: Float32Array, part = 1e-6): void {
  expect(actual.length).toBe(expected.length);
  expect(distance(actual, expected)).toBeLessThanOrEqual(part * norm(expected));
}

/** The same to the bit; toEqual is slow on long arrays. */
function expectSame(actual: Float32Array, expected: Float32Array): void {
  expect(actual.length).toBe(expected.length);
  expect(actual.findIndex((value, i) => value !== expected[i])).toBe(-1);
}

describe.each(seeds)('aggregates, seed %i', (seed) => {
  const random = rng(seed, 'aggregate');
  const count = 1 + random.below(12);
  const faulty = random.below(Math.floor((count + 1) / 2));
  const gradients = honestGradients(random, count);
  const before = gradients.map((gradient) => gradient.slice());

  for (const name of aggregateNames) {
    it(`${name} of ${count} equal gradients is that gradient`, () => {
      const same = gradients[0] ?? new Float32Array();
      expectClose(once(name, Array(count).fill(same), faulty), same);
    });

    it(`${name} of ${count} does not depend on their order`, () => {
      const shuffled = [...permutation(count, rng(seed, 'order'))].map((i) => gradients[i] ?? new Float32Array());
      expectClose(once(name, shuffled, faulty), once(name, gradients, faulty));
    });

    it(`${name} of ${count} keeps its hands off their memory`, () => {
      const aggregate = aggregates[name](SIZE, faulty);
      for (const gradient of gradients) aggregate.add({ values: gradient, keys: null }, 1);
      const { values } = aggregate.finish().gradient;
      for (const gradient of gradients) expect(values.buffer).not.toBe(gradient.buffer);
      gradients.forEach((gradient, i) => {
        expectSame(gradient, before[i] ?? new Float32Array());
      });
    });

    if (name === 'clipping') continue;
    it(`${name} forgets the rounds before, of other liars and of other numbers of workers`, () => {
      const aggregate = aggregates[name](SIZE, faulty);
      round(aggregate, honestGradients(rng(seed, 'before'), 1 + ((3 * seed) % 12)));
      round(
        aggregate,
        gradients.map((gradient, i) => gradient.map((value) => (i < faulty ? -100 * value : value))),
      );
      expectSame(round(aggregate, gradients), once(name, gradients, faulty));
    });
  }

  it(`mean is the textbook mean of ${count}, weighted`, () => {
    const lots = rng(seed, 'weights');
    const weights = gradients.map(() => 1 + lots.below(64));
    const total = weights.reduce((sum, weight) => sum + weight, 0);
    const expected = Float32Array.from({ length: SIZE }, (_, i) => {
      return gradients.reduce((sum, g, worker) => sum + (weights[worker] ?? 0) * (g[i] ?? 0), 0) / total;
    });
    expectClose(round(aggregates.mean(SIZE, 0), gradients, weights), expected);
  });

  it(`median and trimmed mean are those of each number, ${count} with ${faulty} cut`, () => {
    const cut = (by: number) =>
      Float32Array.from(columns(gradients), (column) => average(column.slice(by, count - by)));
    expectSame(once('median', gradients), cut(Math.floor((count - 1) / 2)));
    expectSame(once('trimmed', gradients, faulty), cut(faulty));
  });

  it('P4: weights move only the mean', () => {
    const lots = rng(seed, 'claims');
    const weights = gradients.map(() => 1 + lots.below(1000));
    for (const name of robust) {
      expectSame(round(aggregates[name](SIZE, faulty), gradients, weights), once(name, gradients, faulty));
    }
  });
});

it.each([30, 300, 1100])('median of %i workers, more than a tile is wide for', (count) => {
  const gradients = honestGradients(rng(count, 'crowd'), count, 100);
  const middle = [Math.floor((count - 1) / 2), Math.floor(count / 2) + 1] as const;
  expectSame(
    once('median', gradients),
    Float32Array.from(columns(gradients), (c) => average(c.slice(...middle))),
  );
});

it('more liars allowed for than there are workers still leaves a median', () => {
  const gradients = honestGradients(rng(1, 'few'), 5);
  expectSame(once('trimmed', gradients, 499), once('median', gradients));
  expect(norm(once('krum', gradients, 499))).toBeGreaterThan(0);
});

it('krum of three, too few for its rule, leaves the odd one out', () => {
  const gradients = [0, 100, 1].map((value) => Float32Array.of(value));
  expect([...once('krum', gradients, 1)]).toEqual([0.5]);
});

it('krum of two pairs, whose scores are equal by twos, does not depend on their order', () => {
  const pairs = [0, 1, 10, 12].map((value) => Float32Array.of(value));
  const results = [pairs, pairs.toReversed()].map((gradients) => [...once('krum', gradients, 1)]);
  expect(results[0]).toEqual(results[1]);
});

const lies: Record<string, (honest: Float32Array, random: Rng) => Float32Array> = {
  'minus ten times theirs': (honest) => honest.map((value) => -10 * value),
  'a million everywhere': (honest) => honest.map(() => 1e6),
  zeros: (honest) => honest.map(() => 0),
  noise: (honest, random) => honest.map(() => 1000 * random.normal()),
};

describe.each(seeds)('with liars in any slots, seed %i', (seed) => {
  for (const [lie, tell] of Object.entries(lies)) {
    const random = rng(seed, 'liars', lie);
    const faulty = 1 + random.below(3);
    const count = 2 * faulty + 1 + random.below(5);
    const honest = honestGradients(random, count - faulty);
    const liars = honestGradients(random, faulty).map((gradient) => tell(gradient, random));
    const all = [...honest, ...liars];
    const mixed = [...permutation(count, random)].map((i) => all[i] ?? new Float32Array());
    const centre = meanOf(honest);
    const spread = Math.max(...honest.map((gradient) => distance(gradient, centre)));

    it(`S9: median and trimmed mean stay between the honest numbers, ${faulty} of ${count} sending ${lie}`, () => {
      const [median, trimmed] = [once('median', mixed), once('trimmed', mixed, faulty)];
      let i = 0;
      let outside = 0;
      for (const column of columns(honest)) {
        const [low, high] = [column[0] ?? Number.NaN, column.at(-1) ?? Number.NaN];
        for (const value of [median[i] ?? Number.NaN, trimmed[i] ?? Number.NaN]) {
          if (!(value >= low && value <= high)) outside++;
        }
        i++;
      }
      expect(outside).toBe(0);
    });

    it(`S9: clipping and krum stay as near as the honest are to each other, ${faulty} of ${count} sending ${lie}`, () => {
      expect(distance(once('krum', mixed, faulty), centre)).toBeLessThan(spread);
      const clipping = aggregates.clipping(SIZE, faulty);
      // In the first round, and in later ones with what the liars left behind.
      for (let r = 0; r < 4; r++) expect(distance(round(clipping, mixed), centre)).toBeLessThan(spread);
    });
  }
});

/** Honest gradients nearly agree, three of eight lie: where the centre starts decides more than the noise. */
describe('clipping, three of eight sending minus ten times theirs', () => {
  const random = rng(5, 'agree');
  const direction = honestGradients(random, 1)[0] ?? new Float32Array();
  const gradients = Array.from({ length: 8 }, (_, i) =>
    direction.map((value) => (i < 3 ? -10 : 1) * value * (1 + 0.01 * random.normal())),
  );
  const off = (result: Float32Array, expected: Float32Array) => distance(result, expected) / norm(expected);

  it('loses nothing in the first round', () => {
    expect(off(once('clipping', gradients, 3), direction)).toBeLessThan(0.05);
  });

  it('arrives within three rounds after the gradients turned around', () => {
    const clipping = aggregates.clipping(SIZE, 3);
    round(clipping, gradients);
    const turned = gradients.map((gradient) => gradient.map((value) => -value));
    for (let r = 0; r < 3; r++) round(clipping, turned);
    const opposite = direction.map((value) => -value);
    expect(off(round(clipping, turned), opposite)).toBeLessThan(0.1);
  });
});
