import type { NodeResources, TimedSample } from '../../../core/wire/resources.ts';
import type { Figure } from '../block.ts';
import { megabytes, megabytesPerSecond, percents, seconds } from '../number-words.ts';
import { nodeLook } from '../sections/named-columns.ts';
import type { Setting, Subject } from '../sections/subject.ts';
import type { Axis, Line, LineChart } from './chart.ts';
import { figureOf } from './figure.ts';
import { extremes } from './line-chart.ts';
import type { Look } from './palette.ts';
import { trainingWindow } from './training-window.ts';

interface Metric {
  readonly id: string;
  readonly caption: string;
  readonly axis: Axis;
  /** Of the sample and the one before it; null where it is not told. */
  read(sample: TimedSample, before: TimedSample | undefined): number | null;
}

const rate = (key: 'sentBytes' | 'receivedBytes'): Metric['read'] => {
  return (sample, before) => {
    const [now, then] = [sample[key], before?.[key] ?? null];
    if (before === undefined || now === null || then === null || sample.atMs <= before.atMs) return null;
    return ((now - then) * 1000) / (sample.atMs - before.atMs);
  };
};

const metrics: readonly Metric[] = [
  {
    id: 'cpu',
    caption: 'CPU (100 % is one core) over time',
    axis: { title: 'CPU', format: percents },
    read: ({ cpu }) => cpu,
  },
  {
    id: 'busy',
    caption: 'Busy share of the computing thread over time',
    axis: { title: 'Busy', format: percents },
    read: ({ busy }) => busy,
  },
  {
    id: 'memory',
    caption: 'Memory over time',
    axis: { title: 'Memory', format: megabytes },
    read: ({ memoryBytes }) => memoryBytes,
  },
  {
    id: 'sent',
    caption: 'Network, sending, over time',
    axis: { title: 'Up', format: megabytesPerSecond },
    read: rate('sentBytes'),
  },
  {
    id: 'received',
    caption: 'Network, receiving, over time',
    axis: { title: 'Down', format: megabytesPerSecond },
    read: rate('receivedBytes'),
  },
];

/** CPU, memory and network of every node over time: a chart for every setting, of its first run, all to one scale. */
export function resourceFigures({ settings }: Subject): Figure[] {
  return metrics.flatMap((metric) => {
    const all = settings.map((setting) => ({ title: setting.name, lines: nodeLines(setting, metric) }));
    const some = all.filter(({ lines }) => lines.length > 0);
    const ends = extremes(some.flatMap(({ lines }) => lines));
    // A busy share says nothing that CPU time does not, where there is that.
    if (ends === null || ends.high === 0 || (metric.id === 'busy' && hasCpu(settings))) return [];
    const charts = some.map(({ title, lines }) => ({
      title,
      chart: {
        kind: 'lines',
        x: { title: 'time', format: seconds },
        y: metric.axis,
        scale: 'zero',
        yMin: 0,
        yMax: ends.high,
        lines,
        mark: null,
      } satisfies LineChart,
    }));
    return figureOf(metric.id, `${metric.caption} since training began, first run of each setting`, 'small', charts);
  });
}

const hasCpu = (settings: readonly Setting[]): boolean =>
  settings.some(({ reports }) => reports[0]?.resources.some(({ samples }) => samples.some(({ cpu }) => cpu !== null)));

/** One line per node, from whoever tells of it: the operating system before the tab. The machine as a whole is in the table. */
function nodeLines({ reports }: Setting, metric: Metric): Line[] {
  const [report] = reports;
  const all = (report?.resources ?? []).filter(({ source }) => source !== 'machine');
  const fromMs = (report && trainingWindow(report)?.fromMs) ?? 0;
  const nodes = [...new Set(all.map(({ node }) => node))];
  return nodes.flatMap((node) => {
    const seen = all
      .filter((one) => one.node === node)
      .sort((a, b) => order.indexOf(a.source) - order.indexOf(b.source));
    const lines = seen.map((one) => lineOf(one, metric, fromMs)).filter(({ x }) => x.length > 0);
    return lines[0] ?? [];
  });
}

const order: readonly NodeResources['source'][] = ['process', 'tab', 'machine'];
const others: Look = { colour: 'muted', isDashed: true };

/** Timed as all other curves are: from when training began. */
function lineOf({ node, worker, samples }: NodeResources, { read }: Metric, fromMs: number): Line {
  const points = samples.flatMap((sample, index) => {
    const value = read(sample, samples[index - 1]);
    return value === null ? [] : [{ x: (sample.atMs - fromMs) / 1000, y: value }];
  });
  const look = worker === null && node !== 'host' ? others : nodeLook(worker);
  return { name: node, look, x: points.map(({ x }) => x), y: points.map(({ y }) => y) };
}
