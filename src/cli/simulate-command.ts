import packageJson from '../../package.json' with { type: 'json' };
import { flagOf } from '../experiment/setting.ts';
import { textTable } from '../export/summary-table.ts';
import { ProgressLine } from '../headless/progress-line.ts';
import { UsageError } from '../node/usage-error.ts';
import { clock, plainSpaces } from '../observe/format.ts';
import { outcomeColumns, type TimedRun } from '../simulate/columns.ts';
import {
  type Comparable,
  comparable,
  defaultScenario,
  type Scenario,
  scenarioPairs,
  scenarioProblems,
  scenarioSettings,
} from '../simulate/scenario.ts';
import { Simulation } from '../simulate/simulation.ts';
import { winnerWords } from '../simulate/winner.ts';
import type { Command, OptionValues } from './command-line.ts';
import { readJsonPath, writeJson } from './json-file.ts';
import { settingOptions, typedSettings, usageError } from './setting-options.ts';

/** So many things between two looks at the clock. */
const EVENTS_AT_ONCE = 20_000;

/** Compares strategies in virtual time. The same options give the same numbers. */
export const simulateCommand: Command = {
  name: 'simulate',
  describe: 'runs the real protocol with made-up machines and links in virtual time, and compares strategies',
  options: {
    strategy: { value: 'names', describe: `one or more of ${comparable.join(',')} (all)` },
    ...settingOptions(scenarioSettings),
    json: { value: 'file', describe: 'write settings, results and curves there' },
  },
  async run(given) {
    const strategies = readStrategies(given);
    const scenario = readSettings(given);
    const jsonPath = await readJsonPath(given);
    const line = new ProgressLine(process.stderr);
    const timed = simulateAll(scenario, strategies, (text) => line.show(text, performance.now()));
    line.end();
    console.log(resultTable(timed, scenario));
    console.log(
      `\n${winnerWords(
        timed.map(({ run }) => run),
        scenario.untilLoss,
      )}`,
    );
    if (jsonPath !== null) {
      const versions = { manyhands: packageJson.version, node: process.version };
      const runs = timed.map(({ run, tookMs }) => ({ ...run, simulatedInSeconds: tookMs / 1000 }));
      await writeJson(jsonPath, { format: 'manyhands-simulation/1', scenario, versions, runs });
    }
    return 0;
  },
};

function readStrategies(given: OptionValues): readonly Comparable[] {
  if (typeof given.strategy !== 'string') return comparable;
  return given.strategy.split(',').map((name) => {
    const known = comparable.find((strategy) => strategy === name.trim());
    if (known) return known;
    throw new UsageError(`--strategy "${name}" is not known; there is: ${comparable.join(', ')}`);
  });
}

function readSettings(given: OptionValues): Scenario {
  const scenario = { ...defaultScenario, ...typedSettings(scenarioSettings, given) };
  const [problem] = scenarioProblems({ ...scenario });
  if (problem !== undefined) throw usageError(problem, given);
  return scenario;
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
    return { run: simulation.result(), tookMs: performance.now() - startMs };
  });
}

const leftWords = (ms: number) => `at most ${clock(ms)} left`;

/** What was asked, then one row for each strategy. */
export function resultTable(runs: readonly TimedRun[], scenario: Scenario): string {
  const { workers, untilLoss } = scenario;
  const asked = scenarioPairs({ ...scenario, workers: defaultScenario.workers }).map(
    ([key, value]) => `${flagOf(key)} ${value}`,
  );
  const columns = outcomeColumns(untilLoss);
  const rows = [
    ['strategy', ...columns.map(({ title }) => title.toLowerCase())],
    ...runs.map((timed) => [timed.run.strategy, ...columns.map(({ text }) => text(timed))]),
  ];
  const title = `${workers} workers${asked.length === 0 ? '' : `; ${asked.join(', ')}`}`;
  return plainSpaces(`${title}\n\n${textTable(rows, 'right')}`);
}
