/** Owns tables: a caption for everybody, the first column names the row, columns that sort say so. */
import { Fragment, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { Icon } from './icon.tsx';
import { ScrollArea } from './scroll-area.tsx';
import style from './table.module.css';

export interface Column<Row> {
  readonly id: string;
  readonly title: ReactNode;
  readonly cell: (row: Row) => ReactNode;
  /** Numbers stand at the end. @default 'start' */
  readonly align?: 'start' | 'end';
  readonly sortable?: boolean;
  /** Left out where there is little room. @default false */
  readonly late?: boolean;
  /** Never broken into lines. @default false */
  readonly narrow?: boolean;
}

export interface Sort {
  readonly by: string;
  readonly descending: boolean;
}

export interface TableProps<Row> {
  /** For those who do not see what is around it. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  readonly sort?: Sort;
  readonly onSort?: (sort: Sort) => void;
}

export function Table<Row>({ caption, columns, rows, keyOf, sort, onSort }: TableProps<Row>): ReactNode {
  const look = ({ align, late, narrow }: Column<Row>): string =>
    classNames(align === 'end' && style['end'], late === true && style['late'], narrow === true && style['narrow']);
  return (
    <ScrollArea label={caption} className={style['scroll']}>
      <table className={style['table']}>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.id} scope="col" className={look(column)} aria-sort={ariaSort(column, sort)}>
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
                    <th scope="row" className={look(column)}>
                      {column.cell(row)}
                    </th>
                  ) : (
                    <td className={look(column)}>{column.cell(row)}</td>
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
  const own = sort?.by === column.id;
  // Numbers are mostly looked at from the largest down, words from the first on.
  const descending = own ? !sort.descending : column.align === 'end';
  return (
    <button type="button" className={style['sort']} onClick={() => onSort({ by: column.id, descending })}>
      {column.title}
      <Icon name={own ? (sort.descending ? 'down' : 'up') : 'sort'} />
    </button>
  );
}

const ariaSort = <Row,>({ id }: Column<Row>, sort: Sort | undefined): 'ascending' | 'descending' | undefined =>
  sort?.by === id ? (sort.descending ? 'descending' : 'ascending') : undefined;
