import { isAsLong } from '../../summary.ts';
import { aside, type Section } from '../block.ts';
import {
  counts,
  finePercents,
  losses,
  type NumberFormat,
  rates,
  seconds,
  stepTimes,
  thousandths,
} from '../number-words.ts';
import { mean, number, tableOf, words } from './columns.ts';
import type { Setting, Subject } from './subject.ts';

/** Every setting with what it came to: steps, seconds, accuracy and the rest. */
export function settingsSection({ settings, target }: Subject): Section {
  const table = tableOf<Setting>('settings', 'What each setting came to', settings, [
    {
      title: 'Setting',
      names: ['setting', 'strategy', 'workers', 'batch', 'learning rate'],
      isNumber: false,
      cell: ({ name, look, experiment: { strategy, workers, batch, lr } }) => ({
        text: name,
        raw: [name, strategy, strategy === 'single' ? 1 : workers, batch, lr],
        look,
      }),
    },
    number('Runs', counts, ({ reports }) => reports.length),
    mean('Steps', counts, ({ steps }) => steps),
    ...(isAsLong(settings) ? [] : [epochs]),
    mean('Time', seconds, (setting) => setting.seconds),
    ...(target !== null && settings.some(isPartly) ? [toTarget] : []),
    mean('Test accuracy', finePercents, ({ accuracy }) => accuracy),
    mean('Test loss', losses, ({ testLoss }) => testLoss),
    mean('AUC', thousandths, ({ auc }) => auc),
    mean('Examples/s', rates, ({ examplesPerSecond }) => examplesPerSecond),
    mean('Epoch', seconds, ({ epochSeconds }) => epochSeconds),
    mean('Step', stepTimes, ({ stepSeconds }) => stepSeconds),
    words('Bound by', ({ bottleneck }) => bottleneck?.bound ?? null),
  ]);
  return { id: 'settings', title: 'Settings', blocks: [table, aside(note(settings))] };
}

/** Some of its runs ended otherwise, so that its time is not its time to the target. */
const isPartly = ({ secondsToTarget, seconds: all }: Setting): boolean => secondsToTarget?.n !== all?.n;
const epochFormat: NumberFormat = { ...counts, decimals: (value) => (value < 9.95 ? 2 : 1) };
const epochs = mean<Setting>('Epochs', epochFormat, (setting) => setting.epochs);
const toTarget = mean<Setting>('To the target', seconds, ({ secondsToTarget }) => secondsToTarget);

function note(settings: readonly Setting[]): string {
  const hasSpread = settings.some(({ seconds: all }) => all?.spread != null);
  const spread = hasSpread
    ? 'Mean ± sample standard deviation over repeats. '
    : 'Each setting ran once: no spread is known. ';
  return `${spread}Time is spent training: pauses and waiting for the first workers do not count. An epoch is as many examples as the training set has; a step is one update of the parameters, whose time is that between two of them.`;
}
