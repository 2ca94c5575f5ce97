/** The turns screen: recorded turns, newest first, with filters and live updates. */
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react';
import { useLivePart } from '../../data/live.tsx';
import type { StateOf } from '../../data/url-state.ts';
import { useUrlState } from '../../data/use-url-state.ts';
import { Button } from '../../ui/button.tsx';
import { Check, SearchField } from '../../ui/field.tsx';
import { pluralize } from '../../ui/format.ts';
import { LiveRegion, Toolbar } from '../../ui/parts.tsx';
import { Page } from '../../ui/page.tsx';
import { Empty, ErrorBox, Skeleton } from '../../ui/states.tsx';
import { describeFilter, isFiltered, queryOf, turnsShape } from './turn-list.model.ts';
import { TurnRows } from './turn-rows.tsx';
import style from './turns.module.css';
import { TurnsFeed } from './turns-feed.ts';

const outcomes: Readonly<Record<(typeof turnsShape.outcome)[number], string>> = {
  any: 'Any outcome',
  success: 'Success',
  partial: 'Partial',
  failed: 'Failed',
  deadline: 'Deadline missed',
  cancelled: 'Cancelled',
  running: 'Running',
  interrupted: 'Interrupted',
};

export function Turns(): ReactNode {
  const [filter, change] = useUrlState(turnsShape);
  const [paused, setPaused] = useState(false);
  const [away, setAway] = useState(false);
  const scroller = useRef<HTMLDivElement>(null);
  const query = useDebounced(queryOf(filter).toString());
  const feed = useMemo(() => new TurnsFeed(query), [query]);
  const { turns, loading, more, held, problem } = useSyncExternalStore(feed.subscribe, feed.view);
  const hold = paused || away;
  useNewTurns(useCallback(() => feed.refresh(hold), [feed, hold]));

  const showNew = (): void => {
    scroller.current?.scrollTo({ top: 0 });
    setPaused(false);
    setAway(false);
    feed.refresh(false);
  };
  const onEnd = useCallback(() => feed.loadMore(), [feed]);
  const filtered = isFiltered(filter);
  return (
    <Page
      title="Turns"
      actions={
        <div className={style['live']}>
          {held > 0 && (
            <Button icon="up" onClick={showNew}>
              Show {held >= 50 ? '50 or more' : held} new
            </Button>
          )}
          <Button icon={paused ? 'running' : 'interrupted'} aria-pressed={paused} onClick={() => (paused ? showNew() : setPaused(true))}>
            {paused ? 'Resume' : 'Pause'}
          </Button>
        </div>
      }
    >
      <div className={style['screen']}>
        <Filters filter={filter} onChange={change} />
        {problem && <ErrorBox problem={problem} onRetry={feed.restart} />}
        {turns.length > 0 && <TurnRows turns={turns} more={more} loading={loading} scroller={scroller} onEnd={onEnd} onAway={setAway} />}
        {turns.length === 0 && loading && <Skeleton height="50vh" />}
        {turns.length === 0 && !loading && !problem && <Nothing filtered={filtered} more={more} onMore={onEnd} />}
        {turns.length > 0 && (
          <p className={style['foot']}>
            {pluralize(turns.length, 'turn')}
            {more ? ' loaded; scroll for older ones.' : ' in total.'} {loading && 'Loading …'}
          </p>
        )}
        <LiveRegion text={loading ? '' : `${pluralize(turns.length, 'turn')} shown, ${describeFilter(filter)}`} />
      </div>
    </Page>
  );
}

type Filter = StateOf<typeof turnsShape>;

interface FiltersProps {
  readonly filter: Filter;
  readonly onChange: (change: Partial<Filter>) => void;
}

function Filters({ filter, onChange }: FiltersProps): ReactNode {
  return (
    <Toolbar label="Filters">
      <SearchField label="Search id, summary, tool or code" value={filter.q} onChange={(q) => onChange({ q })} />
      <select
        aria-label="Outcome"
        className={style['input']}
        value={filter.outcome}
        onChange={(event) => onChange({ outcome: event.target.value as (typeof turnsShape.outcome)[number] })}
      >
        {Object.entries(outcomes).map(([id, title]) => (
          <option key={id} value={id}>
            {title}
          </option>
        ))}
      </select>
      <ToolField value={filter.tool} onChange={(tool) => onChange({ tool })} />
      <input
        className={style['input']}
        aria-label="Error code"
        placeholder="Error code"
        value={filter.code}
        onChange={(event) => onChange({ code: event.target.value })}
        autoComplete="off"
        spellCheck={false}
      />
      <Check label="Retried" checked={filter.retried} onChange={(retried) => onChange({ retried })} />
      <Check label="Deadline missed" checked={filter.deadline} onChange={(deadline) => onChange({ deadline })} />
      <Check label="Alternative used" checked={filter.alternative} onChange={(alternative) => onChange({ alternative })} />
      <Check label="Repaired" checked={filter.repaired} onChange={(repaired) => onChange({ repaired })} />
      {isFiltered(filter) && (
        <Button
          kind="quiet"
          icon="close"
          onClick={() =>
            onChange({ outcome: 'any', tool: '', code: '', retried: false, deadline: false, repaired: false, alternative: false, q: '' })
          }
        >
          Clear
        </Button>
      )}
    </Toolbar>
  );
}

function Nothing({
  filtered,
  more,
  onMore,
}: {
  readonly filtered: boolean;
  readonly more: boolean;
  readonly onMore: () => void;
}): ReactNode {
  if (filtered)
    return (
      <Empty title={more ? 'No match in the turns searched so far.' : 'No turns match.'}>
        {more ? (
          <Button onClick={onMore}>Search older turns</Button>
        ) : (
          <p>Turns of other programs, and turns older than the history, can only be filtered by outcome.</p>
        )}
      </Empty>
    );
  return (
    <Empty title="No turns yet.">
      <p>
        Every call through the gateway is recorded as a turn: from an MCP host, over HTTP, or from a program. `npm start` runs an example.
      </p>
    </Empty>
  );
}

function ToolField({ value, onChange }: { readonly value: string; readonly onChange: (tool: string) => void }): ReactNode {
  const names = useLivePart(({ overview }) => overview?.tools);
  return (
    <select aria-label="Tool" className={style['input']} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">Any tool</option>
      {value !== '' && names?.some(({ name }) => name === value) !== true && <option>{value}</option>}
      {names
        ?.map(({ name }) => name)
        .toSorted()
        .map((name) => (
          <option key={name}>{name}</option>
        ))}
    </select>
  );
}

const debounceMs = 250;

/** Debounces the value, so that typing does not send a request per letter. */
function useDebounced(value: string): string {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), debounceMs);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
}

const minIntervalMs = 1000;

/** Calls `refresh` when the live stream has new turns, at most once a second. */
function useNewTurns(refresh: () => void): void {
  const turns = useLivePart(({ overview }) => overview?.turns);
  const last = useRef(0);
  useEffect(() => {
    if (turns === undefined) return undefined;
    const wait = Math.max(0, last.current + minIntervalMs - Date.now());
    const timer = setTimeout(() => {
      last.current = Date.now();
      refresh();
    }, wait);
    return () => clearTimeout(timer);
  }, [turns, refresh]);
}
