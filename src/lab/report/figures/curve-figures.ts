import type { TestPoint } from '../../../core/server/progress.ts';
import { setNumber } from '../../../observe/format.ts';
import { workerLook } from '../../../observe/look.ts';
import type { Figure, Panel } from '../block.ts';
import { counts, losses, percents } from '../number-words.ts';
import type { Setting, Subject } from '../sections/subject.ts';
import { workerName } from '../sections/worker-section.ts';
import type { Axis, ChartLine } from './chart.ts';
import { settingFigures, time } from './figure.ts';

const steps: Axis = { title: 'steps', format: counts };

/** Test loss and accuracy over time and over steps; a line for every run, a colour for every setting. */
export function testFigures({ settings, target }: Subject): Figure[] {
  const groups = [...new Set(settings.map(({ group }) => group))];
  return groups.flatMap((group, index): Figure[] => {
    const own = settings.filter((setting) => setting.group === group && setting.reports.length > 0);
    if (own.length === 0) return [];
    const panel = (x: Axis, metric: 'loss' | 'accuracy'): Panel => {
      const isLoss = metric === 'loss';
      const y = isLoss ? { title: 'Test loss', format: losses } : { title: 'Test accuracy', format: percents };
      const lines = own.flatMap((setting) => testLines(setting, x, metric));
      const watched = isLoss && target !== null ? { value: target, name: `target ${setNumber(target)}` } : null;
      const chart = { kind: 'lines', x, y, scale: isLoss ? 'log' : 'data', lines } as const;
      return { title: '', chart: watched === null ? chart : { ...chart, target: watched } };
    };
    const caption = `${group === '' ? 'One' : `${group}: one`} line for every run, one colour for every setting`;
    const panels = [panel(time, 'loss'), panel(steps, 'loss'), panel(time, 'accuracy'), panel(steps, 'accuracy')];
    const id = groups.length === 1 ? 'test' : `test-${index + 1}`;
    return [{ kind: 'figure', id, caption, size: 'wide', panels }];
  });
}

/** What an untrained model guesses would take up most of a chart of accuracies. */
const testLines = ({ name, look, reports }: Setting, x: Axis, metric: 'loss' | 'accuracy'): ChartLine[] =>
  reports.map(({ series }) => {
    const test = series.test.filter(({ step }) => metric === 'loss' || step > 0);
    const place = ({ elapsedMs, step }: TestPoint) => (x === time ? elapsedMs / 1000 : step);
    return { name, look, x: test.map(place), y: test.map((point) => point[metric]) };
  });

/** Loss and accuracy of each worker's own batches: a chart for every setting, of its first run. */
export function workerFigures({ settings }: Subject): Figure[] {
  const ofBatches = 'of each worker’s own batches';
  const loss = { y: { title: 'Loss', format: losses }, scale: 'log' } as const;
  const accuracy = { y: { title: 'Accuracy', format: percents }, scale: 'data' } as const;
  return [
    ...settingFigures('worker-loss', `Loss ${ofBatches}`, settings, loss, (setting) => workerLines(setting, 'loss')),
    ...settingFigures('worker-accuracy', `Accuracy ${ofBatches}`, settings, accuracy, (setting) =>
      workerLines(setting, 'accuracy'),
    ),
  ];
}

const workerLines = ({ reports }: Setting, metric: 'loss' | 'accuracy'): ChartLine[] =>
  (reports[0]?.workers ?? []).flatMap(({ worker, curve }) => {
    const known = curve.filter((point) => point[metric] !== null);
    if (known.length === 0) return [];
    const [x, y] = [known.map(({ elapsedMs }) => elapsedMs / 1000), known.map((point) => point[metric] ?? 0)];
    return { name: workerName(worker), look: workerLook(worker), x, y };
  });
