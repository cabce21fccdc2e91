import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { UsageError } from '../node/usage-error.ts';
import { defaultScenario } from '../simulate/scenario.ts';
import { readArguments } from './command-line.ts';
import { resultTable, simulateAll, simulateCommand } from './simulate-command.ts';

const world = '--workers 3 --minutes 0.2 --parameters 500 --stragglers 0.34 --slowdown 4 --seed 5'.split(' ');

it('prints a row for each strategy and writes settings, results and curves', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'simulate-'));
  const printed: string[] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => printed.push(line));
  try {
    const json = join(folder, 'result.json');
    const given = readArguments(simulateCommand, ['--strategy', 'sync,async', ...world, '--json', json]);
    expect(await simulateCommand.run(given, [])).toBe(0);
    const written = JSON.parse(await readFile(json, 'utf8'));
    expect(written.scenario).toEqual({
      ...defaultScenario,
      workers: 3,
      minutes: 0.2,
      parameters: 500,
      stragglers: 0.34,
      slowdown: 4,
      seed: 5,
    });
    expect(written.runs.map(({ strategy }: { strategy: string }) => strategy)).toEqual(['sync', 'async']);
    expect(written.runs[0].curve.length).toBeGreaterThan(2);
    expect(printed.join('\n')).toMatch(/3 workers; .*stragglers 0.34.*\n\nstrategy .*\nsync .*\nasync /s);
  } finally {
    log.mockRestore();
    await rm(folder, { recursive: true });
  }
});

it('says when a target was never reached', () => {
  const scenario = { ...defaultScenario, workers: 2, minutes: 0.1, untilLoss: 0.01 };
  expect(
    resultTable(
      simulateAll(scenario, ['local'], () => {}),
      scenario,
    ),
  ).toMatch(/to loss 0.01.*\nlocal +never/);
});

it.each([
  ['--strategy sync,ring', '--strategy "ring" is not known; there is: sync, async, bounded, local, allreduce'],
  ['--workers 2000', '--workers must be a whole number from 1 to 1,000, not "2000"'],
  ['--slowdown 0', '--slowdown must be a number from 1 to 1,000, not "0"'],
  ['--local-steps 0', '--local-steps must be a whole number from 1 to 10,000, not "0"'],
  [
    '--optimizer adagrad',
    '--optimizer: adagrad is for models whose parameters have keys: use sgd, momentum or adam, or a sparse model.',
  ],
])('refuses %s in one line', async (line, words) => {
  const run = async () => simulateCommand.run(readArguments(simulateCommand, line.split(' ')), []);
  await expect(run()).rejects.toThrow(new UsageError(words));
});
