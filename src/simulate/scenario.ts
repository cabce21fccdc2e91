import {
  defaultExperiment,
  type Experiment,
  experimentKeys,
  parseExperiment,
  type StrategyName,
  settingOf,
  tooManyBackups,
} from '../experiment/experiment.ts';
import { type Problem, ProblemsError } from '../experiment/problems.ts';
import { problemWith, readValue, real, type Settings, type Values, whole, writeValue } from '../experiment/setting.ts';
import { wholeMisfit } from '../models/sparse-misfit.ts';

/** What can be compared; `single` is sync with one worker. */
export const comparable = ['sync', 'async', 'bounded', 'local', 'allreduce'] as const satisfies readonly StrategyName[];
export type Comparable = (typeof comparable)[number];

/** The world: machines, links and how long things take. By default a hundred volunteers at home who train a LeNet. */
const world = {
  workers: whole({
    default: 100,
    min: 1,
    max: 1000,
    section: 'machines',
    label: 'Workers',
    help: 'How many there are at a time; as many as a host takes, at most',
  }),
  compute: real({
    default: 100,
    min: 0.01,
    max: 1e6,
    section: 'machines',
    label: 'One step takes',
    unit: 'ms',
    help: 'On a typical worker',
  }),
  spread: real({
    default: 0.25,
    min: 0,
    max: 2,
    section: 'machines',
    label: 'Spread',
    help: 'How unlike each other workers are: the deviation of the logarithm of speed, latency and bandwidth; 0: all the same',
  }),
  jitter: real({
    default: 0.05,
    min: 0,
    max: 2,
    section: 'machines',
    label: 'Jitter',
    help: 'How unlike each other one worker’s steps are: the deviation of the logarithm of its times',
  }),
  stragglers: real({
    default: 0.1,
    min: 0,
    max: 1,
    section: 'machines',
    label: 'Share of stragglers',
    help: 'The share of the workers that is slower than the rest',
  }),
  slowdown: real({
    default: 10,
    min: 1,
    max: 1000,
    section: 'machines',
    label: '… times slower',
    help: 'How many times slower stragglers are',
  }),
  churn: real({
    default: 0,
    min: 0,
    max: 10_000,
    section: 'machines',
    label: 'Leave per minute',
    help: 'Workers that leave in a minute; for each another one comes',
  }),
  latency: real({
    default: 40,
    min: 0,
    max: 10_000,
    section: 'links',
    label: 'Latency',
    unit: 'ms',
    help: 'One way, of a typical worker',
  }),
  bandwidth: real({
    default: 20,
    min: 0.01,
    max: 1e6,
    section: 'links',
    label: 'Bandwidth',
    unit: 'Mbit/s',
    help: 'Each way, of a typical worker',
  }),
  hostBandwidth: real({
    default: 1000,
    min: 0.01,
    max: 1e6,
    section: 'links',
    label: 'Bandwidth of the host',
    unit: 'Mbit/s',
    help: 'Each way, shared by all workers',
  }),
  parameters: whole({
    default: 61_706,
    min: 170,
    max: 1e9,
    section: 'links',
    label: 'Numbers in the model',
    help: 'As far as bytes and the server’s time go: LeNet has 61,706, softmax on MNIST 7,850',
  }),
  // The server's times are about those of a tab.
  serverTime: real({
    default: 300,
    min: 0,
    max: 1e6,
    section: 'server',
    label: 'Per message',
    unit: 'µs',
    help: 'What the server takes for each message',
  }),
  serverPerNumber: real({
    default: 10,
    min: 0,
    max: 1e6,
    section: 'server',
    label: 'Per number',
    unit: 'ns',
    help: 'What the server takes for each number of a push',
  }),
  evaluation: real({
    default: 10,
    min: 0,
    max: 1e6,
    section: 'server',
    label: 'One evaluation takes',
    unit: 'ms',
    help: 'Of the test set',
  }),
  evalRounds: real({
    default: 2,
    min: 0.001,
    max: 1e6,
    section: 'server',
    label: 'Evaluate every',
    unit: 'rounds',
    help: 'Steps of everyone between two evaluations',
  }),
} as const satisfies Settings;

/** A world and what is trained in it, by each strategy in turn. Minutes are always limited. */
export interface Scenario extends Values<typeof world>, Omit<Experiment, 'minutes' | 'workers'> {
  readonly minutes: number;
}
export type ScenarioKey = keyof Scenario;

const fromExperiment = experimentKeys.flatMap((key) => {
  const { simulated, ...setting } = settingOf(key);
  return simulated === undefined ? [] : [[key, { ...setting, default: simulated }] as const];
});
/** Everything that can be set: the world, and those settings of an experiment that the simulator has. */
export const scenarioSettings = { ...world, ...Object.fromEntries(fromExperiment) } as Settings;
const defaults = Object.fromEntries(Object.entries(scenarioSettings).map(([key, setting]) => [key, setting.default]));
export const defaultScenario = { ...defaultExperiment, epochs: null, ...defaults } as unknown as Scenario;

/** What is wrong with values for these settings; empty: they make a scenario. */
export function scenarioProblems(values: Readonly<Record<string, unknown>>): Problem[] {
  const problems = Object.entries(scenarioSettings).flatMap(([key, setting]) => {
    const text = problemWith(setting, values[key]);
    return text === null ? [] : [{ key, text }];
  });
  if (values.minutes === null) problems.push({ key: 'minutes', text: 'must be a number: virtual time must end' });
  if (problems.length > 0) return problems;
  const scenario = { ...defaultScenario, ...values } as Scenario;
  const misfits = [tooManyBackups(scenario), wholeMisfit(scenario)];
  return misfits.filter((misfit) => misfit !== null);
}

/** Reads a scenario from texts, as an address has them; what is missing is as usual. Throws a ProblemsError. */
export function readScenario(given: Iterable<readonly [string, string]>): Scenario {
  const pairs = [...given];
  const unknown = pairs.filter(([key]) => !Object.hasOwn(scenarioSettings, key));
  const read = pairs.flatMap(([key, text]) => {
    const setting = scenarioSettings[key];
    return setting === undefined ? [] : [[key, readValue(setting, text)]];
  });
  const values = { ...defaultScenario, ...Object.fromEntries(read) };
  const problems = [...unknown.map(([key]) => ({ key, text: 'is no setting' })), ...scenarioProblems(values)];
  if (problems.length > 0) throw new ProblemsError(problems);
  return values;
}

/** What differs from the usual, as pairs that `readScenario` reads. */
export function scenarioPairs(scenario: Scenario): [string, string][] {
  const keys = Object.keys(scenarioSettings) as ScenarioKey[];
  return keys.filter((key) => scenario[key] !== defaultScenario[key]).map((key) => [key, writeValue(scenario[key])]);
}

/** The experiment that a strategy runs in this scenario. */
export function experimentOf(scenario: Scenario, strategy: Comparable): Experiment {
  const { workers, evalRounds, localSteps, backup, up } = scenario;
  const updatesPerRound = { sync: 1, allreduce: 1, async: workers, bounded: workers, local: 1 / localSteps }[strategy];
  return parseExperiment({
    ...scenario,
    // A ring cannot leave numbers out of partial sums.
    up: strategy === 'allreduce' && up === 'topk' ? 'float32' : up,
    strategy,
    backup: strategy === 'sync' || strategy === 'local' ? backup : 0,
    evalEvery: Math.min(1_000_000, Math.max(1, Math.round(evalRounds * updatesPerRound))),
  });
}
