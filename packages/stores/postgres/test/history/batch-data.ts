/** Owns records of the history; needs no test around it. */
import type { HistoryWrite } from '@holdfast/core/history';
import { createCell } from '@holdfast/core/internal';

export const start = Date.UTC(2026, 0, 5, 8);

export const nothing: HistoryWrite = { cells: [], turns: [], circuitChanges: [], clusters: [], failures: [], slowCalls: [], changes: [] };

export type TurnWrite = HistoryWrite['turns'][number];

export const turnOf = (turn_id: string, started_at: number, rest: Partial<TurnWrite> = {}): TurnWrite => ({
  turn_id,
  started_at,
  calls: 1,
  events: 4,
  facts: {
    tools: ['work'],
    codes: [],
    duration_ms: 5,
    retries: 0,
    failed_calls: 0,
    skipped_calls: 0,
    waited_ms: 0,
    used_alternative: false,
    deadline_missed: false,
    repaired: false,
  },
  ...rest,
});

export function cellsAt(tool: string, at: number, calls: number): HistoryWrite {
  const cell = createCell();
  cell.counts.first_try = calls;
  return { ...nothing, cells: [{ toolName: tool, at, cell }] };
}
