import type { Measured } from '../../measured.ts';
import type { Cell, Column, Table } from '../block.ts';
import type { Look } from '../figures/palette.ts';
import { bare, meanAndSpread, type NumberFormat } from '../number-words.ts';

/** A column together with how a row fills it. */
export interface Field<Row> extends Column {
  cell(row: Row): Cell;
}

/** A table of these rows; columns in which no row has anything are left out. */
export function tableOf<Row>(id: string, caption: string, rows: readonly Row[], fields: readonly Field<Row>[]): Table {
  const filled = fields.map((field) => ({ field, cells: rows.map((row) => field.cell(row)) }));
  const used = filled.filter(
    ({ cells }, at) => at === 0 || cells.some(({ raw }) => raw.some((value) => value !== null)),
  );
  return {
    kind: 'table',
    id,
    caption,
    columns: used.map(({ field: { title, names, isNumber } }) => ({ title, names, isNumber })),
    rows: rows.map((_, at) => used.map(({ cells }) => cells[at] as Cell)),
  };
}

/** A column of words. */
export const words = <Row>(
  title: string,
  read: (row: Row) => string | null,
  look?: (row: Row) => Look,
): Field<Row> => ({
  title,
  names: [title.toLowerCase()],
  isNumber: false,
  cell: (row) => ({ text: read(row) ?? '–', raw: [read(row)], ...(look && { look: look(row) }) }),
});

const headed = (title: string, { unit }: NumberFormat): string => (unit === '' ? title : `${title}, ${unit}`);
/** To as many digits as a measurement can have: what multiplying adds beyond them is noise. */
const scaled = (value: number | null | undefined, { scale }: NumberFormat): number | null =>
  value === null || value === undefined ? null : Number((value * scale).toPrecision(12));

/** A column of numbers. */
export const number = <Row>(title: string, format: NumberFormat, read: (row: Row) => number | null): Field<Row> => ({
  title: headed(title, format),
  names: [headed(title.toLowerCase(), format)],
  isNumber: true,
  cell: (row) => {
    const value = read(row);
    return { text: bare(value, format), raw: [scaled(value, format)] };
  },
});

/** A column of means with their spreads. */
export const mean = <Row>(title: string, format: NumberFormat, read: (row: Row) => Measured | null): Field<Row> => {
  const name = headed(title.toLowerCase(), format);
  return {
    title: headed(title, format),
    names: [name, `${name}, spread`],
    isNumber: true,
    cell: (row) => {
      const value = read(row);
      return { text: meanAndSpread(value, format), raw: [scaled(value?.mean, format), scaled(value?.spread, format)] };
    },
  };
};

/** A word as it begins a title. */
export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
