/** Owns records of the history; needs no test around it. */
import type { HistoryWrite } from '../../src/history/index.ts';

export const start = Date.UTC(2026, 0, 5, 8);

export const nothing: HistoryWrite = { cells: [], turns: [], circuitChanges: [], clusters: [], failures: [], slowCalls: [], changes: [] };

export type TurnWrite = HistoryWrite['turns'][number];

export const turnOf = (
  turn_id: string,
  started_at: number,
  facts: Partial<TurnWrite['facts']> = {},
  rest: Partial<TurnWrite> = {},
): TurnWrite => ({
  turn_id,
  started_at,
  ended_at: started_at + 5,
  outcome: 'success',
  summary: `Completed ${turn_id}`,
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
    ...facts,
  },
  ...rest,
});
