/** The time range of the tool page. */
import type { HistoryRange } from '@holdfast/gateway/contract';

export const ranges: readonly { readonly id: HistoryRange; readonly title: string }[] = [
  { id: '15m', title: '15 min' },
  { id: '1h', title: '1 h' },
  { id: '6h', title: '6 h' },
  { id: '24h', title: '24 h' },
  { id: '7d', title: '7 d' },
  { id: '14d', title: '14 d' },
];

const wider: Readonly<Partial<Record<HistoryRange, HistoryRange>>> = { '15m': '1h', '1h': '24h', '24h': '14d' };

/**
 * The range if none is chosen: wide enough to include the change that brought the circuit into its state.
 *
 * @param changesIn the number of changes in a range; `undefined`: not loaded yet
 */
export function automaticRange(start: HistoryRange, extend: boolean, changesIn: (range: HistoryRange) => number | undefined): HistoryRange {
  let range = start;
  if (!extend) return range;
  for (let next = wider[range]; next !== undefined && changesIn(range) === 0; next = wider[range]) range = next;
  return range;
}

const intervalsMs: Readonly<Record<HistoryRange, number>> = {
  '15m': 5000,
  '1h': 10_000,
  '6h': 30_000,
  '24h': 60_000,
  '7d': 120_000,
  '14d': 120_000,
};

/** How often to reload. */
export const reloadIntervalMs = (range: HistoryRange): number => intervalsMs[range];
