import type { TestPoint } from '../../../core/server/progress.ts';
import { setNumber } from '../../../observe/format.ts';
import type { Figure } from '../block.ts';
import { counts, losses, percents, seconds } from '../number-words.ts';
import type { Setting, Subject } from '../sections/subject.ts';
import { workerName } from '../sections/worker-section.ts';
import type { Axis, Line, LineChart } from './chart.ts';
import { figureOf } from './figure.ts';
import { extremes } from './line-chart.ts';
import { workerLook } from './palette.ts';

const time: Axis = { title: 'time', format: seconds };
const steps: Axis = { title: 'steps', format: counts };
const lossAxis = (title: string): Axis => ({ title, format: losses });
const accuracyAxis = (title: string): Axis => ({ title, format: percents });

/** Test loss and accuracy over time and over steps; a line for every run, a colour for every setting. */
export function testFigures({ settings, target }: Subject): Figure[] {
  const groups = [...new Set(settings.map(({ group }) => group))];
  return groups.flatMap((group, index) => {
    const own = settings.filter((setting) => setting.group === group && setting.reports.length > 0);
    if (own.length === 0) return [];
    const chart = (x: Axis, y: Axis, read: (point: TestPoint) => number, isLoss: boolean) => ({
      title: '',
      chart: {
        kind: 'lines',
        x,
        y,
        scale: isLoss ? 'log' : 'data',
        yMin: null,
        yMax: null,
        lines: own.flatMap((setting) => testLines(setting, x, read, isLoss)),
        mark: isLoss && target !== null ? { value: target, name: `target ${setNumber(target)}` } : null,
      } satisfies LineChart,
    });
    const loss = lossAxis('Test loss');
    const accuracy = accuracyAxis('Test accuracy');
    const caption = `${group === '' ? 'One' : `${group}: one`} line for every run, one colour for every setting`;
    return figureOf(groups.length === 1 ? 'test' : `test-${index + 1}`, caption, 'wide', [
      chart(time, loss, (point) => point.loss, true),
      chart(steps, loss, (point) => point.loss, true),
      chart(time, accuracy, (point) => point.accuracy, false),
      chart(steps, accuracy, (point) => point.accuracy, false),
    ]);
  });
}

/** What an untrained model guesses would take up most of a chart of accuracies. */
function testLines(
  { name, look, reports }: Setting,
  x: Axis,
  read: (point: TestPoint) => number,
  isFromStart: boolean,
): Line[] {
  return reports.map(({ series }) => {
    const test = series.test.filter(({ step }) => isFromStart || step > 0);
    return {
      name,
      look,
      x: test.map(({ elapsedMs, step }) => (x === time ? elapsedMs / 1000 : step)),
      y: test.map(read),
    };
  });
}

/** Loss and accuracy of each worker's own batches: a chart for every setting, of its first run. */
export function workerFigures({ settings }: Subject): Figure[] {
  return (['loss', 'accuracy'] as const).flatMap((what) => {
    const all = settings.map((setting) => ({ title: setting.name, lines: workerLines(setting, what) }));
    const some = all.filter(({ lines }) => lines.length > 0);
    const ends = extremes(some.flatMap(({ lines }) => lines));
    if (ends === null) return [];
    const y = what === 'loss' ? lossAxis('Loss') : accuracyAxis('Accuracy');
    const charts = some.map(({ title, lines }) => ({
      title,
      chart: {
        kind: 'lines',
        x: time,
        y,
        scale: what === 'loss' ? 'log' : 'data',
        yMin: ends.low,
        yMax: ends.high,
        lines,
        mark: null,
      } satisfies LineChart,
    }));
    return figureOf(
      `worker-${what}`,
      `${y.title} of each worker’s own batches, first run of each setting`,
      'small',
      charts,
    );
  });
}

function workerLines({ reports }: Setting, what: 'loss' | 'accuracy'): Line[] {
  const workers = reports[0]?.workers ?? [];
  return workers.flatMap(({ worker, curve }) => {
    const known = curve.filter((point) => point[what] !== null);
    if (known.length === 0) return [];
    const [x, y] = [known.map(({ elapsedMs }) => elapsedMs / 1000), known.map((point) => point[what] ?? 0)];
    return { name: workerName(worker), look: workerLook(worker), x, y };
  });
}
