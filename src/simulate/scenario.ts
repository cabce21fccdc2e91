import { defaultExperiment, type Experiment, parseExperiment, type StrategyName } from '../experiment/experiment.ts';

/** What can be compared; `single` is sync with one worker. */
export const comparable = ['sync', 'async', 'bounded', 'local', 'allreduce'] as const satisfies readonly StrategyName[];
export type Comparable = (typeof comparable)[number];

/** The world: machines, links and how long things take. */
export interface World {
  readonly workers: number;
  /** One way, in milliseconds, of a typical worker. */
  readonly latency: number;
  /** Megabits per second each way, of a typical worker. */
  readonly bandwidth: number;
  /** Megabits per second each way, shared by all. */
  readonly hostBandwidth: number;
  /** Milliseconds for one step of a typical worker. */
  readonly compute: number;
  /** How unlike each other workers are: the deviation of the logarithm of speed, latency and bandwidth. */
  readonly spread: number;
  /** The deviation of the logarithm of one worker's times from step to step. */
  readonly jitter: number;
  /** The share of the workers that is `slowdown` times slower. */
  readonly stragglers: number;
  readonly slowdown: number;
  /** Workers that leave in a minute; for each another comes soon after. */
  readonly churn: number;
  /** Numbers in the model, as far as bytes and the server's time go. */
  readonly parameters: number;
  /** Microseconds of the server for each message. */
  readonly serverTime: number;
  /** Nanoseconds of the server for each number of a push. */
  readonly serverPerNumber: number;
  /** Milliseconds for one look at the test set. */
  readonly evaluation: number;
  /** Looks at the test set are this many steps of everyone apart. */
  readonly evalRounds: number;
}

const experimentKeys = [
  'batch',
  'lr',
  'up',
  'down',
  'topk',
  'backup',
  'deadline',
  'lead',
  'localSteps',
  'outer',
  'outerLr',
  'damping',
  'maxStaleness',
  'overlap',
  'optimizer',
  'untilLoss',
  'minutes',
  'seed',
] as const satisfies readonly (keyof Experiment)[];
export type ScenarioExperiment = Pick<Experiment, (typeof experimentKeys)[number]>;

/** A world and what is trained in it, without the strategy. Minutes are always limited. */
export interface Scenario extends World, Omit<ScenarioExperiment, 'minutes'> {
  readonly minutes: number;
}
export type ScenarioKey = keyof Scenario;

interface Bounds {
  readonly min: number;
  readonly max: number;
  readonly isWhole: boolean;
}

/** What the numbers of a world may be. */
export const worldBounds = {
  // As many as a host takes.
  workers: { min: 1, max: 1000, isWhole: true },
  latency: { min: 0, max: 10_000, isWhole: false },
  bandwidth: { min: 0.01, max: 1e6, isWhole: false },
  hostBandwidth: { min: 0.01, max: 1e6, isWhole: false },
  compute: { min: 0.01, max: 1e6, isWhole: false },
  spread: { min: 0, max: 2, isWhole: false },
  jitter: { min: 0, max: 2, isWhole: false },
  stragglers: { min: 0, max: 1, isWhole: false },
  slowdown: { min: 1, max: 1000, isWhole: false },
  churn: { min: 0, max: 10_000, isWhole: false },
  parameters: { min: 170, max: 1e9, isWhole: true },
  serverTime: { min: 0, max: 1e6, isWhole: false },
  serverPerNumber: { min: 0, max: 1e6, isWhole: false },
  evaluation: { min: 0, max: 1e6, isWhole: false },
  evalRounds: { min: 0.001, max: 1e6, isWhole: false },
} as const satisfies Record<keyof World, Bounds>;

/** A hundred volunteers at home who train a LeNet; the server's times are about those of a tab. */
export const defaultScenario: Scenario = {
  workers: 100,
  latency: 40,
  bandwidth: 20,
  hostBandwidth: 1000,
  compute: 100,
  spread: 0.25,
  jitter: 0.05,
  stragglers: 0.1,
  slowdown: 10,
  churn: 0,
  parameters: 61_706,
  serverTime: 300,
  serverPerNumber: 10,
  evaluation: 10,
  evalRounds: 2,
  batch: 16,
  lr: 1,
  up: 'float32',
  down: 'float32',
  topk: defaultExperiment.topk,
  backup: 0,
  deadline: null,
  lead: defaultExperiment.lead,
  localSteps: defaultExperiment.localSteps,
  outer: defaultExperiment.outer,
  outerLr: null,
  // With hundreds of workers a push is hundreds of versions old: at full weight such steps go astray.
  damping: 'inverse',
  maxStaleness: null,
  overlap: false,
  optimizer: 'sgd',
  untilLoss: null,
  minutes: 10,
  seed: 7,
};

