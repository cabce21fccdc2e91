import type { StopReason } from '../core/server/progress.ts';
import type { RunReport, WorkerReport } from '../observe/run-report.ts';

/** Why a run ended, in words that follow "it ended because". */
export const stopWords: Readonly<Record<StopReason, string>> = {
  loss: 'the test loss was reached',
  steps: 'the number of steps was reached',
  epochs: 'the number of epochs was reached',
  minutes: 'the time was over',
  host: 'the host ended it',
  diverged: 'it diverged: numbers were no longer finite',
  evaluator: 'the host tab could not look at the test set',
};

/** A run in a few lines of text for a terminal: what it reached, then one line per worker. */
export function summaryTable(report: RunReport): string {
  const { experiment, server } = report;
  const rate = report.wallSeconds > 0 ? report.examples / report.wallSeconds : 0;
  const facts = [
    ['run', `${experiment.model} on ${experiment.data}, ${experiment.strategy}, seed ${experiment.seed}`],
    ...(report.emulated === null ? [] : [['emulated', report.emulated]]),
    ['ended', report.stopReason === null ? `not ended (${report.phase})` : stopWords[report.stopReason]],
    ['reached', reached(report)],
    ['steps', `${count(report.steps)} in ${report.wallSeconds.toFixed(1)} s`],
    ['examples', `${count(report.examples)} (${count(Math.round(rate))}/s)`],
    ['pushes', pushes(server)],
  ];
  const hasPeers = report.workers.some(({ bytesToPeers }) => bytesToPeers > 0);
  const rows = [header, ...report.workers.map(row)];
  // The last column is only of interest where workers talk to each other.
  return `${table(facts, 'left')}\n\n${table(hasPeers ? rows : rows.map((cells) => cells.slice(0, -1)), 'right')}`;
}

/** What became of the pushes; what rarely happens is said only where it did. */
function pushes({ applied, stale, rejected, clipped, lost, dropped }: RunReport['server']): string {
  const rare = [
    [clipped, 'clipped'],
    [lost, 'updates lost'],
    [dropped, 'updates dropped'],
  ] as const;
  const more = rare.filter(([times]) => times > 0).map(([times, what]) => `, ${count(times)} ${what}`);
  return `${count(applied)} applied, ${count(stale)} stale, ${count(rejected)} rejected${more.join('')}`;
}

function reached({ testLoss, testAccuracy, best, steps }: RunReport): string {
  if (testLoss === null || testAccuracy === null || best === null) return 'never tested';
  const words = (loss: number, accuracy: number) =>
    `test loss ${loss.toFixed(4)}, accuracy ${(accuracy * 100).toFixed(2)} %`;
  const last = words(testLoss, testAccuracy);
  if (best.loss >= testLoss) return last;
  return `${last} at step ${count(steps)}; best: ${words(best.loss, best.accuracy)} at step ${count(best.step)}`;
}

const header = [
  'worker',
  'backend',
  'steps',
  'stale',
  'examples',
  'compute',
  'wait',
  'transfer',
  'other',
  'staleness',
  'up',
  'down',
  'to others',
];

function row(worker: WorkerReport): string[] {
  const { waitMs, computeMs, transferMs, ...others } = worker.phases;
  const otherMs = Object.values(others).reduce((sum, ms) => sum + ms, 0);
  const totalMs = waitMs + computeMs + transferMs + otherMs;
  const share = (ms: number) => (totalMs === 0 ? '–' : `${Math.round((ms / totalMs) * 100)} %`);
  return [
    worker.name,
    worker.backend,
    count(worker.steps),
    count(worker.stale),
    count(worker.examples),
    share(computeMs),
    share(waitMs),
    share(transferMs),
    share(otherMs),
    `${worker.staleness.mean.toFixed(2)} (max ${worker.staleness.max})`,
    megabytes(worker.bytesUp.total),
    megabytes(worker.bytesDown.total),
    megabytes(worker.bytesToPeers),
  ];
}

/** Columns as wide as their widest cell; the first always starts at the left. */
function table(rows: readonly (readonly string[])[], align: 'left' | 'right'): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 || align === 'left' ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n');
}

const count = (value: number): string => value.toLocaleString('en');
const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
