/** Owns the test data of the history contract. */
import { type Cell, createCell, mergeCell } from '../projections/history/cell.ts';
import type { ClusterRecord } from '../projections/history/records.ts';
import type { HistoryWrite } from '../projections/history/kept-history.ts';
import { createLatencySketch } from '../projections/metrics/sketch.ts';
import { start } from './history-contract-case.ts';

export const nothing: HistoryWrite = { cells: [], turns: [], circuitChanges: [], clusters: [], failures: [], slowCalls: [], changes: [] };

export type TurnWrite = HistoryWrite['turns'][number];

export function turnOf(
  turn_id: string,
  started_at: number,
  facts: Partial<TurnWrite['facts']> = {},
  rest: Partial<TurnWrite> = {},
): TurnWrite {
  return {
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
  };
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

export function sumOf(series: ReadonlyMap<number, Cell>): Cell {
  const total = createCell();
  for (const cell of series.values()) mergeCell(total, cell);
  return total;
}

const at = (ms: number): string => new Date(start + ms).toISOString();

export const circuitChange = (id: number, ms: number, message = 'opened'): HistoryWrite['circuitChanges'][number] => ({
  toolName: 'work',
  change: { id, at: at(ms), from: 'closed', to: 'open', reason: 'failure_threshold', message, samples: [] },
});

export const failure = (ms: number, call_id = `c${String(ms)}`): HistoryWrite['failures'][number] => ({
  toolName: 'work',
  failure: { at: at(ms), turn_id: 't', call_id, attempt: 1, code: 'X', message: 'nul \0 and \ud800' },
});

export const slowCall = (duration_ms: number): HistoryWrite['slowCalls'][number] => ({
  toolName: 'work',
  call: { at: at(0), turn_id: 't', call_id: `c${String(duration_ms)}`, duration_ms, attempts: 1, status: 'success' },
});

export const change = (id: number, ms: number, text = `Change ${String(id)}`): HistoryWrite['changes'][number] => ({
  id,
  at: at(ms),
  kind: 'new_failure',
  text,
  tool_id: 'work',
});

export const cluster = (signature: string, rest: Partial<ClusterRecord> = {}): ClusterRecord => ({
  signature,
  tool_id: 'work',
  code: 'X',
  category: 'network',
  classification: 'transient',
  pattern: 'x <n>',
  sample: 'x 1',
  count: 2,
  first_seen: start,
  last_seen: start,
  hours: { [String(start / 3_600_000)]: 2 },
  strategies: [{ strategy: 'retry', tried: 2, succeeded: 1 }],
  calls_recovered: 0,
  calls_failed: 1,
  examples: [],
  ...rest,
});

/** A seeded generator of integers from 0 up to, but not including, `below`. */
export function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
