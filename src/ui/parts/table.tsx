import type { ComponentChildren } from 'preact';
import { Scroll } from './scroll.tsx';

/** A column of a table: its head, and what each row has in it. */
export interface Column<Row> {
  readonly name: string;
  /** Shown as the head in place of the name. */
  readonly head?: ComponentChildren;
  readonly hint?: string;
  readonly class?: string | ((row: Row) => string);
  /** Whether its cells name their rows. */
  readonly isName?: boolean;
  readonly cell: (row: Row) => ComponentChildren;
  readonly title?: (row: Row) => string | undefined;
}

/** A column of numbers, set to the right. */
export const number = <Row,>(name: string, cell: Column<Row>['cell'], hint = ''): Column<Row> => ({
  name,
  cell,
  class: 'number',
  hint,
});

/** The cross that takes a row away. */
export function Cross({ label, title, onClick }: { label: string; title: string; onClick(): void }) {
  return (
    <button type="button" class="quiet" aria-label={label} title={title} onClick={onClick}>
      ×
    </button>
  );
}

interface TableProps<Row> {
  /** What it is, for who does not see what is around it. */
  readonly label: string;
  readonly class?: string;
  readonly caption?: ComponentChildren;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Rows that follow each other with the same group are one body of the table. */
  readonly groupOf?: (row: Row) => string;
  readonly rowProps?: (row: Row) => { readonly class?: string | undefined; readonly title?: string | undefined };
  /** Scrolls on its own where it is long. */
  readonly isTall?: boolean;
}

/** A table of rows, which scrolls sideways where the page is narrower. */
export function Table<Row>(props: TableProps<Row>) {
  const { label, caption, columns, rows, keyOf, groupOf = () => '', rowProps, isTall = false } = props;
  const bodies: { group: string; rows: Row[] }[] = [];
  for (const row of rows) {
    const last = bodies.at(-1);
    if (last?.group === groupOf(row)) last.rows.push(row);
    else bodies.push({ group: groupOf(row), rows: [row] });
  }
  return (
    <Scroll label={label} isTall={isTall}>
      <table class={props.class} aria-label={caption === undefined ? label : undefined}>
        {caption !== undefined && <caption>{caption}</caption>}
        <thead>
          <tr>
            {columns.map(({ name, head, hint, class: kind }) => (
              <th key={name} scope="col" class={typeof kind === 'string' ? kind : undefined} title={hint || undefined}>
                {head ?? name}
              </th>
            ))}
          </tr>
        </thead>
        {bodies.map((body) => (
          <tbody key={body.group} data-group={body.group || undefined}>
            {body.rows.map((row) => (
              <tr key={keyOf(row)} {...rowProps?.(row)}>
                {columns.map((column) => (
                  <Cell key={column.name} column={column} row={row} />
                ))}
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </Scroll>
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { class: kind, isName, cell, title } = column;
  const props = { class: typeof kind === 'function' ? kind(row) : kind, title: title?.(row) };
  return isName ? (
    <th scope="row" {...props}>
      {cell(row)}
    </th>
  ) : (
    <td {...props}>{cell(row)}</td>
  );
}
