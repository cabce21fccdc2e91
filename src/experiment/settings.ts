import { parseEmulation } from './emulation.ts';
import {
  type Context,
  choice,
  named,
  optionalReal,
  optionalWhole,
  real,
  type Settings,
  text,
  toggle,
  type Values,
  whole,
} from './setting.ts';

/* Every setting there is. Form, command line, --help, address, lab, comparison, simulator and docs/SETTINGS.md read this
 * table; to add a setting is to add an entry. What tells runs apart first comes first. */

const strategies = {
  single: 'single',
  sync: 'sync',
  async: 'async',
  bounded: 'bounded staleness',
  local: 'local steps',
  allreduce: 'all-reduce',
};
/** Those in which workers push to the host and get parameters from it, several at once. */
const withPushes = ['sync', 'async', 'bounded', 'local'];
const withRounds = ['sync', 'local'];
const hasKeys = ({ data }: Context) => data === 'criteo-fake' || data === 'file';

/** How gradients may travel to the host. */
const up = { float32: 'float32', float16: 'float16', int8: 'int8', topk: 'top-k' };
/** How parameters may travel to a worker: all of them are needed, so there is no top-k. */
const down = { float32: 'float32', float16: 'float16', int8: 'int8' };

export const settings = {
  model: named({ default: 'softmax', section: 'task', label: 'Model', help: 'What is trained', words: (name) => name }),
  data: named({
    default: 'mnist',
    section: 'task',
    label: 'Data',
    help: 'What it is trained on',
    words: (name) => name,
  }),
  strategy: choice({
    default: 'sync',
    section: 'strategy',
    label: 'Strategy',
    help: 'How workers train together',
    choices: strategies,
    words: (name) => name,
  }),
  workers: whole({
    default: 1,
    min: 1,
    max: 1000,
    section: 'strategy',
    label: 'Workers needed',
    help: 'Training starts when this many are ready; more can join later',
    strategies: [...withPushes, 'allreduce'],
    words: (count) => `${count} ${count === 1 ? 'worker' : 'workers'}`,
    // Each command has its own: tabs to open, workers to wait for.
    hasFlag: false,
  }),
  batch: whole({
    default: 100,
    min: 1,
    max: 60_000,
    section: 'step',
    label: 'Batch size',
    help: 'Examples per worker and step',
    words: (count) => `batch ${count.toLocaleString('en')}`,
    simulated: 16,
  }),
  optimizer: choice({
    default: 'sgd',
    section: 'step',
    label: 'Optimizer',
    help: 'How a gradient moves the parameters; Adagrad and FTRL are for sparse models, momentum and Adam for all others',
    choices: { sgd: 'SGD', momentum: 'SGD with momentum', adam: 'Adam', adagrad: 'Adagrad', ftrl: 'FTRL' },
    words: (name) => name,
    simulated: 'sgd',
  }),
  lr: real({
    default: 0.5,
    min: 0,
    max: 1000,
    isAbove: true,
    section: 'step',
    label: 'Learning rate',
    help: 'How far one update moves the parameters',
    words: (rate) => `lr ${rate}`,
    simulated: 1,
  }),
  up: choice({
    default: 'float32',
    section: 'wire',
    label: 'Gradients travel as',
    help: 'How gradients travel to the host',
    choices: up,
    refusal: (codec, { strategy }) =>
      codec === 'topk' && strategy === 'allreduce'
        ? 'What top-k leaves out would be lost at every worker it passes: use another codec with allreduce.'
        : null,
    words: (codec) => `${codec === 'topk' ? 'top-k' : codec} up`,
    simulated: 'float32',
  }),
  down: choice({
    default: 'float32',
    section: 'wire',
    label: 'Parameters travel as',
    help: 'How parameters travel to a worker',
    choices: down,
    strategies: ['single', ...withPushes],
    refusal: (codec, { strategy }) =>
      codec !== 'float32' && strategy === 'allreduce'
        ? `With ${strategy} no parameters come from the host: leave this at float32.`
        : null,
    words: (codec) => `${codec} down`,
    simulated: 'float32',
  }),
  topk: real({
    default: 0.01,
    min: 0,
    max: 1,
    isAbove: true,
    section: 'wire',
    label: 'Share that is sent',
    help: 'Top-k: the share of the numbers that is sent, the largest ones; 0.01 is one in a hundred',
    isUsed: ({ up }) => up === 'topk',
    words: (share) => `k = ${Number((share * 100).toPrecision(6))} %`,
    simulated: 0.01,
  }),
  localSteps: whole({
    default: 16,
    min: 1,
    max: 10_000,
    section: 'strategy',
    label: 'Local steps',
    help: 'Steps that each worker takes on its own between two exchanges',
    strategies: ['local'],
    words: (count) => `${count} local steps`,
    simulated: 16,
  }),
  outer: choice({
    default: 'nesterov',
    section: 'strategy',
    label: 'Outer optimizer',
    help: 'What the host does with the mean of the workers’ updates: applies it, or lets it gather Nesterov momentum over rounds, as in DiLoCo',
    choices: { nesterov: 'Nesterov momentum', average: 'Plain average' },
    strategies: ['local'],
    words: (name) => (name === 'average' ? 'plain average' : name),
    simulated: 'nesterov',
  }),
  outerLr: optionalReal({
    default: null,
    suggested: 0.7,
    min: 0,
    max: 10,
    isAbove: true,
    section: 'strategy',
    label: 'Outer learning rate',
    help: 'How far the host follows the mean of the workers’ updates; off: 1 for the average, 0.7 with momentum',
    strategies: ['local'],
    words: (rate) => `outer lr ${rate}`,
    simulated: null,
  }),
  lead: whole({
    default: 4,
    min: 1,
    max: 1000,
    section: 'strategy',
    label: 'Steps ahead, at most',
    help: 'A worker that is this many steps ahead waits for the slowest one',
    strategies: ['bounded'],
    words: (steps) => `lead ${steps}`,
    simulated: 4,
  }),
  backup: whole({
    default: 0,
    min: 0,
    max: 999,
    section: 'strategy',
    label: 'Backup workers',
    help: 'A round goes on without its slowest workers: this many',
    strategies: withRounds,
    words: (count) => `${count} backup`,
    simulated: 0,
  }),
  deadline: optionalReal({
    default: null,
    suggested: 10,
    min: 0,
    max: 86_400,
    isAbove: true,
    section: 'strategy',
    label: 'Round limit',
    unit: 's',
    help: 'After this long a round goes on with those who have delivered; off: four times as long as usual',
    strategies: [...withRounds, 'allreduce'],
    words: (seconds) => `rounds ≤ ${seconds} s`,
    simulated: null,
  }),
  maxStaleness: optionalWhole({
    default: null,
    suggested: 8,
    min: 0,
    max: 1_000_000,
    section: 'strategy',
    label: 'Ignore gradients older than',
    unit: 'updates',
    help: 'A gradient is ignored when more updates than this were made since its parameters were sent',
    strategies: ['async'],
    words: (versions) => `staleness ≤ ${versions}`,
    simulated: null,
  }),
  damping: choice({
    default: 'none',
    section: 'strategy',
    label: 'Old gradients count',
    help: 'As much as any, or less: the learning rate divided by 1 + the number of updates made meanwhile',
    choices: { none: 'as much as any', inverse: 'less' },
    strategies: ['async', 'bounded'],
    words: (name) => (name === 'none' ? 'not damped' : 'damped'),
    // With hundreds of workers a push is hundreds of versions old: at full weight such steps go astray.
    simulated: 'inverse',
  }),
  overlap: toggle({
    default: false,
    section: 'strategy',
    label: 'Compute while sending',
    help: 'A worker computes its next step while its last gradient is on the way: faster, and one update older',
    strategies: ['async'],
    refusal: (isOn, { strategy }) =>
      isOn && strategy !== 'async'
        ? `Only async lets a worker compute while its push is on the way: with ${strategy} it must wait.`
        : null,
    words: (isOn) => (isOn ? 'overlap' : 'no overlap'),
    simulated: false,
  }),
  aggregate: choice({
    default: 'mean',
    section: 'trust',
    label: 'Aggregate',
    help: 'How a round’s gradients become one; all but the mean protect against bad workers',
    choices: {
      mean: 'mean',
      median: 'median',
      trimmed: 'trimmed mean',
      clipping: 'centered clipping',
      krum: 'Krum',
    },
    strategies: withRounds,
    refusal: (name, { strategy }) =>
      name !== 'mean' && !withRounds.includes(strategy)
        ? `${strategy} has no rounds of several gradients at the host to choose among: use mean, sync or local.`
        : null,
    words: (name) => name,
  }),
  faulty: whole({
    default: 1,
    min: 0,
    max: 499,
    section: 'trust',
    label: 'How many may lie',
    help: 'Workers of a round that may send nonsense or worse',
    strategies: withRounds,
    isUsed: ({ aggregate }) => aggregate === 'trimmed' || aggregate === 'krum',
    words: (count) => `${count} may lie`,
  }),
  l1: real({
    default: 0,
    min: 0,
    max: 1e6,
    section: 'step',
    label: 'L1',
    help: 'FTRL: what a sum of gradients must exceed before its parameter leaves zero',
    isUsed: ({ optimizer }) => optimizer === 'ftrl',
  }),
  l2: real({
    default: 0,
    min: 0,
    max: 1e6,
    section: 'step',
    label: 'L2',
    help: 'FTRL: how strongly parameters are drawn to zero',
    isUsed: ({ optimizer }) => optimizer === 'ftrl',
  }),
  features: whole({
    default: 33_762_578,
    min: 2,
    max: 2 ** 27,
    section: 'task',
    label: 'Features',
    help: 'Sparse models: how many features there are, with one parameter for each',
    isUsed: hasKeys,
    words: (count) => `${count.toLocaleString('en')} features`,
  }),
  examples: whole({
    default: 200_000,
    min: 1,
    max: 2 ** 26,
    section: 'task',
    label: 'Examples',
    help: 'Generated click logs: how many make an epoch',
    isUsed: ({ data }) => data === 'criteo-fake',
    words: (count) => `${count.toLocaleString('en')} examples`,
  }),
  entries: whole({
    default: 39,
    min: 1,
    max: 65_536,
    section: 'found',
    label: 'Features per example, at most',
    help: 'Of a file: the host finds out when it reads it',
    isUsed: ({ data }) => data === 'file',
    hasFlag: false,
  }),
  emulate: text({
    default: '',
    maxLength: 300,
    section: 'conditions',
    label: 'Emulated',
    help: 'Made-up conditions, e.g. "2:slow=10 *:latency=40 host:apply=20"',
    check: emulationProblem,
    words: (rules) => rules || 'no emulation',
  }),
  maxSteps: optionalWhole({
    default: null,
    suggested: 5000,
    min: 1,
    max: 1_000_000_000,
    section: 'stop',
    label: 'Max. steps',
    help: 'Stop after this many steps',
    words: (count) => `${count.toLocaleString('en')} steps`,
  }),
  epochs: optionalReal({
    default: 10,
    suggested: 10,
    min: 0,
    max: 100_000,
    isAbove: true,
    section: 'stop',
    label: 'Max. epochs',
    help: 'Stop after this many passes over the data; usual only if no other rule is set',
    words: (count) => `${count.toLocaleString('en')} epochs`,
  }),
  untilLoss: optionalReal({
    default: null,
    suggested: 0.35,
    min: 0,
    max: 1000,
    isAbove: true,
    section: 'stop',
    label: 'Target test loss',
    help: 'Stop when the test loss is this or less',
    words: (loss) => `to loss ${loss}`,
    simulated: null,
  }),
  minutes: optionalReal({
    default: null,
    suggested: 5,
    min: 0,
    max: 100_000,
    isAbove: true,
    section: 'stop',
    label: 'Max. minutes',
    help: 'Stop after this much training time',
    words: (count) => `${count} minutes`,
    simulated: 10,
  }),
  evalEvery: whole({
    default: 100,
    min: 1,
    max: 1_000_000,
    section: 'measure',
    label: 'Evaluate every',
    unit: 'steps',
    help: 'Steps between two evaluations of the test set',
    words: (steps) => `evaluated every ${steps.toLocaleString('en')}`,
  }),
  seed: whole({
    default: 7,
    min: 0,
    max: 2 ** 31 - 1,
    section: 'measure',
    label: 'Seed',
    help: 'The same seed shuffles, starts and deals the same way',
    words: (seed) => `seed ${seed}`,
    simulated: 7,
  }),
} as const satisfies Settings;

/** Everything that decides what a run does. It travels in addresses and from strangers, so each setting has bounds. */
export type Experiment = Values<typeof settings>;
export type ExperimentKey = keyof Experiment;

/** The rules that may end a run; the first that holds does. Typing one of them turns the usual number of epochs off. */
export const stopKeys = ['untilLoss', 'maxSteps', 'epochs', 'minutes'] as const satisfies readonly ExperimentKey[];

function emulationProblem(rules: string): string | null {
  try {
    parseEmulation(rules);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}
