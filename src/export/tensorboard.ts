import type { TrainPoint } from '../core/server/progress.ts';
import { pressures, type TimedSample } from '../core/wire/resources.ts';
import type { RunReport } from '../observe/run-report.ts';
import { eventFile, type Scalar } from './event-file.ts';
import type { RunFile } from './run-file.ts';
import { resourceColumn, resourceKeys } from './run-tables.ts';
import { safeName, uniqueNames } from './safe-name.ts';

/**
 * The run as TensorBoard event files: a folder for each worker with its curve and what its tab used, one for the
 * evaluation, one for the training curve, and one for each other node that was watched. They share tags, so that
 * TensorBoard draws them in one chart.
 */
export function tensorboardFiles(report: RunReport): RunFile[] {
  const startedAtMs = Date.parse(report.startedAt);
  const folders = foldersOf(report, startedAtMs).filter(({ scalars }) => scalars.length > 0);
  const file = `events.out.tfevents.${Math.floor(startedAtMs / 1000)}.manyhands`;
  return folders.map(({ folder, scalars }) => {
    const inTime = scalars.sort((a, b) => a.wallMs - b.wallMs);
    return { path: `tensorboard/${safeName(report.id)}/${folder}/${file}`, bytes: eventFile(startedAtMs, inTime) };
  });
}

function foldersOf({ workers, series, resources }: RunReport, startedAtMs: number) {
  const unique = uniqueNames();
  const evaluation = { folder: unique('evaluation'), scalars: scalarsOf(series.test, ['loss', 'accuracy', 'auc']) };
  const training = { folder: unique('training'), scalars: scalarsOf(series.train, ['loss']) };
  const ofWorkers = new Map(
    workers.map(({ worker, name, curve }) => {
      const folder = unique(`worker-${worker}-${name}`);
      return [worker, { folder, scalars: scalarsOf(curve, ['loss', 'accuracy']) }] as const;
    }),
  );
  const ofNodes = resources.map(({ node, worker, source, samples }) => {
    const scalars = resourceScalars(samples, startedAtMs, series.train);
    const own = worker === null ? undefined : ofWorkers.get(worker);
    if (own && source === 'tab') {
      own.scalars.push(...scalars);
      return { folder: own.folder, scalars: [] };
    }
    return { folder: unique(`${own?.folder ?? node}${source === 'process' ? '-process' : ''}`), scalars };
  });
  return [evaluation, training, ...ofWorkers.values(), ...ofNodes];
}

function scalarsOf<Tag extends string>(
  points: readonly (TrainPoint & { readonly [Key in Tag]: number | null })[],
  tags: readonly Tag[],
): Scalar[] {
  return points.flatMap((point) =>
    tags.flatMap((tag) => {
      const value = point[tag];
      return value === null ? [] : [{ tag, step: point.step, wallMs: point.wallMs, value }];
    }),
  );
}

/** At the step that training had reached by then. Pressure counts up from 0, nominal. */
function resourceScalars(samples: readonly TimedSample[], startedAtMs: number, train: readonly TrainPoint[]): Scalar[] {
  let reached = 0;
  return samples.flatMap((sample) => {
    const wallMs = startedAtMs + sample.atMs;
    while ((train[reached]?.wallMs ?? Number.POSITIVE_INFINITY) <= wallMs) reached++;
    const step = train[reached - 1]?.step ?? 0;
    return resourceKeys.flatMap((key) => {
      const value = key === 'pressure' ? pressureLevel(sample.pressure) : sample[key];
      return value === null ? [] : [{ tag: `resources/${resourceColumn(key)}`, step, wallMs, value }];
    });
  });
}

const pressureLevel = (pressure: TimedSample['pressure']): number | null =>
  pressure === null ? null : pressures.indexOf(pressure);
