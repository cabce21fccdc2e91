import type { Measured } from '../../measured.ts';
import { workersOf } from '../../summary.ts';
import type { Reference } from '../../sweep.ts';
import { aside, plain, type Section } from '../block.ts';
import { bare, measuredWords, type NumberFormat, percents, ratios, seconds, withUnit } from '../number-words.ts';
import { number, ofSetting, tableOf, words } from './columns.ts';
import { epochTime, isFaster, type Quantity, quantity, stepCount, stepTime, testAccuracy } from './quantities.ts';
import { type Range, rangeRatio, readRange } from './reference-numbers.ts';
import { workerCpu, workerMegabytesPerSecond } from './resource-use.ts';
import type { Setting, Subject } from './subject.ts';

interface Compared {
  readonly reference: Reference;
  readonly setting: Setting;
  readonly theirs: Range | null;
  readonly ours: Measured | null;
}

/** From thousandths up: a step may be short. */
const shortSeconds: NumberFormat = {
  unit: 's',
  scale: 1,
  decimals: (value) => (value < 0.0995 ? 4 : value < 0.995 ? 3 : 2),
};
const plainMegabytes: NumberFormat = { unit: 'MB/s', scale: 1, decimals: (value) => (value < 10 ? 2 : 1) };

const measures: Readonly<Record<Reference['measure'], Quantity>> = {
  seconds: quantity('time', seconds, ({ secondsToTarget, seconds: all }) => secondsToTarget ?? all),
  steps: stepCount,
  accuracy: testAccuracy,
  epochSeconds: epochTime,
  stepSeconds: { ...stepTime, format: shortSeconds },
  megabytesPerSecond: quantity('network per worker, both ways', plainMegabytes, workerMegabytesPerSecond),
  cpu: quantity('CPU per worker', percents, workerCpu),
};

/** Figures of others beside ours, as ratios to a baseline of their own; null if the sweep names none that fits. */
export function referencesSection({ result, settings }: Subject): Section | null {
  const rows = result.sweep.references.flatMap((reference) => {
    const own = settings.filter(({ experiment }) => isOf(experiment, reference.where));
    return own.map((setting): Compared => {
      const ours = measures[reference.measure].read(setting);
      return { reference, setting, theirs: readRange(reference.value), ours };
    });
  });
  if (rows.length === 0) return null;
  const table = tableOf<Compared>('references', 'Course reports’ figures beside ours', rows, [
    ofSetting,
    words('Measure', ({ reference }) =>
      measures[reference.measure].title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase()),
    ),
    words('Theirs', ({ reference }) => withTheirUnit(reference)),
    words('Ours', ({ reference, ours }) =>
      ours === null ? null : measuredWords(ours, measures[reference.measure].format),
    ),
    words('Relative to', (row) => baseline(row, rows)?.setting.name ?? null),
    { ...words<Compared>('Their ratio', (row) => theirRatio(row, baseline(row, rows))), isNumber: true },
    number('Our ratio', ratios, (row) => ourRatio(row, baseline(row, rows))),
    words('Source', ({ reference }) => reference.source),
  ]);
  const hasRatios = rows.some((row) => baseline(row, rows) !== null);
  const note = aside(
    'Theirs were measured by others, on other machines and other software' +
      (hasRatios
        ? ': compare the ratios, not the seconds. A ratio is to the row named beside it: the same measure and source with single, or one worker, or the first there is. Accuracies are compared as they are.'
        : '.'),
  );
  const turned = turnedWords(rows, settings);
  const blocks = [table, ...(turned === null ? [] : [plain(turned)]), note];
  return { id: 'references', title: 'Beside the course reports', blocks };
}

/** `where` may name workers for single, which has one whatever its experiment says. */
const isOf = (experiment: Setting['experiment'], where: Reference['where']): boolean =>
  Object.entries(where).every(([key, value]) =>
    key === 'workers' ? workersOf(experiment) === value : experiment[key as keyof typeof where] === value,
  );

function withTheirUnit({ value, measure }: Reference): string {
  const { unit } = measures[measure].format;
  return unit === '' || /[a-z%]/i.test(value) ? value : `${value}\u00a0${unit}`;
}

/** What a row's ratios are to: its own kind with one worker, else the first of its kind. */
function baseline(row: Compared, rows: readonly Compared[]): Compared | null {
  if (row.reference.measure === 'accuracy') return null;
  const alike = rows.filter(
    ({ reference }) => reference.measure === row.reference.measure && reference.source === row.reference.source,
  );
  const isSingle = ({ setting }: Compared) => setting.experiment.strategy === 'single';
  const isLone = ({ setting }: Compared) => workersOf(setting.experiment) === 1;
  // Of several alone, the one with the same batch size.
  const lone = alike.filter((other) => isSingle(other) || isLone(other));
  const base =
    lone.find(({ setting }) => setting.experiment.batch === row.setting.experiment.batch) ??
    lone[0] ??
    alike[0] ??
    null;
  return alike.length < 2 ? null : base;
}

function theirRatio({ theirs }: Compared, base: Compared | null): string | null {
  if (theirs === null || base === null || base.theirs === null) return null;
  const { low, high } = rangeRatio(theirs, base.theirs);
  const [from, to] = [bare(low, ratios), withUnit(high, ratios)];
  return low === high ? to : `${from}–${to}`;
}

function ourRatio({ ours }: Compared, base: Compared | null): number | null {
  return ours === null || base === null || base.ours === null ? null : ours.mean / base.ours.mean;
}

/** Where their time rises with workers and ours falls: one sentence with both ratios and what each is to; null if nowhere. */
function turnedWords(rows: readonly Compared[], settings: readonly Setting[]): string | null {
  const times = rows.filter(({ reference: { measure } }) => measure === 'seconds' || measure === 'epochSeconds');
  const kindOf = ({ reference: { measure, source }, setting: { experiment } }: Compared) =>
    JSON.stringify([measure, source, experiment.strategy, experiment.batch]);
  const turned = [...new Set(times.map(kindOf))].flatMap((kind) => {
    const byWorkers = times
      .filter((row) => kindOf(row) === kind)
      .sort((a, b) => workersOf(a.setting.experiment) - workersOf(b.setting.experiment));
    const largest = byWorkers.at(-1);
    const base = largest === undefined ? null : baseline(largest, rows);
    if (largest === undefined || base === null || largest.theirs === null || base.theirs === null) return [];
    const { experiment } = largest.setting;
    const isAlone = workersOf(base.setting.experiment) === 1 && workersOf(experiment) > 1;
    // Ours beside one worker of the same strategy where there is one, which a report of others may lack.
    const lone = settings.find(
      (other) =>
        other.experiment.strategy === experiment.strategy &&
        other.experiment.batch === experiment.batch &&
        workersOf(other.experiment) === 1,
    );
    const against = lone ?? base.setting;
    const one = measures[largest.reference.measure].read(against);
    const rises = rangeRatio(largest.theirs, base.theirs).low > 1;
    if (!isAlone || !rises || largest.ours === null || one === null || !isFaster(largest.ours, one)) return [];
    const ours = withUnit(largest.ours.mean / one.mean, ratios);
    return `${largest.setting.name} takes ${theirRatio(largest, base)} the time of ${base.setting.name} there and ${ours} that of ${against.name} here`;
  });
  return turned.length === 0 ? null : `Their time rises with workers where ours falls: ${turned.join('; ')}.`;
}
