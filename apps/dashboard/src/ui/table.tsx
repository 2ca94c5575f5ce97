/** A table: it has a caption, the first column is the row header, and sortable columns are marked. */
import { Fragment, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import { ScrollArea } from './scroll-area.tsx';
import style from './table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers are aligned at the end. @default 'start' */
  readonly align?: 'start' | 'end';
  readonly sortable?: boolean;
  /** Hidden on narrow screens. @default false */
  readonly secondary?: boolean;
  /** No line breaks. @default false */
  readonly narrow?: boolean;
}

export interface Sort {
  readonly by: string;
  readonly descending: boolean;
}

export interface TableProps<Row> {
  /** For screen readers. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
}

export function Table<Row>({ caption, columns, rows, keyOf, sort, onSort }: TableProps<Row>): ReactNode {
  const cellClass = ({ align, secondary, narrow }: Column<Row>): string =>
    classNames(align === 'end' && style['end'], secondary === true && style['secondary'], narrow === true && style['narrow']);
  return (
    <ScrollArea label={caption} className={style['scroll']}>
      <table className={style['table']}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={cellClass(column)} aria-sort={ariaSort(column, sort)}>
                {column.sortable === true && onSort ? <SortButton column={column} sort={sort} onSort={onSort} /> : column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                <Fragment key={column.id}>
                  {index === 0 ? (
                    <th scope="row" className={cellClass(column)}>
                      {column.cell(row)}
                    </th>
                  ) : (
                    <td className={cellClass(column)}>{column.cell(row)}</td>
                  )}
                </Fragment>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </ScrollArea>
  );
}

interface SortButtonProps<Row> {
  readonly column: Column<Row>;
  readonly sort: Sort | undefined;
  readonly onSort: (sort: Sort) => void;
}

function SortButton<Row>({ column, sort, onSort }: SortButtonProps<Row>): ReactNode {
  const active = sort?.by === column.id;
  // Numbers start with the largest, text with the first in alphabetical order.
  const descending = active ? !sort.descending : column.align === 'end';
  return (
    <button type="button" className={style['sort']} onClick={() => onSort({ by: column.id, descending })}>
      {column.title}
      <Icon name={active ? (sort.descending ? 'down' : 'up') : 'sort'} />
    </button>
  );
}

const ariaSort = <Row,>({ id }: Column<Row>, sort: Sort | undefined): 'ascending' | 'descending' | undefined =>
  sort?.by === id ? (sort.descending ? 'descending' : 'ascending') : undefined;
