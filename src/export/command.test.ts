import { expect, test } from 'vitest';
import { readArguments } from '../cli/command-line.ts';
import { trainCommand } from '../cli/train-command.ts';
import { readTrainOptions } from '../cli/train-options.ts';
import { rng } from '../core/math/rng.ts';
import { defaultExperiment, type Experiment } from '../experiment/experiment.ts';
import { commandOf } from './command.ts';

/** Reads a command as a shell does that knows words and single quotes. */
function typed(command: string) {
  expect(command).toMatch(/^npm run train -- ?/);
  const words = command.slice('npm run train --'.length).matchAll(/(?:[^\s']|'[^']*'|\\')+/g);
  const argv = Array.from(words, ([word]) => word.replaceAll(/'([^']*)'/g, '$1'));
  return readTrainOptions(readArguments(trainCommand, argv));
}

test('what is as usual is left out', () => {
  expect(commandOf({ ...defaultExperiment, workers: 3 })).toBe('npm run train -- --workers 3');
});

test('a host that trains is one of the workers, and with single the only one', () => {
  expect(typed(commandOf({ ...defaultExperiment, workers: 3 }, true))).toMatchObject({ tabs: 2, hostTrains: true });
  const single: Experiment = { ...defaultExperiment, strategy: 'single' };
  expect(typed(commandOf(single))).toMatchObject({ experiment: single, tabs: 0 });
});

test('a run that nothing ends is said so, since ten epochs are usual', () => {
  const endless = { ...defaultExperiment, epochs: null };
  expect(typed(commandOf(endless)).experiment).toEqual(endless);
});

test.each([1, 2, 3])('read by the command line, it gives the very experiment (seed %i)', (seed) => {
  const random = rng(seed, 'command');
  const pick = <Value>(...values: readonly Value[]) => values[random.below(values.length)] as Value;
  for (let round = 0; round < 50; round++) {
    const experiment: Experiment = {
      ...defaultExperiment,
      ...pick<Partial<Experiment>>(
        {
          strategy: 'sync',
          workers: 4,
          backup: pick(0, 1),
          deadline: pick(null, 2.5),
          aggregate: pick('mean', 'median'),
        },
        { strategy: 'async', workers: 2, maxStaleness: pick(null, 0, 3), overlap: pick(true, false) },
        { strategy: 'bounded', workers: 3, lead: 2, damping: pick('none', 'inverse') },
        { strategy: 'local', workers: 3, localSteps: 8, outer: pick('average', 'nesterov'), outerLr: pick(null, 0.5) },
      ),
      emulate: pick('', '2:slow=10', '2:slow=10 *:latency=40', '1-2:poison=-10'),
      untilLoss: pick(null, 0.35),
      maxSteps: pick(null, 20_000),
      epochs: pick(null, 10, 0.5),
      minutes: pick(null, 1e-7),
      seed: random.below(2 ** 31),
    };
    expect(typed(commandOf(experiment)).experiment).toEqual(experiment);
  }
});
