import packageJson from '../../package.json' with { type: 'json' };
import { clock, ProgressLine } from '../headless/progress-line.ts';
import { UsageError } from '../node/usage-error.ts';
import type { SimulatedRun } from '../simulate/result.ts';
import {
  type Comparable,
  comparable,
  defaultScenario,
  readScenario,
  type Scenario,
  scenarioPairs,
} from '../simulate/scenario.ts';
import { Simulation } from '../simulate/simulation.ts';
import { verdict } from '../simulate/verdict.ts';
import { type Command, type Given, type Options, wordOf } from './command-line.ts';
import { readJsonPath, writeJson } from './json-file.ts';

/** So many things between two looks at the clock. */
const EVENTS_AT_ONCE = 20_000;

const usual = defaultScenario;

/** Options that are settings of a scenario, by its own names. */
const settings = {
  workers: { value: 'count', describe: `1 to 1000 (${usual.workers})` },
  latency: { value: 'ms', describe: `one way, of a typical worker (${usual.latency})` },
  bandwidth: { value: 'Mbit/s', describe: `each way, of a typical worker (${usual.bandwidth})` },
  'host-bandwidth': { value: 'Mbit/s', describe: `each way, shared by all workers (${usual.hostBandwidth})` },
  compute: { value: 'ms', describe: `one step of a typical worker (${usual.compute})` },
  spread: { value: 'number', describe: `how unlike workers are; 0: all the same (${usual.spread})` },
  jitter: { value: 'number', describe: `how unlike one worker’s steps are (${usual.jitter})` },
  stragglers: {
    value: 'share x times',
    describe: `so many of the workers are so much slower (${usual.stragglers}x${usual.slowdown})`,
  },
  churn: { value: 'count', describe: `workers that leave in a minute; as many come (${usual.churn})` },
  minutes: { value: 'number', describe: `stop after this much virtual time (${usual.minutes})` },
  'until-loss': { value: 'number', describe: 'stop when the test loss is this or less' },
  batch: { value: 'count', describe: `examples per worker and step (${usual.batch})` },
  lr: { value: 'number', describe: `learning rate (${usual.lr})` },
  optimizer: { value: 'name', describe: `sgd, momentum or adam (${usual.optimizer})` },
  up: { value: 'name', describe: `how gradients travel: float32, float16, int8, topk (${usual.up})` },
  down: { value: 'name', describe: `how parameters travel: float32, float16, int8 (${usual.down})` },
  topk: { value: 'share', describe: `topk: how many of the numbers are sent (${usual.topk})` },
  parameters: { value: 'count', describe: `numbers in the model, for bytes and the server (${usual.parameters})` },
  backup: { value: 'count', describe: `sync, local: a round goes on without its slowest (${usual.backup})` },
  deadline: { value: 'seconds', describe: 'rounds: how long one may take (four times the usual)' },
  lead: { value: 'steps', describe: `bounded: how far one may be ahead of the slowest (${usual.lead})` },
  'local-steps': { value: 'count', describe: `local: steps between two exchanges (${usual.localSteps})` },
  outer: { value: 'name', describe: `local: average or nesterov (${usual.outer})` },
  damping: { value: 'name', describe: `async, bounded: none or inverse (${usual.damping})` },
  'max-staleness': { value: 'versions', describe: 'async: what is older is stale (none is)' },
  overlap: { value: 'true|false', describe: `async: compute while the last push is under way (${usual.overlap})` },
  'server-time': { value: 'µs', describe: `of the server, for each message (${usual.serverTime})` },
  'server-per-number': { value: 'ns', describe: `of the server, for each number of a push (${usual.serverPerNumber})` },
  evaluation: { value: 'ms', describe: `one look at the test set (${usual.evaluation})` },
  'eval-rounds': { value: 'steps', describe: `steps of everyone between two looks (${usual.evalRounds})` },
  seed: { value: 'number', describe: `decides everything that is drawn (${usual.seed})` },
} as const satisfies Options;

const scenarioName = (option: string) => option.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const optionName = (key: string) =>
  // One option for both.
  key === 'slowdown' ? 'stragglers' : key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** A simulated run with how long it took to simulate. */
export interface TimedRun extends SimulatedRun {
  readonly simulatedInSeconds: number;
}

