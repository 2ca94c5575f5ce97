/** The waterfall with its toolbar: search, filter, order, zoom. */
import { type ReactNode, useMemo, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/field.tsx';
import { pluralize, formatDuration } from '../../ui/format.ts';
import { Toolbar } from '../../ui/parts.tsx';
import { Choice } from '../../ui/tabs.tsx';
import type { TurnView } from '@holdfast/core/turn-view';
import style from './turn.module.css';
import { isWhole, type Span, wholeSpan, zoomSpan } from './waterfall/axis.model.ts';
import { Legend } from './waterfall/legend.tsx';
import { hasTrouble, type RowFilter, type RowOrder, rowsOf, type Selection } from './waterfall/rows.model.ts';
import { Waterfall } from './waterfall/waterfall.tsx';

export interface WaterfallSectionProps {
  /** The turn now, or at the selected time. */
  readonly view: TurnView;
  /** The turn now: it determines the scale. */
  readonly latest: TurnView;
  readonly path: readonly string[];
  readonly nowMs: number;
  readonly selectedMs: number | undefined;
  readonly filter: RowFilter;
  readonly order: RowOrder;
  readonly search: string;
  readonly onChange: (change: { readonly show?: RowFilter; readonly order?: RowOrder; readonly find?: string }) => void;
  readonly selection: Selection | undefined;
  readonly onSelect: (selection: Selection) => void;
  readonly onClose: () => void;
}

export function WaterfallSection(props: WaterfallSectionProps): ReactNode {
  const { view, latest, path, nowMs, selectedMs, filter, order, search, onChange, selection, onSelect, onClose } = props;
  const [expanded, setExpanded] = useState<ReadonlySet<string> | 'all'>(() => new Set(selection === undefined ? [] : [selection.callId]));
  const [chosen, setChosen] = useState<Span>();
  const whole = wholeSpan(selectedMs === undefined && view.status === 'running' ? { ...view, elapsedMs: nowMs } : latest);
  const span = chosen === undefined ? whole : { fromMs: Math.min(chosen.fromMs, whole.toMs - 1), toMs: Math.min(chosen.toMs, whole.toMs) };
  const onPath = useMemo(() => new Set(path), [path]);
  const rows = useMemo(
    () => rowsOf(view, { expanded, order, filter, search, path: onPath }),
    [view, expanded, order, filter, search, onPath],
  );
  const setSpan = (next: Span): void => setChosen(isWhole(next, whole) ? undefined : next);
  const toggle = (callId: string): void =>
    setExpanded((before) => {
      const open = new Set(before === 'all' ? view.calls.map((call) => call.callId) : before);
      if (!open.delete(callId)) open.add(callId);
      return open;
    });
  const allOpen = expanded === 'all';
  return (
    <div className={style['stack']}>
      <Toolbar label="Waterfall" end={<Zoom span={span} whole={whole} onSpan={setSpan} />}>
        <RowFilters view={view} filter={filter} order={order} search={search} onChange={onChange} />
        <Button kind="quiet" aria-pressed={allOpen} onClick={() => setExpanded(allOpen ? new Set() : 'all')}>
          {allOpen ? 'Collapse all' : 'Expand all'}
        </Button>
      </Toolbar>
      <Waterfall
        view={view}
        rows={rows}
        path={onPath}
        whole={whole}
        span={span}
        nowMs={nowMs}
        selectedMs={selectedMs}
        selection={selection}
        onSelect={onSelect}
        onClose={onClose}
        onToggle={toggle}
        onSpan={setSpan}
      />
      <Legend note={lateNote(view, whole)} calls={pluralize(rows.length, 'row')} />
    </div>
  );
}

interface ZoomProps {
  readonly span: Span;
  readonly whole: Span;
  readonly onSpan: (span: Span) => void;
}

function Zoom({ span, whole, onSpan }: ZoomProps): ReactNode {
  const middle = (span.fromMs + span.toMs) / 2;
  return (
    <span className={style['zoom']}>
      {!isWhole(span, whole) && (
        <span className="muted">
          {formatDuration(span.fromMs)} – {formatDuration(span.toMs)}
        </span>
      )}
      <Button kind="quiet" aria-label="Zoom out" title="Zoom out (-)" onClick={() => onSpan(zoomSpan(span, 1 / 0.6, middle, whole))}>
        −
      </Button>
      <Button kind="quiet" aria-label="Zoom in" title="Zoom in (+)" onClick={() => onSpan(zoomSpan(span, 0.6, middle, whole))}>
        +
      </Button>
      <Button kind="quiet" title="Zoom to fit (0)" onClick={() => onSpan(whole)}>
        Fit
      </Button>
    </span>
  );
}

type RowFiltersProps = Pick<WaterfallSectionProps, 'view' | 'filter' | 'order' | 'search' | 'onChange'>;

function RowFilters({ view, filter, order, search, onChange }: RowFiltersProps): ReactNode {
  const trouble = useMemo(() => view.calls.filter(hasTrouble).length, [view]);
  return (
    <>
      <SearchField label="Find calls" value={search} onChange={(find) => onChange({ find })} />
      <Choice<RowFilter>
        label="Filter calls"
        value={filter}
        onChange={(show) => onChange({ show })}
        options={[
          { id: 'all', title: `All (${view.calls.length})` },
          { id: 'trouble', title: `Trouble (${trouble})`, icon: 'alert' },
          { id: 'path', title: 'Critical path' },
        ]}
      />
      <select
        aria-label="Order"
        className={style['select']}
        value={order}
        onChange={(event) => onChange({ order: event.target.value as RowOrder })}
      >
        <option value="begin">By start time</option>
        <option value="plan">By plan</option>
        <option value="duration">Longest first</option>
      </select>
    </>
  );
}

/** A note about late work outside of the visible range. */
function lateNote(view: TurnView, whole: Span): string {
  if (view.status !== 'completed' || view.elapsedMs <= whole.toMs) return '';
  return `Late work continued until ${formatDuration(view.elapsedMs)}, outside of this view.`;
}
