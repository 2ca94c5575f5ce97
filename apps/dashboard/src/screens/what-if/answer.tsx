/** The result of the replay next to the recorded turn, with its assumptions. */
import type { TraceEvent, WhatIfAnswer } from '@holdfast/gateway/contract';
import { type ReactNode, useMemo, useState } from 'react';
import { turnPath } from '../../data/routes.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Link } from '../../ui/link.tsx';
import { Section } from '../../ui/page.tsx';
import { Table } from '../../ui/table.tsx';
import { createTurnEvents } from '../turn/turn-events.model.ts';
import type { TurnView } from '@holdfast/core/turn-view';
import { isWhole, type Span, wholeSpan } from '../turn/waterfall/axis.model.ts';
import { findCriticalPath } from '../turn/waterfall/critical-path.model.ts';
import { Legend } from '../turn/waterfall/legend.tsx';
import { rowsOf, type Selection } from '../turn/waterfall/rows.model.ts';
import { Waterfall } from '../turn/waterfall/waterfall.tsx';
import {
  describeCertainty,
  compareSides,
  type ComparisonRow,
  sortByTime,
  describeLateness,
  describeObserved,
  describeSide,
} from './comparison.model.ts';
import style from './what-if.module.css';

function viewOf(events: readonly TraceEvent[]): TurnView {
  const fold = createTurnEvents();
  fold.append(events);
  return fold.view();
}

export interface AnswerProps {
  readonly answer: WhatIfAnswer;
  readonly recorded: TurnView;
  readonly run: number | undefined;
}

export function Answer({ answer, recorded, run }: AnswerProps): ReactNode {
  const unknown = answer.unknown_attempts > 0;
  const share = describeObserved(answer);
  const lateness = describeLateness(answer);
  const replayed = useMemo(() => viewOf(answer.events), [answer]);
  const cell = (value: (row: ComparisonRow) => string) =>
    function Cell(row: ComparisonRow): ReactNode {
      return value(row);
    };
  return (
    <div className={style['answer']}>
      <Section title="Result">
        <p className={style['certainty']}>{describeCertainty(answer)}</p>
        <Table
          caption="The turn replayed with its recorded and with the changed settings, and the bounds of unknown values"
          rows={compareSides(answer)}
          keyOf={({ name }) => name}
          columns={[
            { id: 'name', title: 'Metric', narrow: true, cell: ({ name }) => name },
            { id: 'unchanged', title: 'Recorded settings', align: 'end', cell: cell((row) => row.unchanged) },
            { id: 'replayed', title: 'Changed settings', align: 'end', cell: (row) => <strong>{row.replayed}</strong> },
            ...(answer.ranges ? [{ id: 'within', title: 'Bounds', align: 'end' as const, cell: cell((row) => row.within) }] : []),
            { id: 'change', title: 'Change', narrow: true, cell: (row) => <Change row={row} /> },
            ...(unknown && !answer.ranges
              ? [
                  { id: 'worst', title: 'If unknown attempts fail', align: 'end' as const, cell: cell((row) => row.worst) },
                  { id: 'best', title: 'If they succeed', align: 'end' as const, cell: cell((row) => row.best) },
                ]
              : []),
          ]}
        />
        {lateness !== undefined && <p className="muted">{lateness}</p>}
        {share !== undefined && <p className="muted">{share}</p>}
        {unknown && <p className="muted">In the replay, each attempt that was never made ends like the last one of its tool.</p>}
      </Section>
      <Differences answer={answer} recorded={recorded} replayed={replayed} run={run} />
      {answer.assumptions.length > 0 && (
        <Section title="Assumptions">
          <ul className={style['list']}>
            {answer.assumptions.map((each) => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </Section>
      )}
      <Waterfalls recorded={recorded} replayed={replayed} />
    </div>
  );
}

function Change({ row: { change, better } }: { readonly row: ComparisonRow }): ReactNode {
  if (change === '') return <span className="muted">unchanged</span>;
  return (
    <Badge tone={better === undefined ? 'accent' : better ? 'good' : 'bad'} icon={better === undefined ? 'arrow' : better ? 'up' : 'down'}>
      {change}
      {better !== undefined && <span className="visually-hidden">, {better ? 'better' : 'worse'}</span>}
    </Badge>
  );
}

const maxDifferences = 50;

interface DifferencesProps {
  readonly answer: WhatIfAnswer;
  readonly recorded: TurnView;
  readonly replayed: TurnView;
  readonly run: number | undefined;
}

function Differences({ answer, recorded, replayed, run }: DifferencesProps): ReactNode {
  const differences = sortByTime(answer.differences, recorded, replayed);
  if (differences.length === 0)
    return (
      <Section title="Differences">
        <p>None: with these settings every decision is the same.</p>
      </Section>
    );
  return (
    <Section
      title="Differences"
      note={differences.length > maxDifferences ? `the first ${maxDifferences} of ${differences.length}` : undefined}
    >
      <ol className={style['differences']}>
        {differences.slice(0, maxDifferences).map((difference, index) => (
          <li key={`${difference.where}${index}`} className={index === 0 ? style['first'] : undefined}>
            <div className={style['where']}>
              {index === 0 && <Badge tone="accent">first</Badge>}
              <Link to={turnPath(answer.turn_id, { run, call: difference.call_id })}>{difference.where}</Link>
              {Number.isFinite(difference.atMs) && <span className="muted">{formatDuration(difference.atMs)}</span>}
            </div>
            <div>
              <span className="muted">recorded</span> {describeSide(difference.recorded)}
            </div>
            <div>
              <span className="muted">replayed</span> <strong>{describeSide(difference.replayed)}</strong>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Waterfalls({ recorded, replayed }: { readonly recorded: TurnView; readonly replayed: TurnView }): ReactNode {
  const [chosen, setChosen] = useState<Span>();
  const [selection, setSelection] = useState<Selection>();
  // The same scale for both, so that durations can be compared.
  const whole = { fromMs: 0, toMs: Math.max(wholeSpan(recorded).toMs, wholeSpan(replayed).toMs) };
  const shared = {
    whole,
    span: chosen ?? whole,
    selection,
    onSelect: setSelection,
    onSpan: (span: Span): void => setChosen(isWhole(span, whole) ? undefined : span),
  };
  return (
    <Section title="Recorded and replayed" note="on the same scale">
      <h3>Recorded</h3>
      <Picture view={recorded} {...shared} />
      <h3>Replayed</h3>
      <Picture view={replayed} {...shared} />
      <Legend note="" calls="" />
    </Section>
  );
}

interface PictureProps {
  readonly view: TurnView;
  readonly whole: Span;
  readonly span: Span;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection) => void;
  readonly onSpan: (span: Span) => void;
}

function Picture({ view, whole, span, selection, onSelect, onSpan }: PictureProps): ReactNode {
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const path = useMemo(() => new Set(findCriticalPath(view)), [view]);
  const rows = useMemo(() => rowsOf(view, { expanded, order: 'plan', filter: 'all', search: '', path }), [view, expanded, path]);
  const toggle = (callId: string): void => {
    const next = new Set(expanded);
    if (!next.delete(callId)) next.add(callId);
    setExpanded(next);
  };
  return (
    <Waterfall
      view={view}
      rows={rows}
      path={path}
      whole={whole}
      span={span}
      nowMs={view.elapsedMs}
      selectedMs={undefined}
      selection={selection}
      onSelect={onSelect}
      onToggle={toggle}
      onSpan={onSpan}
    />
  );
}
