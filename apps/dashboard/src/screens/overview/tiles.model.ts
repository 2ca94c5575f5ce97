/** Filters and sorts the tools of the overview. */
import type { ToolStatus, ToolTile } from '@holdfast/gateway/contract';
import { byUrgency, compareNames } from '../../data/live-state.ts';
import { pluralize } from '../../ui/format.ts';

export type StatusFilter = 'all' | ToolStatus;
type TileOrder = 'urgency' | 'name' | 'calls' | 'failures' | 'slow';

export interface TileChoice {
  readonly q: string;
  readonly status: StatusFilter;
  readonly sort: TileOrder;
}

export const statusFilters: readonly StatusFilter[] = ['all', 'failing', 'recovering', 'degraded', 'ok', 'idle'];

const orders: Readonly<Record<TileOrder, (one: ToolTile, other: ToolTile) => number>> = {
  urgency: byUrgency,
  name: (one, other) => compareNames(one.name, other.name),
  calls: (one, other) => other.counts.calls - one.counts.calls || byUrgency(one, other),
  // By the lower bound, so that 1 of 2 does not come before 40 of 100.
  failures: (one, other) => other.failure.low - one.failure.low || other.failure.part - one.failure.part || byUrgency(one, other),
  slow: (one, other) => (other.latency?.p95_ms ?? -1) - (one.latency?.p95_ms ?? -1) || byUrgency(one, other),
};

export function filterTiles(tiles: readonly ToolTile[], { q, status, sort }: TileChoice): readonly ToolTile[] {
  const words = q.toLowerCase().split(/\s+/u).filter(Boolean);
  const chosen = tiles.filter((tile) => (status === 'all' || tile.status === status) && words.every((word) => textOf(tile).includes(word)));
  return chosen.toSorted(orders[sort]);
}

/** What the trouble of a tool costs its callers, and its latest error: `190 calls lost in 5 min. NETWORK_ERROR: connect ECONNREFUSED`. */
export function troubleText({ failure, last_failure: last }: ToolTile): string {
  const lost = failure.part === 0 ? 'No call lost in 5 min.' : `${pluralize(failure.part, 'call')} lost in 5 min.`;
  return last === undefined ? lost : `${lost} ${last.code}: ${last.message}`;
}

/** The searched text: name, source, last failure. */
const textOf = ({ name, source, last_failure }: ToolTile): string =>
  [name, sourceText(source), last_failure?.code ?? ''].join(' ').toLowerCase();

export function sourceText(source: ToolTile['source']): string {
  if (source.kind === 'mcp') return `MCP server ${source.server}`;
  return source.kind === 'openapi' ? `API ${source.api}` : 'manifest';
}

export function statusCounts(tiles: readonly ToolTile[]): Readonly<Record<StatusFilter, number>> {
  const counts = { all: tiles.length, failing: 0, recovering: 0, degraded: 0, ok: 0, idle: 0 };
  for (const { status } of tiles) counts[status] += 1;
  return counts;
}
