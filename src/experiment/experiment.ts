import * as z from 'zod/mini';
import { parseEmulation } from './emulation.ts';

const count = (max: number) => z.int().check(z.minimum(1), z.maximum(max));
const name = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/));

export const strategyNames = ['single', 'sync', 'async', 'bounded', 'local', 'allreduce'] as const;
/** `adagrad` and `ftrl` are for models whose parameters have keys, `momentum` and `adam` for all others. */
export const optimizerNames = ['sgd', 'momentum', 'adam', 'adagrad', 'ftrl'] as const;
export const aggregateNames = ['mean', 'median', 'trimmed', 'clipping', 'krum'] as const;
/** What may carry gradients to the host. */
export const upNames = ['float32', 'float16', 'int8', 'topk'] as const;
/** What may carry parameters to a worker: all of them are needed, so there is no top-k. */
export const downNames = ['float32', 'float16', 'int8'] as const;

/**
 * Everything that decides what a run does. It travels in URLs and from strangers, so each field has bounds;
 * whether a name is known is checked where the thing it names is looked up.
 */
export const experimentSchema = z.object({
  model: name,
  data: name,
  strategy: z.enum(strategyNames),
  /** The run starts when this many workers are ready; later ones join as they come. */
  workers: count(1000),
  /** Sync and local: a round goes on without its slowest `backup` workers. */
  backup: z.int().check(z.minimum(0), z.maximum(999)),
  /** Rounds: how many seconds one may take; null: four times the usual. */
  deadline: z.nullable(z.number().check(z.positive(), z.maximum(86_400))),
  /** Async: a push computed on parameters more versions old than this is stale; null: none is too old. */
  maxStaleness: z.nullable(z.int().check(z.minimum(0), z.maximum(1_000_000))),
  /** Async and bounded: `inverse` divides the learning rate by 1 + staleness. */
  damping: z.enum(['none', 'inverse']),
  /** Async: a worker computes its next step while its last push is on the way. */
  overlap: z.boolean(),
  /** Bounded: how many steps a worker may be ahead of the slowest. */
  lead: count(1000),
  /** Local: steps on the worker between two exchanges. */
  localSteps: count(10_000),
  /** Local: what the host does with the workers' mean update. */
  outer: z.enum(['average', 'nesterov']),
  /** Local: the outer learning rate; null: 1 for the average, 0.7 for Nesterov. */
  outerLr: z.nullable(z.number().check(z.positive(), z.maximum(10))),
  /** Sync and local: what one update is made of. */
  aggregate: z.enum(aggregateNames),
  /** Trimmed mean and Krum: how many workers of a round may lie. */
  faulty: z.int().check(z.minimum(0), z.maximum(499)),
  /** How gradients travel to the host. */
  up: z.enum(upNames),
  /** How parameters travel to a worker. */
  down: z.enum(downNames),
  /** Top-k: the share of the numbers that is sent. */
  topk: z.number().check(z.positive(), z.maximum(1)),
  /** Made-up conditions per worker, e.g. `2:slow=10 *:latency=40`; empty: none. See `parseEmulation`. */
  emulate: z.string().check(z.maxLength(300)),
  /** Examples per worker and step. */
  batch: count(60_000),
  lr: z.number().check(z.positive(), z.maximum(1000)),
  optimizer: z.enum(optimizerNames),
  /** FTRL: how much sums of gradients must exceed for a parameter to be other than zero. */
  l1: z.number().check(z.minimum(0), z.maximum(1e6)),
  /** FTRL: how strongly parameters are drawn to zero. */
  l2: z.number().check(z.minimum(0), z.maximum(1e6)),
  /** Sparse models: how many features there are. */
  features: z.int().check(z.minimum(2), z.maximum(2 ** 27)),
  /** How many sparse examples make an epoch: of generated ones as many as asked for, of a file as many as it has. */
  examples: count(2 ** 26),
  /** A file of sparse examples: how many features one of them has, at most; the host finds out. */
  entries: count(65_536),
  /** Steps between two looks at the test set. */
  evalEvery: count(1_000_000),
  /** Each stop rule is off when null; the first that holds ends the run. */
  untilLoss: z.nullable(z.number().check(z.positive(), z.maximum(1000))),
  maxSteps: z.nullable(count(1_000_000_000)),
  epochs: z.nullable(z.number().check(z.positive(), z.maximum(100_000))),
  minutes: z.nullable(z.number().check(z.positive(), z.maximum(100_000))),
  seed: z.int().check(z.minimum(0), z.maximum(2 ** 31 - 1)),
});

