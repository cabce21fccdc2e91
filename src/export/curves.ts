import type { TrainPoint } from '../core/server/progress.ts';
import { emulatedWords } from '../experiment/emulated.ts';
import type { Experiment } from '../experiment/experiment.ts';
import type { RunNumbers } from '../observe/run-numbers.ts';
import type { Series } from '../observe/run-report.ts';
import { type CellValue, csv } from './csv.ts';

/** A run's curves as they are written to files. */
export interface Curves extends Series {
  readonly id: string;
  readonly experiment: Experiment;
  readonly startedAtMs: number;
  readonly summary: RunNumbers | null;
}

const settingColumns = ['strategy', 'workers', 'batch', 'lr', 'optimizer', 'up', 'down', 'seed'] as const;
const pointColumns = ['emulated', 'curve', 'step', 'seconds', 'time', 'examples', 'loss', 'accuracy'];

/** One line per point of every curve, with the run's settings repeated on each; lines end in CRLF as RFC 4180 says. */
export function curvesToCsv(runs: readonly Curves[]): string {
  const rows = runs.flatMap(({ id, experiment, train, test }) => {
    const run = [id, ...settingColumns.map((key) => experiment[key]), emulatedWords(experiment)];
    const row = (curve: string, point: TrainPoint, examples: number | null, accuracy: number | null): CellValue[] => {
      const time = new Date(point.wallMs).toISOString();
      return [...run, curve, point.step, point.elapsedMs / 1000, time, examples, point.loss, accuracy];
    };
    return [
      ...train.map((point) => row('train', point, null, null)),
      ...test.map((point) => row('test', point, point.examples, point.accuracy)),
    ];
  });
  return csv(['run', ...settingColumns, ...pointColumns], rows);
}

/** The runs as they are, experiment included, so that a file is enough to repeat them; those under made-up conditions say so. */
export function curvesToJson(runs: readonly Curves[]): string {
  const marked = runs.map((run) => ({ emulated: emulatedWords(run.experiment), ...run }));
  return `${JSON.stringify(marked, null, 1)}\n`;
}