/** Compares strategies in virtual time. The same options give the same numbers. */
export const simulateCommand: Command = {
  name: 'simulate',
  describe: 'runs the real protocol with made-up machines and links in virtual time, and compares strategies',
  options: {
    strategy: { value: 'names', describe: `one or more of ${comparable.join(',')} (all)` },
    ...settings,
    json: { value: 'file', describe: 'write settings, results and curves there' },
  },
  async run(given) {
    const strategies = readStrategies(given);
    const scenario = readSettings(given);
    const jsonPath = await readJsonPath(given);
    const line = new ProgressLine(process.stderr);
    const runs = simulateAll(scenario, strategies, (text) => line.show(text, performance.now()));
    line.end();
    console.log(resultTable(runs, scenario));
    console.log(`\n${verdict(runs, scenario.untilLoss)}`);
    if (jsonPath !== null) {
      const versions = { manyhands: packageJson.version, node: process.version };
      await writeJson(jsonPath, { format: 'manyhands-simulation/1', scenario, versions, runs });
    }
    return 0;
  },
};

function readStrategies(given: Given): readonly Comparable[] {
  if (typeof given.strategy !== 'string') return comparable;
  return given.strategy.split(',').map((name) => {
    const known = comparable.find((strategy) => strategy === name.trim());
    if (known) return known;
    throw new UsageError(`--strategy "${name}" is not known; there is: ${comparable.join(', ')}`);
  });
}

function readSettings(given: Given): Scenario {
  wordOf(given, 'optimizer', ['sgd', 'momentum', 'adam']);
  const pairs = Object.keys(settings).flatMap((option): [string, string][] => {
    const text = given[option];
    return typeof text === 'string' ? [[scenarioName(option), text]] : [];
  });
  try {
    return readScenario(pairs);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const [first = ''] = error.message.split('\n');
    const [key = '', ...words] = first.split(': ');
    const option = optionName(key);
    const shape = option === 'stragglers' ? ' (write it like 0.1x10)' : '';
    const came = given[option] === undefined ? '' : `, not "${given[option]}"`;
    throw new UsageError(`--${option} ${words.join(': ')}${came}${shape}`);
  }
}

/** One strategy after another, with a line of progress now and then. */
export function simulateAll(
  scenario: Scenario,
  strategies: readonly Comparable[],
  progress: (text: string) => void,
): TimedRun[] {
  const beganMs = performance.now();
  return strategies.map((strategy, index) => {
    const startMs = performance.now();
    const simulation = new Simulation(scenario, strategy);
    while (simulation.advance(EVENTS_AT_ONCE)) {
      const done = (index + simulation.progress) / strategies.length;
      const leftMs = ((performance.now() - beganMs) * (1 - done)) / Math.max(done, 1e-3);
      const virtual = clock(simulation.progress * scenario.minutes * 60_000);
      progress(
        `${strategy} (${index + 1} of ${strategies.length}) · ${virtual} of virtual time · ${leftWords(leftMs)}`,
      );
    }
    return { ...simulation.result(), simulatedInSeconds: (performance.now() - startMs) / 1000 };
  });
}

const leftWords = (ms: number) => `at most ${clock(ms)} left`;

/** What was asked, then one row for each strategy. */
export function resultTable(runs: readonly TimedRun[], scenario: Scenario): string {
  const { workers, untilLoss } = scenario;
  const asked = scenarioPairs({ ...scenario, workers: usual.workers }).map(
    ([key, value]) => `${optionName(key)} ${value}`,
  );
  const rows = [
    [
      'strategy',
      untilLoss === null ? 'time' : `to loss ${untilLoss}`,
      'updates',
      'examples',
      'loss',
      'accuracy',
      'worker up',
      'worker down',
      'host in',
      'host out',
      'idle',
      'stale',
      'joins',
      'leaves',
      'simulated in',
    ],
    ...runs.map((run) => [
      run.strategy,
      untilLoss === null ? clock(run.elapsedMs) : run.toTargetMs === null ? 'never' : clock(run.toTargetMs),
      count(run.updates),
      count(run.examples),
      run.testLoss?.toFixed(4) ?? '–',
      percent(run.accuracy),
      megabytes(run.workerBytes.up),
      megabytes(run.workerBytes.down),
      megabytes(run.hostBytes.up),
      megabytes(run.hostBytes.down),
      percent(run.shares.idle),
      percent(run.staleShare),
      count(run.joins),
      count(run.leaves),
      `${run.simulatedInSeconds.toFixed(1)} s`,
    ]),
  ];
  const title = `${workers} workers${asked.length === 0 ? '' : `; ${asked.join(', ')}`}`;
  return `${title}\n\n${columns(rows)}`;
}

const count = (value: number) => value.toLocaleString('en');
const percent = (share: number | null) => (share === null ? '–' : `${(share * 100).toFixed(1)} %`);
const megabytes = (bytes: number) => `${(bytes / 1e6).toLocaleString('en', { maximumSignificantDigits: 3 })} MB`;

function columns(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  const pad = (cell: string, at: number) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0));
  return rows.map((row) => row.map(pad).join('  ')).join('\n');
}
