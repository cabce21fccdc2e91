import type { NodeResources } from '../../../core/wire/resources.ts';
import type { Look } from '../../../observe/look.ts';
import { metricValues, type ResourceMetric } from '../../../observe/resource-metrics.ts';
import type { Figure } from '../block.ts';
import { megabytes, megabytesPerSecond, type NumberFormat, percents } from '../number-words.ts';
import { nodeLook } from '../sections/columns.ts';
import { trainingWindow } from '../sections/resource-use.ts';
import type { Setting, Subject } from '../sections/subject.ts';
import type { ChartLine } from './chart.ts';
import { settingFigures } from './figure.ts';

interface Charted extends Pick<ResourceMetric, 'key' | 'unit'> {
  readonly id: string;
  readonly title: string;
  readonly caption: string;
}

const charted: readonly Charted[] = [
  { id: 'cpu', key: 'cpu', unit: 'share', title: 'CPU', caption: 'CPU (100 % is one core)' },
  { id: 'busy', key: 'busy', unit: 'share', title: 'Busy', caption: 'Busy share of the computing thread' },
  { id: 'memory', key: 'memoryBytes', unit: 'bytes', title: 'Memory', caption: 'Memory' },
  { id: 'sent', key: 'sentBytes', unit: 'bytes/s', title: 'Up', caption: 'Network, sending,' },
  { id: 'received', key: 'receivedBytes', unit: 'bytes/s', title: 'Down', caption: 'Network, receiving,' },
];
const formats: Readonly<Record<ResourceMetric['unit'], NumberFormat>> = {
  share: percents,
  bytes: megabytes,
  'bytes/s': megabytesPerSecond,
};

/** CPU, memory and network of every node over time: a chart for every setting, of its first run, all to one scale. */
export function resourceFigures({ settings }: Subject): Figure[] {
  const hasCpu = settings.some((setting) => nodeLines(setting, { key: 'cpu', unit: 'share' }).length > 0);
  // A busy share says nothing that CPU time does not, where there is that.
  const shown = charted.filter(({ id }) => id !== 'busy' || !hasCpu);
  return shown.flatMap((metric) => {
    const { id, title, caption, unit } = metric;
    const chart = { y: { title, format: formats[unit] }, scale: 'zero' } as const;
    return settingFigures(id, `${caption} over time since training began`, settings, chart, (setting) =>
      nodeLines(setting, metric),
    );
  });
}

type Metric = Pick<ResourceMetric, 'key' | 'unit'>;

/** One line per node, from whoever tells of it: the operating system before the tab. The machine as a whole is in the table. */
function nodeLines({ reports: [report] }: Setting, metric: Metric): ChartLine[] {
  const all = (report?.resources ?? []).filter(({ source }) => source !== 'machine');
  const fromMs = (report && trainingWindow(report)?.fromMs) ?? 0;
  return [...new Set(all.map(({ node }) => node))].flatMap((node) => {
    const seen = all.filter((one) => one.node === node).sort((one) => (one.source === 'process' ? -1 : 1));
    return seen.map((one) => lineOf(one, metric, fromMs)).find(({ x }) => x.length > 0) ?? [];
  });
}

const others: Look = { colour: 'muted', isDashed: true };

/** Timed as all other curves are: from when training began. */
function lineOf({ node, worker, samples }: NodeResources, metric: Metric, fromMs: number): ChartLine {
  const values = metricValues(samples, metric);
  const known = samples.flatMap(({ atMs }, at) => {
    const y = values[at] ?? null;
    return y === null ? [] : [{ x: (atMs - fromMs) / 1000, y }];
  });
  const look = worker === null && node !== 'host' ? others : nodeLook(worker);
  return { name: node, look, x: known.map(({ x }) => x), y: known.map(({ y }) => y) };
}
