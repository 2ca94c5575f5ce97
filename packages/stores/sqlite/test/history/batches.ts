/** Owns what the tests of the history write. */
import type { Cell } from '@holdfast/core/history';
import { createCell } from '@holdfast/core/internal';
import { createLatencySketch } from '@holdfast/core/internal';
import { onTestFinished } from 'vitest';
import { nothing, start } from './batch-data.ts';
import { sqliteHistory, type HistoryWrite, type SqliteHistory, type SqliteHistoryOptions } from '../../src/history/index.ts';

export { nothing, start, turnOf, type TurnWrite } from './batch-data.ts';

export interface Clock {
  now: number;
}

/** Closed when the test is over. */
export function historyAt(path: string, clock: Clock = { now: start }, options: Partial<SqliteHistoryOptions> = {}): SqliteHistory {
  const history = sqliteHistory({ path, now: () => clock.now, ...options });
  onTestFinished(() => history.close());
  return history;
}

export function cellOf(calls: number, durationMs = 10): Cell {
  const cell = createCell();
  cell.counts.first_try = calls;
  cell.counts.work_ms = calls * durationMs;
  cell.errors.set('NETWORK_ERROR', calls);
  cell.calls = createLatencySketch();
  cell.calls.add(durationMs, calls);
  return cell;
}

export const cellsAt = (tool: string, at: number, calls: number, durationMs?: number): HistoryWrite => ({
  ...nothing,
  cells: [{ toolName: tool, at, cell: cellOf(calls, durationMs) }],
});

/** Rolls up and deletes until nothing is due. */
export function tidied(history: SqliteHistory): void {
  history.tidy();
  history.flush();
}