export type Experiment = z.infer<typeof experimentSchema>;
export type ExperimentKey = keyof Experiment;
export type StrategyName = Experiment['strategy'];
export type OptimizerName = Experiment['optimizer'];
export type AggregateName = Experiment['aggregate'];
export type CodecName = Experiment['up'];

export const defaultExperiment: Experiment = {
  model: 'softmax',
  data: 'mnist',
  strategy: 'sync',
  workers: 1,
  backup: 0,
  deadline: null,
  maxStaleness: null,
  damping: 'none',
  overlap: false,
  lead: 4,
  localSteps: 16,
  outer: 'nesterov',
  outerLr: null,
  aggregate: 'mean',
  faulty: 1,
  up: 'float32',
  down: 'float32',
  topk: 0.01,
  emulate: '',
  batch: 100,
  lr: 0.5,
  optimizer: 'sgd',
  l1: 0,
  l2: 0,
  features: 33_762_578,
  examples: 200_000,
  entries: 39,
  evalEvery: 100,
  untilLoss: null,
  maxSteps: null,
  epochs: 10,
  minutes: null,
  seed: 7,
};

/** Checks an experiment from anywhere; the error's message has one readable line per wrong field. */
export function parseExperiment(input: unknown): Experiment {
  const result = experimentSchema.safeParse(input);
  if (result.success) return withEmulation(result.data);
  throw new RangeError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issueWords(issue)}`).join('\n'));
}

function withEmulation(experiment: Experiment): Experiment {
  try {
    parseEmulation(experiment.emulate);
    return experiment;
  } catch (error) {
    throw new RangeError(`emulate: ${(error as Error).message}`);
  }
}

/** zod/mini ships no words of its own. */
function issueWords(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'too_small':
      return `must be ${issue.inclusive ? 'at least' : 'more than'} ${issue.minimum}`;
    case 'too_big':
      return `must be ${issue.inclusive ? 'at most' : 'less than'} ${issue.maximum}`;
    case 'invalid_value':
      return `must be one of ${issue.values.join(', ')}`;
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be a ${issue.expected}`;
    case 'invalid_format':
      return 'must be a short name of small letters, digits and dashes';
    default:
      return 'is not understood';
  }
}

/** An experiment as URL parameters, leaving out what is as usual. Inverse of `experimentFromQuery`. */
export function experimentToQuery(experiment: Experiment): string {
  const parts: string[] = [];
  for (const key of Object.keys(defaultExperiment) as ExperimentKey[]) {
    const value = experiment[key];
    if (value !== defaultExperiment[key])
      parts.push(`${key}=${value === null ? 'off' : encodeURIComponent(value).replaceAll('%20', '+')}`);
  }
  return parts.join('&');
}

/** Reads what `experimentToQuery` wrote; unknown keys are ignored, missing ones are as usual, bad ones throw. */
export function experimentFromQuery(query: Iterable<readonly [string, string]>): Experiment {
  const fields: Record<string, unknown> = { ...defaultExperiment };
  for (const [key, text] of query) {
    if (!(key in defaultExperiment)) continue;
    fields[key] = readField(defaultExperiment[key as ExperimentKey], text);
  }
  return parseExperiment(fields);
}

function readField(usual: Experiment[ExperimentKey], text: string): unknown {
  if (text === 'off') return null;
  if (typeof usual === 'string') return text;
  if (typeof usual === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text.trim() === '' ? Number.NaN : Number(text);
}
