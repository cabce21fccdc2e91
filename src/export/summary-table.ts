import type { StopReason } from '../core/server/progress.ts';
import { bytes, count, duration, fixed, percent, plainSpaces, rate } from '../observe/format.ts';
import type { RunReport, WorkerReport } from '../observe/run-report.ts';

/** Why a run ended, in words that follow "it ended because". */
export const stopWords: Readonly<Record<StopReason, string>> = {
  loss: 'the test loss was reached',
  steps: 'the number of steps was reached',
  epochs: 'the number of epochs was reached',
  minutes: 'the time was over',
  host: 'the host ended it',
  diverged: 'it diverged: numbers were no longer finite',
  evaluator: 'the host’s tab could not evaluate the test set',
};

/** A run in a few lines of text for a terminal: what it reached, then one line per worker. */
export function summaryTable(report: RunReport): string {
  const { experiment, server, steps, examples, wallSeconds } = report;
  const facts = [
    ['run', `${experiment.model} on ${experiment.data}, ${experiment.strategy}, seed ${experiment.seed}`],
    ...(report.emulated === null ? [] : [['emulated', report.emulated]]),
    ['ended', report.stopReason === null ? `not ended (${report.phase})` : stopWords[report.stopReason]],
    ['reached', reached(report)],
    ['steps', `${count(steps)} in ${duration(wallSeconds * 1000)}`],
    ['examples', `${count(examples)} (${rate(wallSeconds > 0 ? examples / wallSeconds : 0)}/s)`],
    ['pushes', pushes(server)],
  ];
  const hasPeers = report.workers.some(({ bytesToPeers }) => bytesToPeers > 0);
  const rows = [header, ...report.workers.map(row)];
  // The last column is only of interest where workers talk to each other.
  const workers = hasPeers ? rows : rows.map((cells) => cells.slice(0, -1));
  return plainSpaces(`${textTable(facts, 'left')}\n\n${textTable(workers, 'right')}`);
}

/** What became of the pushes; what rarely happens is said only where it did. */
function pushes({ applied, stale, rejected, clipped, lost, dropped }: RunReport['server']): string {
  const rare = Object.entries({ clipped, 'updates lost': lost, 'updates dropped': dropped })
    .filter(([, times]) => times > 0)
    .map(([what, times]) => `, ${count(times)} ${what}`);
  return `${count(applied)} applied, ${count(stale)} stale, ${count(rejected)} rejected${rare.join('')}`;
}

/** Test loss and accuracy as a sentence has them. */
export const resultWords = (loss: number, accuracy: number | null): string =>
  `test loss ${fixed(loss, 4)}${accuracy === null ? '' : `, accuracy ${percent(accuracy, 2)}`}`;

function reached({ testLoss, testAccuracy, best, steps }: RunReport): string {
  if (testLoss === null || best === null) return 'never tested';
  const last = resultWords(testLoss, testAccuracy);
  if (best.loss >= testLoss) return last;
  return `${last} at step ${count(steps)}; best: ${resultWords(best.loss, best.accuracy)} at step ${count(best.step)}`;
}

const header = 'worker,backend,steps,stale,examples,compute,wait,transfer,other,staleness,up,down,to others'.split(',');

function row(worker: WorkerReport): string[] {
  const { waitMs, computeMs, transferMs, ...others } = worker.phases;
  const otherMs = Object.values(others).reduce((sum, ms) => sum + ms, 0);
  const totalMs = waitMs + computeMs + transferMs + otherMs;
  return [
    worker.name,
    worker.backend,
    ...[worker.steps, worker.stale, worker.examples].map(count),
    ...[computeMs, waitMs, transferMs, otherMs].map((ms) => percent(totalMs === 0 ? null : ms / totalMs, 0)),
    `${fixed(worker.staleness.mean, 2)} (max ${worker.staleness.max})`,
    ...[worker.bytesUp.total, worker.bytesDown.total, worker.bytesToPeers].map(bytes),
  ];
}

/** Rows as text: columns as wide as their widest cell; the first always starts at the left. */
export function textTable(rows: readonly (readonly string[])[], align: 'left' | 'right'): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((cells) => cells[column]?.length ?? 0)));
  const pad = (cell: string, column: number) =>
    column === 0 || align === 'left' ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(pad).join('  ').trimEnd()).join('\n');
}
