import { NOTHING } from '../../../observe/format.ts';
import { type Look, workerLook } from '../../../observe/look.ts';
import type { Measured } from '../../measured.ts';
import type { Cell, Column, Table } from '../block.ts';
import { bare, meanAndSpread, type NumberFormat, titled } from '../number-words.ts';
import type { Setting } from './subject.ts';

/** A column together with how a row fills it. */
export interface FilledColumn<Row> extends Column {
  cell(row: Row): Cell;
}

/** A table of these rows; columns in which no row has anything are left out. */
export function tableOf<Row>(
  id: string,
  caption: string,
  rows: readonly Row[],
  columns: readonly FilledColumn<Row>[],
): Table {
  const filled = columns.map((column) => ({ column, cells: rows.map((row) => column.cell(row)) }));
  const used = filled.filter(
    ({ cells }, at) => at === 0 || cells.some(({ raw }) => raw.some((value) => value !== null)),
  );
  return {
    kind: 'table',
    id,
    caption,
    columns: used.map(({ column: { title, names, isNumber } }) => ({ title, names, isNumber })),
    rows: rows.map((_, at) => used.map(({ cells }) => cells[at] as Cell)),
  };
}

/** A column of words. */
export const words = <Row>(
  title: string,
  read: (row: Row) => string | null,
  look?: (row: Row) => Look,
): FilledColumn<Row> => ({
  title,
  names: [title.toLowerCase()],
  isNumber: false,
  cell: (row) => ({ text: read(row) ?? NOTHING, raw: [read(row)], ...(look && { look: look(row) }) }),
});

/** To as many digits as a measurement can have: what multiplying adds beyond them is noise. */
const scaled = (value: number | null | undefined, { scale }: NumberFormat): number | null =>
  value === null || value === undefined ? null : Number((value * scale).toPrecision(12));

/** A column of numbers, each row's in a format of its own if it is given as a function. */
export function number<Row>(
  title: string,
  format: NumberFormat | ((row: Row) => NumberFormat),
  read: (row: Row) => number | null,
): FilledColumn<Row> {
  const headed = (name: string) => (typeof format === 'function' ? name : titled(name, format));
  return {
    title: headed(title),
    names: [headed(title.toLowerCase())],
    isNumber: true,
    cell: (row) => {
      const own = typeof format === 'function' ? format(row) : format;
      return { text: bare(read(row), own), raw: [scaled(read(row), own)] };
    },
  };
}

/** A column of means with their spreads. */
export function mean<Row>(title: string, format: NumberFormat, read: (row: Row) => Measured | null): FilledColumn<Row> {
  const name = titled(title.toLowerCase(), format);
  return {
    title: titled(title, format),
    names: [name, `${name}, spread`],
    isNumber: true,
    cell: (row) => {
      const value = read(row);
      return { text: meanAndSpread(value, format), raw: [scaled(value?.mean, format), scaled(value?.spread, format)] };
    },
  };
}

/** A first column of numbers that name their rows. */
export const key = <Row>(title: string, read: (row: Row) => number, text: (value: number) => string) => ({
  ...words<Row>(title, () => null),
  cell: (row: Row): Cell => ({ text: text(read(row)), raw: [read(row)] }),
});

/** What is not a worker is drawn in the colour of text. */
export const nodeLook = (worker: number | null): Look =>
  worker === null ? { colour: 'ink', isDashed: false } : workerLook(worker);

/** A column of names in their own colours. */
export const named = (title: string): FilledColumn<{ readonly name: string; readonly look: Look }> =>
  words(
    title,
    ({ name }) => name,
    ({ look }) => look,
  );

/** The setting that a row belongs to, in its colour. */
export const ofSetting: FilledColumn<{ readonly setting: Setting }> = {
  ...named('Setting'),
  cell: ({ setting }) => named('Setting').cell(setting),
};

/** The node that a row is about, in its colour. */
export const ofNode: FilledColumn<{ readonly node: string; readonly worker: number | null }> = words(
  'Node',
  ({ node }) => node,
  ({ worker }) => nodeLook(worker),
);

/** A word as it begins a title. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
