/** Sorts the table of tools. */
import type { ToolTile } from '@holdfast/gateway/contract';
import { byUrgency, compareNames } from '../../data/live-state.ts';

/** Comparisons per column, smaller first. Missing values count as smallest. */
const comparisons: Readonly<Record<string, (one: ToolTile, other: ToolTile) => number>> = {
  name: (one, other) => compareNames(one.name, other.name),
  status: byUrgency,
  calls: (one, other) => one.counts.calls - other.counts.calls,
  failed: (one, other) => one.failure.low - other.failure.low || one.failure.part - other.failure.part,
  recovered: (one, other) => one.counts.recovered - other.counts.recovered,
  p50: (one, other) => (one.latency?.p50_ms ?? -1) - (other.latency?.p50_ms ?? -1),
  p95: (one, other) => (one.latency?.p95_ms ?? -1) - (other.latency?.p95_ms ?? -1),
  p99: (one, other) => (one.latency?.p99_ms ?? -1) - (other.latency?.p99_ms ?? -1),
  flight: (one, other) => one.in_flight + one.queued - other.in_flight - other.queued,
};

export function sortTools(tools: readonly ToolTile[], by: string, descending: boolean): readonly ToolTile[] {
  const compare = comparisons[by] ?? byUrgency;
  const direction = descending ? -1 : 1;
  return tools.toSorted((one, other) => direction * compare(one, other) || compareNames(one.name, other.name));
}
