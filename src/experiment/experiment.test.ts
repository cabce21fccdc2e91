import { describe, expect, it } from 'vitest';
import {
  defaultExperiment,
  type Experiment,
  experimentFromQuery,
  experimentToQuery,
  parseExperiment,
} from './experiment.ts';

const fromText = (query: string) => experimentFromQuery(new URLSearchParams(query));

describe('experiments', () => {
  it('come back from a URL as they went in', () => {
    const experiment: Experiment = {
      ...defaultExperiment,
      strategy: 'async',
      workers: 3,
      lr: 0.05,
      untilLoss: 0.35,
      epochs: null,
      seed: 0,
    };
    expect(fromText(experimentToQuery(experiment))).toEqual(experiment);
    expect(experimentToQuery(defaultExperiment)).toBe('');
    expect(fromText('')).toEqual(defaultExperiment);
  });

  it('ignore keys they do not know', () => {
    expect(fromText('backend=wasm&batch=32')).toEqual({ ...defaultExperiment, batch: 32 });
  });

  for (const [query, field] of [
    ['batch=0', 'batch'],
    ['batch=1.5', 'batch'],
    ['batch=', 'batch'],
    ['lr=-1', 'lr'],
    ['lr=Infinity', 'lr'],
    ['strategy=magic', 'strategy'],
    ['model=<script>', 'model'],
    ['seed=off', 'seed'],
    ['workers=1e9', 'workers'],
  ] as const) {
    it(`refuse ${query} and name the field`, () => {
      expect(() => fromText(query)).toThrow(new RegExp(`^${field} must be`));
    });
  }

  it('say what would be right', () => {
    expect(() => fromText('batch=0')).toThrow('batch must be a whole number from 1 to 60,000');
    expect(() => fromText('batch=1.5')).toThrow('batch must be a whole number');
    expect(() => fromText('lr=x')).toThrow('lr must be a number above 0, up to 1,000');
    expect(() => fromText('strategy=magic')).toThrow('strategy must be one of single, sync, async');
  });

  it('refuse what is not an experiment at all', () => {
    expect(() => parseExperiment(null)).toThrow(RangeError);
    expect(() => parseExperiment({ ...defaultExperiment, batch: '100' })).toThrow(/batch/);
  });
});
