import type { Experiment } from '../core/config.ts';
import type { TestPoint, TrainPoint } from '../core/progress.ts';
import type { RunNumbers } from '../core/run-numbers.ts';
import { emulatedWords } from './emulated.ts';

/** A run's curves as they are written to files. */
export interface Curves {
  readonly id: string;
  readonly experiment: Experiment;
  readonly startedAtMs: number;
  readonly summary: RunNumbers | null;
  readonly train: readonly TrainPoint[];
  readonly test: readonly TestPoint[];
}

const columns = [
  'run',
  'strategy',
  'workers',
  'batch',
  'lr',
  'optimizer',
  'up',
  'down',
  'seed',
  'emulated',
  'curve',
  'step',
  'seconds',
  'time',
  'examples',
  'loss',
  'accuracy',
] as const;

/** A cell that any reader of RFC 4180 takes as it is, and that no spreadsheet takes for a formula. */
function cell(value: string | number): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** One line per point of every curve, with the run's settings repeated on each; lines end in CRLF as RFC 4180 says. */
export function curvesToCsv(runs: readonly Curves[]): string {
  const lines: string[] = [columns.join(',')];
  for (const { id, experiment: e, train, test } of runs) {
    const settings = [e.strategy, e.workers, e.batch, e.lr, e.optimizer, e.up, e.down, e.seed];
    const run = [id, ...settings, emulatedWords(e) ?? ''].map(cell).join(',');
    const add = (curve: string, point: TrainPoint, examples: number | '', accuracy: number | '') => {
      const time = new Date(point.wallMs).toISOString();
      const values = [curve, point.step, point.elapsedMs / 1000, time, examples, point.loss, accuracy];
      lines.push(`${run},${values.map(cell).join(',')}`);
    };
    for (const point of train) add('train', point, '', '');
    for (const point of test) add('test', point, point.examples, point.accuracy);
  }
  return `${lines.join('\r\n')}\r\n`;
}

/** The runs as they are, experiment included, so that a file is enough to repeat them; those under made-up conditions say so. */
export function curvesToJson(runs: readonly Curves[]): string {
  const marked = runs.map((run) => ({ emulated: emulatedWords(run.experiment), ...run }));
  return `${JSON.stringify(marked, null, 1)}\n`;
}
