export type CellValue = string | number | boolean | null;

/** A cell that any reader of RFC 4180 takes as it is, and that no spreadsheet takes for a formula; empty for what is not known. */
export function cell(value: CellValue): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : '';
  if (typeof value !== 'string') return value === null ? '' : String(value);
  const inert = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A head and one line for each row; lines end in CRLF as RFC 4180 says. */
export const csv = (columns: readonly string[], rows: readonly (readonly CellValue[])[]): string =>
  [columns, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('');
