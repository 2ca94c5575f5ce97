/** How the time of the turn was spent: the whole turn, its critical path, and each call. */
import { type ReactNode, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { pluralize, formatDuration, formatPercent } from '../../../ui/format.ts';
import { Disclosure } from '../../../ui/parts.tsx';
import { type Sort, Table } from '../../../ui/table.tsx';
import { CallLink } from '../call-link.tsx';
import type { Ledger, LedgerRow, Spending } from './ledger.model.ts';
import style from './ledger.module.css';

export interface LedgerViewProps {
  readonly ledger: Ledger;
  readonly onCall: (callId: string) => void;
}

const entries: readonly (readonly [keyof Spending, string, string])[] = [
  ['workMs', 'Work', 'work'],
  ['runningMs', 'Running', 'running'],
  ['failedMs', 'Failed attempts', 'failed'],
  ['slotMs', 'Tool slot', 'queue'],
  ['hintMs', 'Rate limit or Retry-After', 'hint'],
  ['recoveryMs', 'Recovery of the tool', 'recovery'],
  ['backoffMs', 'Backoff', 'backoff'],
  ['lateMs', 'Process late', 'late'],
  ['dependencyMs', 'Dependencies', 'wait'],
  ['placeMs', 'Turn slot', 'wait'],
  ['otherMs', 'Overhead', 'other'],
];

export function LedgerView({ ledger, onCall }: LedgerViewProps): ReactNode {
  const { durationMs, timeoutMs, unspentMs, turn, path } = ledger;
  return (
    <div className={style['ledger']}>
      <Account
        title="Turn"
        rest="Model or idle"
        note="A moment counts as work while an attempt that succeeds is running, as failed while only other attempts are running, and otherwise as what a call waits for."
        spent={turn}
        wholeMs={timeoutMs === undefined ? durationMs : Math.max(timeoutMs, durationMs)}
        unspentMs={unspentMs}
      />
      <Account
        title="Critical path"
        rest="Overhead"
        note="Only a shorter critical path makes the turn shorter."
        spent={path}
        wholeMs={entries.reduce((sum, [entry]) => sum + path[entry], 0)}
        unspentMs={undefined}
      />
      {ledger.lostToOptional.map(({ callId, failedMs }) => (
        <p key={callId}>
          {formatDuration(failedMs)} of the critical path are failed attempts of <CallLink callId={callId} onCall={onCall} />, which is
          optional: a shorter time limit would end the turn earlier.
        </p>
      ))}
      <Calls ledger={ledger} onCall={onCall} />
    </div>
  );
}

interface AccountProps {
  readonly title: string;
  readonly note: string;
  /** The name of the remaining time. */
  readonly rest: string;
  readonly spent: Spending;
  readonly wholeMs: number;
  readonly unspentMs: number | undefined;
}

function Account({ title, note, rest, spent, wholeMs, unspentMs }: AccountProps): ReactNode {
  const parts = [
    ...entries.map(([entry, name, className]) => ({ name: entry === 'otherMs' ? rest : name, className, ms: spent[entry] })),
    ...(unspentMs === undefined ? [] : [{ name: 'Left until the deadline', className: 'unspent', ms: unspentMs }]),
  ].filter(({ ms }) => ms > 0.5);
  return (
    <section className={style['account']} aria-label={title}>
      <h2>
        {title} <span className="muted">{formatDuration(wholeMs)}</span>
      </h2>
      <div className={style['bar']} aria-hidden="true">
        {parts.map(({ name, className, ms }) => (
          <div
            key={name}
            className={classNames(style['part'], style[className])}
            style={{ flexGrow: ms }}
            title={`${name}: ${formatDuration(ms)}`}
          />
        ))}
      </div>
      <dl className={style['parts']}>
        {parts.map(({ name, className, ms }) => (
          <div key={name}>
            <dt>
              <span className={classNames(style['key'], style[className])} aria-hidden="true" />
              {name}
            </dt>
            <dd>
              {formatDuration(ms)} <span className="muted">{formatPercent(ms / Math.max(1, wholeMs))}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted">{note}</p>
    </section>
  );
}

const maxRows = 200;

function Calls({ ledger, onCall }: LedgerViewProps): ReactNode {
  const [sort, setSort] = useState<Sort>({ by: 'own', descending: true });
  const sorted = sortRows(ledger.rows, sort);
  const shown = sorted.slice(0, maxRows);
  return (
    <div>
      <Table
        caption="How the time of each call was spent, and the time left until the deadline at its start"
        rows={shown}
        keyOf={({ callId }) => callId}
        sort={sort}
        onSort={setSort}
        columns={columnsOf(ledger, onCall)}
      />
      {sorted.length > shown.length && (
        <p className="muted">
          The first {maxRows} of {pluralize(sorted.length, 'call')} in this order.
        </p>
      )}
      <Disclosure summary="How this is counted">
        <p>
          Work: attempts that succeeded; concurrent ones count once. Failed attempts: those that failed, timed out or were cut off.
          Dependencies: waiting for the last call it depends on. Turn slot: the turn was at its concurrency limit. Tool slot: all slots of
          the tool were in use. Backoff: waiting before retries. Process late: the process was busy when a backoff was over. ● marks the
          calls on the critical path.
        </p>
      </Disclosure>
    </div>
  );
}

const sortKeys: Readonly<Record<string, (row: LedgerRow) => number>> = {
  begin: ({ startedMs }) => startedMs ?? Number.POSITIVE_INFINITY,
  left: ({ leftAtStartMs }) => leftAtStartMs ?? -1,
  own: ({ ownMs }) => ownMs,
  ...Object.fromEntries(entries.map(([entry]) => [entry, ({ spent }: LedgerRow) => spent[entry]])),
};

function sortRows(rows: readonly LedgerRow[], { by, descending }: Sort): readonly LedgerRow[] {
  const value = sortKeys[by] ?? (({ index }) => index);
  return rows.toSorted((a, b) => (descending ? value(b) - value(a) : value(a) - value(b)) || a.index - b.index);
}

type Columns = Parameters<typeof Table<LedgerRow>>[0]['columns'];

function columnsOf({ rows, timeoutMs }: Ledger, onCall: LedgerViewProps['onCall']): Columns {
  const left: Columns = [
    {
      id: 'left',
      title: 'Time left',
      align: 'end',
      sortable: true,
      narrow: true,
      cell: ({ leftAtStartMs }) => formatDuration(leftAtStartMs),
    },
  ];
  return [
    {
      id: 'call',
      title: 'Call',
      cell: ({ callId, onPath }) => (
        <>
          <CallLink callId={callId} onCall={onCall} title={onPath ? 'On the critical path' : undefined} />
          {onPath && <span title="On the critical path"> ●</span>}
        </>
      ),
    },
    { id: 'begin', title: 'Started', align: 'end', sortable: true, narrow: true, cell: ({ startedMs }) => formatDuration(startedMs) },
    ...(timeoutMs === undefined ? [] : left),
    {
      id: 'own',
      title: 'Duration',
      align: 'end',
      sortable: true,
      narrow: true,
      cell: ({ ownMs, startedMs }) => formatDuration(startedMs === undefined ? undefined : ownMs),
    },
    ...entries
      .filter(([entry]) => entry !== 'otherMs' && rows.some(({ spent }) => spent[entry] >= 0.5))
      .map(([entry, title]) => timeColumn(entry, title, entry !== 'workMs' && entry !== 'failedMs')),
  ];
}

function timeColumn(id: keyof Spending, title: string, late = true): Columns[number] {
  return {
    id,
    title,
    align: 'end',
    sortable: true,
    secondary: late,
    narrow: true,
    cell: ({ spent }) => (spent[id] < 0.5 ? <span className="muted">–</span> : formatDuration(spent[id])),
  };
}
