import * as z from 'zod/mini';

const count = (max: number) => z.int().check(z.minimum(1), z.maximum(max));
const name = z.string().check(z.regex(/^[a-z][a-z0-9-]{0,31}$/));

/**
 * Everything that decides what a run does. It travels in URLs and from strangers, so each field has bounds;
 * whether a name is known is checked where the thing it names is looked up.
 */
export const experimentSchema = z.object({
  model: name,
  data: name,
  strategy: z.enum(['single', 'sync', 'async']),
  /** The run starts when this many workers are ready; later ones join as they come. */
  workers: count(1000),
  /** Sync only: a round goes on without its slowest `backup` workers. */
  backup: z.int().check(z.minimum(0), z.maximum(999)),
  /** Examples per worker and step. */
  batch: count(60_000),
  lr: z.number().check(z.positive(), z.maximum(1000)),
  optimizer: z.enum(['sgd', 'momentum', 'adam']),
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

export const defaultExperiment: Experiment = {
  model: 'softmax',
  data: 'mnist',
  strategy: 'sync',
  workers: 1,
  backup: 0,
  batch: 100,
  lr: 0.5,
  optimizer: 'sgd',
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
  if (result.success) return result.data;
  throw new RangeError(result.error.issues.map((issue) => `${issue.path.join('.')}: ${issueWords(issue)}`).join('\n'));
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
    if (value !== defaultExperiment[key]) parts.push(`${key}=${value === null ? 'off' : value}`);
  }
  return parts.join('&');
}

/** Reads what `experimentToQuery` wrote; unknown keys are ignored, missing ones are as usual, bad ones throw. */
export function experimentFromQuery(query: Iterable<readonly [string, string]>): Experiment {
  const fields: Record<string, unknown> = { ...defaultExperiment };
  for (const [key, text] of query) {
    if (!(key in defaultExperiment)) continue;
    const isText = typeof defaultExperiment[key as ExperimentKey] === 'string';
    fields[key] = text === 'off' ? null : isText ? text : text.trim() === '' ? Number.NaN : Number(text);
  }
  return parseExperiment(fields);
}
