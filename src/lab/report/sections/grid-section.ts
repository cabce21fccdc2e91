import { setNumber } from '../../../observe/format.ts';
import { aside, type Section } from '../block.ts';
import { titled } from '../number-words.ts';
import { key, mean, tableOf } from './columns.ts';
import { epochTime, stepCount, testAccuracy, timeToTarget } from './quantities.ts';
import { modeWords, type Setting, type Subject } from './subject.ts';

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
  const first = target === null ? { epochs: epochTime } : { times: timeToTarget(target) };
  const tables = Object.entries({ ...first, steps: stepCount, accuracy: testAccuracy }).map(
    ([id, { title, format, read }]) =>
      tableOf<Row>(`grid-${id}`, titled(title, format), rows, [
        key('Batch', ({ batch }) => batch, setNumber),
        ...modes.map((mode) =>
          mean<Row>(mode, { ...format, unit: '' }, (row) => {
            const setting = row.settings.get(mode);
            return setting === undefined ? null : read(setting);
          }),
        ),
      ]),
  );
  const note = aside('One row for every batch size, which is that of one worker; one column for every mode.');
  return { id: 'grid', title: 'By batch size and mode', blocks: [...tables, note] };
}
