import { workerLook } from '../../../observe/look.ts';
import type { WorkerSummary } from '../../summary.ts';
import { aside, type Section } from '../block.ts';
import { counts, losses, percents, seconds } from '../number-words.ts';
import { mean, ofSetting, tableOf, words } from './columns.ts';
import type { Setting, Subject } from './subject.ts';

interface Row extends WorkerSummary {
  readonly setting: Setting;
}

/** What a worker is called in every table and chart. */
export const workerName = (worker: number): string => `worker ${worker}`;

/** Every worker of every setting; null if none took a step. */
export function workerSection({ settings }: Subject): Section | null {
  const rows = settings.flatMap((setting) => setting.workers.map((worker): Row => ({ ...worker, setting })));
  if (rows.length === 0) return null;
  const table = tableOf<Row>('workers', 'What each worker did', rows, [
    ofSetting,
    words(
      'Worker',
      ({ worker }) => workerName(worker),
      ({ worker }) => workerLook(worker),
    ),
    words('Name', ({ names }) => names.join(', ')),
    words('Backend', ({ backends }) => backends.join(', ')),
    mean('Steps', counts, ({ steps }) => steps),
    mean('Stale', counts, ({ stale }) => (stale?.max === 0 ? null : stale)),
    mean('Computing', seconds, ({ computeSeconds }) => computeSeconds),
    mean('Examples', counts, ({ examples }) => examples),
    mean('Accuracy', percents, ({ accuracy }) => accuracy),
    mean('Loss', losses, ({ loss }) => loss),
  ]);
  const note = aside(
    'Accuracy and loss are of the worker’s own last batches, by the parameters it had. Steps are all that it handed in; ' +
      'those beyond what the run counted were under way when it ended. A synchronous step has one of each worker.',
  );
  return { id: 'workers', title: 'Workers', blocks: [table, note] };
}
