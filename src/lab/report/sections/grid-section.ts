import { setNumber } from '../../../observe/format.ts';
import type { Measured } from '../../measured.ts';
import { aside, type Section, type Table } from '../block.ts';
import { counts, finePercents, type NumberFormat, seconds, titled } from '../number-words.ts';
import { key, mean, tableOf } from './columns.ts';
import { modeWords, type Setting, type Subject } from './subject.ts';

interface Quantity {
  readonly id: string;
  readonly title: string;
  readonly format: NumberFormat;
  read(setting: Setting): Measured | null;
}

interface Row {
  readonly batch: number;
  /** By how many work together and how. */
  readonly settings: ReadonlyMap<string, Setting>;
}

/** Batch size by mode, a table for each quantity; null where not both vary, or where something else varies too. */
export function gridSection({ settings, target }: Subject): Section | null {
  const modes = [...new Set(settings.map(({ experiment }) => modeWords(experiment)))];
  const batches = [...new Set(settings.map(({ experiment }) => experiment.batch))].sort((a, b) => a - b);
  const rows = batches.map((batch): Row => {
    const own = settings.filter(({ experiment }) => experiment.batch === batch);
    return { batch, settings: new Map(own.map((setting) => [modeWords(setting.experiment), setting])) };
  });
  const places = rows.reduce((sum, row) => sum + row.settings.size, 0);
  if (modes.length < 2 || batches.length < 2 || places < settings.length) return null;
  const tables = quantities(target).map((quantity) => gridTable(quantity, rows, modes));
  const note = aside('One row for every batch size, which is that of one worker; one column for every mode.');
  return { id: 'grid', title: 'By batch size and mode', blocks: [...tables, note] };
}

const quantities = (target: number | null): Quantity[] => [
  target === null
    ? { id: 'epochs', title: 'Time of an epoch', format: seconds, read: ({ epochSeconds }) => epochSeconds }
    : {
        id: 'times',
        title: `Time to a test loss of ${setNumber(target)}`,
        format: seconds,
        read: ({ secondsToTarget }) => secondsToTarget,
      },
  { id: 'steps', title: 'Steps', format: counts, read: ({ steps }) => steps },
  { id: 'accuracy', title: 'Test accuracy', format: finePercents, read: ({ accuracy }) => accuracy },
];

function gridTable({ id, title, format, read }: Quantity, rows: readonly Row[], modes: readonly string[]): Table {
  return tableOf<Row>(`grid-${id}`, titled(title, format), rows, [
    key('Batch', ({ batch }) => batch, setNumber),
    ...modes.map((mode) =>
      mean<Row>(mode, { ...format, unit: '' }, (row) => {
        const setting = row.settings.get(mode);
        return setting === undefined ? null : read(setting);
      }),
    ),
  ]);
}