const isWorldKey = (key: string): key is keyof World => Object.hasOwn(worldBounds, key);
const isExperimentKey = (key: string): key is keyof ScenarioExperiment => experimentKeys.some((known) => known === key);

/** Whether a scenario has a setting of this name. */
export const isScenarioKey = (key: string): key is ScenarioKey => isWorldKey(key) || isExperimentKey(key);

/**
 * Reads a scenario from texts, as a command line or an address has them; what is missing is as usual. `stragglers` may
 * be both numbers in one, as in `0.1x10`. Throws a RangeError with a line `key: what is expected` for each that is wrong.
 */
export function readScenario(given: Iterable<readonly [string, string]>): Scenario {
  const fields: Record<string, unknown> = { ...defaultScenario };
  const problems: string[] = [];
  for (const [key, text] of given) {
    const pair = key === 'stragglers' ? /^([^x×]+)[x×]([^x×]+)$/.exec(text) : null;
    if (pair) {
      fields.stragglers = numberFrom(pair[1] ?? '');
      fields.slowdown = numberFrom(pair[2] ?? '');
    } else if (isScenarioKey(key)) fields[key] = readField(key, text);
    else problems.push(`${key}: there is no such setting`);
  }
  for (const [key, bounds] of Object.entries(worldBounds)) {
    if (!isWithin(fields[key], bounds)) problems.push(`${key}: ${boundsWords(bounds)}`);
  }
  if (fields.minutes === null) problems.push('minutes: must be a number');
  const backup = fields.backup as number;
  const workers = fields.workers as number;
  if (problems.length === 0 && backup >= workers)
    problems.push(`backup: must be less than the ${workers} workers there are`);
  try {
    parseExperiment(withExperiment(fields as unknown as Scenario, 'sync'));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const known = new Set(problems.map((line) => line.split(':')[0]));
    problems.push(...error.message.split('\n').filter((line) => !known.has(line.split(':')[0])));
  }
  if (problems.length > 0) throw new RangeError(problems.join('\n'));
  return fields as unknown as Scenario;
}

const numberFrom = (text: string): number => (text.trim() === '' ? Number.NaN : Number(text));

function readField(key: ScenarioKey, text: string): unknown {
  if (text === 'off') return null;
  const usual: unknown = isWorldKey(key) ? 0 : defaultExperiment[key as keyof ScenarioExperiment];
  if (typeof usual === 'string') return text;
  if (typeof usual === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return numberFrom(text);
}

const isWithin = (value: unknown, { min, max, isWhole }: Bounds): boolean =>
  typeof value === 'number' && value >= min && value <= max && (!isWhole || Number.isInteger(value));

/** What a number of a world must be, in words. */
export const boundsWords = ({ min, max, isWhole }: Bounds): string =>
  `must be a ${isWhole ? 'whole ' : ''}number from ${min} to ${max}`;

/** What differs from the usual, as pairs that `readScenario` reads. */
export function scenarioPairs(scenario: Scenario): [string, string][] {
  return (Object.keys(defaultScenario) as ScenarioKey[])
    .filter((key) => scenario[key] !== defaultScenario[key])
    .map((key) => [key, scenario[key] === null ? 'off' : String(scenario[key])]);
}

/** The experiment that a strategy runs in this scenario. */
export const experimentOf = (scenario: Scenario, strategy: Comparable): Experiment =>
  parseExperiment(withExperiment(scenario, strategy));

function withExperiment(scenario: Scenario, strategy: Comparable): Experiment {
  const own = Object.fromEntries(experimentKeys.map((key) => [key, scenario[key]]));
  const { workers, evalRounds, localSteps, backup } = scenario;
  const updatesPerRound = { sync: 1, allreduce: 1, async: workers, bounded: workers, local: 1 / localSteps }[strategy];
  return {
    ...defaultExperiment,
    ...own,
    // A ring cannot leave numbers out of partial sums.
    ...(strategy === 'allreduce' && scenario.up === 'topk' ? { up: 'float32' as const } : {}),
    strategy,
    workers,
    backup: strategy === 'sync' || strategy === 'local' ? backup : 0,
    evalEvery: Math.min(1_000_000, Math.max(1, Math.round(evalRounds * updatesPerRound))),
    epochs: null,
    maxSteps: null,
  };
}
