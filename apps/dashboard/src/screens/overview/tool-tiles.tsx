/** The tools of the overview: search, filter, order, tiles or rows. */
import type { ToolTile } from '@holdfast/gateway/contract';
import { type ReactNode, useMemo } from 'react';
import { useUrlState } from '../../data/use-url-state.ts';
import { Button } from '../../ui/button.tsx';
import { classNames } from '../../ui/class-names.ts';
import { SearchField, SelectField } from '../../ui/field.tsx';
import { pluralize } from '../../ui/format.ts';
import { Toolbar } from '../../ui/parts.tsx';
import { Empty } from '../../ui/states.tsx';
import { Choice } from '../../ui/tabs.tsx';
import { useIncrementalList } from '../../ui/use-incremental-list.ts';
import { Tile } from './tile.tsx';
import style from './tile.module.css';
import { filterTiles, statusCounts, statusFilters } from './tiles.model.ts';
import layout from './overview.module.css';

const shape = {
  q: '',
  status: ['all', 'failing', 'recovering', 'degraded', 'ok', 'idle'],
  sort: ['urgency', 'name', 'calls', 'failures', 'slow'],
  view: ['tiles', 'rows'],
} as const;

const orders = [
  { id: 'urgency', title: 'Failing first' },
  { id: 'failures', title: 'Most failures' },
  { id: 'slow', title: 'Slowest' },
  { id: 'calls', title: 'Most calls' },
  { id: 'name', title: 'By name' },
] as const;

export function ToolTiles({ tools }: { readonly tools: readonly ToolTile[] }): ReactNode {
  const [state, change] = useUrlState(shape);
  const chosen = useMemo(() => filterTiles(tools, state), [tools, state]);
  const counts = useMemo(() => statusCounts(tools), [tools]);
  const { shown, sentinel } = useIncrementalList(chosen.length, 36);
  if (tools.length === 0) return <NoTools any={false} onReset={() => undefined} />;
  const filters = statusFilters.filter((status) => status === 'all' || status === state.status || counts[status] > 0);
  return (
    <section aria-labelledby="tools" className={layout['tools']}>
      <h2 id="tools" className="visually-hidden">
        Tools
      </h2>
      <Toolbar
        label="Filters"
        end={
          <Choice
            label="Layout"
            options={[
              { id: 'tiles', title: 'Tiles', icon: 'grid' },
              { id: 'rows', title: 'Rows', icon: 'rows' },
            ]}
            value={state.view}
            onChange={(view) => change({ view })}
          />
        }
      >
        <SearchField label="Filter by name or source" value={state.q} onChange={(q) => change({ q })} />
        <Choice
          label="Status"
          options={filters.map((status) => ({ id: status, title: `${status} ${counts[status]}` }))}
          value={state.status}
          onChange={(status) => change({ status })}
        />
        <SelectField label="Order" hideLabel options={orders} value={state.sort} onChange={(sort) => change({ sort })} />
      </Toolbar>
      {chosen.length === 0 ? (
        <NoTools any onReset={() => change({ q: '', status: 'all' })} />
      ) : (
        <div>
          {state.view === 'rows' && <RowsHead />}
          <ul className={classNames(style['tiles'], state.view === 'rows' && style['rows'])} data-view={state.view}>
            {chosen.slice(0, shown).map((tile) => (
              <Tile key={tile.name} tile={tile} />
            ))}
          </ul>
          {shown < chosen.length && (
            <p ref={sentinel} className="muted">
              {pluralize(chosen.length - shown, 'more tool')}
            </p>
          )}
        </div>
      )}
    </section>
  );
}

function RowsHead(): ReactNode {
  return (
    <div className={style['rowsHead']} aria-hidden="true">
      <span>Tool</span>
      <span>Status</span>
      <span>Last two minutes</span>
      <div>
        <span>Failed</span>
        <span>p50 · p95</span>
        <span>Calls</span>
        <span>Circuit</span>
        <span>Retry success</span>
        <span>In flight</span>
      </div>
    </div>
  );
}

function NoTools({ any, onReset }: { readonly any: boolean; readonly onReset: () => void }): ReactNode {
  if (any) {
    return (
      <Empty title="No tools match.">
        <Button onClick={onReset}>Show all tools</Button>
      </Empty>
    );
  }
  return (
    <Empty title="This gateway has no tools.">
      <p>
        Add <code>tools</code>, <code>mcp_servers</code> or <code>openapi</code> to its manifest. It picks up changes without a restart.
      </p>
    </Empty>
  );
}
