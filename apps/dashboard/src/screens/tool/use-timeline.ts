/** Loads the timeline of a circuit, and chooses the range if none is given: wide enough for the latest change. */
import type { CircuitState, CircuitTimeline, HistoryRange } from '@holdfast/gateway/contract';
import { type Query, useQuery } from '../../data/use-query.ts';
import { automaticRange, reloadIntervalMs } from './range.ts';

/** Returns the timeline and the range. */
export function useTimeline(
  name: string,
  choice: 'auto' | HistoryRange,
  start: HistoryRange,
  circuit: CircuitState | null,
  version: string,
): { readonly range: HistoryRange; readonly timeline: Query<CircuitTimeline> } {
  const pathOf = (range: HistoryRange): string => `/v1/tools/${encodeURIComponent(name)}/circuit?range=${range}`;
  const searching = choice === 'auto' && circuit !== null && circuit !== 'closed';
  const quarter = useQuery<CircuitTimeline>(searching ? pathOf('15m') : undefined).data?.changes.length;
  const hour = useQuery<CircuitTimeline>(searching && quarter === 0 ? pathOf('1h') : undefined).data?.changes.length;
  const day = useQuery<CircuitTimeline>(searching && hour === 0 ? pathOf('24h') : undefined).data?.changes.length;
  const loaded: Partial<Record<HistoryRange, number | undefined>> = { '15m': quarter, '1h': hour, '24h': day };
  const range = choice === 'auto' ? automaticRange(start, searching, (known) => loaded[known]) : choice;
  return { range, timeline: useQuery<CircuitTimeline>(pathOf(range), { everyMs: reloadIntervalMs(range), version }) };
}
