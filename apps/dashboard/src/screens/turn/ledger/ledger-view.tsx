/** Where the time of the turn went: the turn as a whole, its longest chain, and each call with what was left when it began. */
import { type ReactNode, useState } from 'react';
import { classNames } from '../../../ui/class-names.ts';
import { count, duration, percent } from '../../../ui/format.ts';
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
  ['backoffMs', 'Backoff', 'backoff'],
  ['queueMs', 'Queue', 'queue'],
  ['dependencyMs', 'Dependencies', 'wait'],
  ['placeMs', 'Place in the turn', 'wait'],
  ['otherMs', 'Our own steps', 'other'],
];

export function LedgerView({ ledger, onCall }: LedgerViewProps): ReactNode {
  const { durationMs, timeoutMs, unspentMs, turn, path } = ledger;
  return (
    <div className={style['ledger']}>
      <Account
        title="The turn"
        rest="Model or idle"
        note="A moment counts as work when any call works in it, else as queue or backoff when any waits so."
        spent={turn}
        wholeMs={timeoutMs === undefined ? durationMs : Math.max(timeoutMs, durationMs)}
        unspentMs={unspentMs}
      />
      <Account
        title="Its longest chain of calls"
        rest="Our own steps"
        note="Only what is shortened here makes the turn shorter."
        spent={path}
        wholeMs={entries.reduce((sum, [entry]) => sum + path[entry], 0)}
        unspentMs={undefined}
      />
      <Calls ledger={ledger} onCall={onCall} />
    </div>
  );
}

interface AccountProps {
  readonly title: string;
  readonly note: string;
  /** What the rest is called. */
  readonly rest: string;
  readonly spent: Spending;
  readonly wholeMs: number;
  readonly unspentMs: number | undefined;
}

function Account({ title, note, rest, spent, wholeMs, unspentMs }: AccountProps): ReactNode {
  const parts = [
    ...entries.map(([entry, name, look]) => ({ name: entry === 'otherMs' ? rest : name, look, ms: spent[entry] })),
    ...(unspentMs === undefined ? [] : [{ name: 'Left of the deadline', look: 'unspent', ms: unspentMs }]),
  ].filter(({ ms }) => ms > 0.5);
  return (
    <section className={style['account']} aria-label={title}>
      <h2>
        {title} <span className="muted">{duration(wholeMs)}</span>
      </h2>
      <div className={style['bar']} aria-hidden="true">
        {parts.map(({ name, look, ms }) => (
          <div key={name} className={classNames(style['part'], style[look])} style={{ flexGrow: ms }} title={`${name}: ${duration(ms)}`} />
        ))}
      </div>
      <dl className={style['parts']}>
        {parts.map(({ name, look, ms }) => (
          <div key={name}>
            <dt>
              <span className={classNames(style['key'], style[look])} aria-hidden="true" />
              {name}
            </dt>
            <dd>
              {duration(ms)} <span className="muted">{percent(ms / Math.max(1, wholeMs))}</span>
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted">{note}</p>
    </section>
  );
}

const mostRows = 200;

function Calls({ ledger, onCall }: LedgerViewProps): ReactNode {
  const [sort, setSort] = useState<Sort>({ by: 'own', descending: true });
  const by: Readonly<Record<string, (row: LedgerRow) => number>> = {
    begin: ({ startedMs }) => startedMs ?? Number.POSITIVE_INFINITY,
    left: ({ leftAtStartMs }) => leftAtStartMs ?? -1,
    own: ({ ownMs }) => ownMs,
    ...Object.fromEntries(entries.map(([entry]) => [entry, ({ spent }: LedgerRow) => spent[entry]])),
  };
  const value = by[sort.by] ?? (({ index }) => index);
  const sorted = ledger.rows.toSorted((a, b) => (sort.descending ? value(b) - value(a) : value(a) - value(b)) || a.index - b.index);
  const shown = sorted.slice(0, mostRows);
  const time = (id: keyof Spending, title: string, late = true): Parameters<typeof Table<LedgerRow>>[0]['columns'][number] => ({
    id,
    title,
    align: 'end',
    sortable: true,
    late,
    narrow: true,
    cell: ({ spent }) => (spent[id] < 0.5 ? <span className="muted">–</span> : duration(spent[id])),
  });
  return (
    <div>
      <Table
        caption="Where the time of each call went, and what was left of the deadline when it began"
        rows={shown}
        keyOf={({ callId }) => callId}
        sort={sort}
        onSort={setSort}
        columns={[
          {
            id: 'call',
            title: 'Call',
            cell: ({ callId, onPath }) => (
              <>
                <CallLink callId={callId} onCall={onCall} title={onPath ? 'On the longest chain' : undefined} />
                {onPath && <span title="On the longest chain"> ●</span>}
              </>
            ),
          },
          { id: 'begin', title: 'Began', align: 'end', sortable: true, narrow: true, cell: ({ startedMs }) => duration(startedMs) },
          ...(ledger.timeoutMs === undefined
            ? []
            : [
                {
                  id: 'left',
                  title: 'Left then',
                  align: 'end' as const,
                  sortable: true,
                  narrow: true,
                  cell: ({ leftAtStartMs }: LedgerRow) => duration(leftAtStartMs),
                },
              ]),
          {
            id: 'own',
            title: 'Took',
            align: 'end',
            sortable: true,
            narrow: true,
            cell: ({ ownMs, startedMs }) => duration(startedMs === undefined ? undefined : ownMs),
          },
          time('workMs', 'Work', false),
          time('backoffMs', 'Backoff'),
          time('queueMs', 'Queue'),
          time('dependencyMs', 'Dependencies'),
          time('placeMs', 'Place'),
        ]}
      />
      {sorted.length > shown.length && (
        <p className="muted">
          The first {mostRows} of {count(sorted.length, 'call')} in this order.
        </p>
      )}
      <Disclosure summary="How this is counted">
        <p>
          Dependencies: until the last call it needs had ended. Place: the turn already ran as many calls as it may. Queue: for a slot or a
          rate limit of its tool. Backoff: before retries. Work: its attempts; two at once count once. ● marks the calls of the longest
          chain.
        </p>
      </Disclosure>
    </div>
  );
}
