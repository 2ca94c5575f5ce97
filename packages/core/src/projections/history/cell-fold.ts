/**
 * Owns what is counted for a tool, and when. Every event counts at its timestamp: an attempt when it begins or ends, a call when it has ended, including how its
 * time was spent.
 *
 * Invariant: an event counts both in the stored cell and in the recent past, so that they never disagree.
 */
import { callOutcomeOf } from '../metrics/call-outcome.ts';
import type { RetryDenial } from '../metrics/metric-values.ts';
import { createLatencySketch } from '../metrics/sketch.ts';
import { retryDenialOf } from '../metrics/retry-denied.ts';
import type { CallCompleted } from '../../engine/trace/events.ts';
import { forgetOldest } from './bounded-map.ts';
import { addName, type Cell, type CellNumber, createCell } from './cell.ts';
import type { RecentCalls } from './recent.ts';
import type { TrackedCall, TrackedEvent } from './open-turns.ts';

/** A cell of one second. */
export interface FineCell {
  /** Name of the tool. */
  readonly toolName: string;
  /** Start of its second, milliseconds since 1970. */
  readonly at: number;
  /** What the tool did in that second. */
  readonly cell: Cell;
}

const stepMs = 1_000;

export class CellFold {
  readonly #recent: RecentCalls;
  readonly #limit: number;
  #pending = new Map<string, FineCell>();
  /** The cell that was used last, since events of one tool come together. */
  #latest: FineCell | undefined;

  /** `limit`: maximum number of cells that wait for `take`. */
  constructor(recent: RecentCalls, limit: number) {
    this.#recent = recent;
    this.#limit = limit;
  }

  observe({ event, at, call, isRetry }: TrackedEvent): void {
    switch (event.event_type) {
      case 'AttemptStarted':
        if (isRetry) this.#add(event.tool_id, at, 'retries', 1);
        return this.#add(event.tool_id, at, 'attempts', 1);
      case 'ToolSucceeded':
        return this.#addAttempt(event.tool_id, at, event.duration_ms);
      case 'ToolError':
        if (event.attempt === 0) return;
        addName(this.#cell(event.tool_id, at).errors, event.code);
        return this.#addAttempt(event.tool_id, at, event.duration_ms);
      case 'RecoveryDecided': {
        const denial = retryDenialOf(event);
        if (denial !== undefined) addName(this.#cell(event.tool_id, at).denied, stoppedBy[denial]);
        return;
      }
      case 'CallCompleted':
        return this.#addCall(event, at, call);
      default:
    }
  }

  /** Removes and returns the cells that end by `until`. */
  take(until: number = Infinity): readonly FineCell[] {
    const cells: FineCell[] = [];
    for (const [key, fine] of this.#pending) {
      if (fine.at + stepMs > until) continue;
      cells.push(fine);
      this.#pending.delete(key);
    }
    this.#latest = undefined;
    return cells;
  }

  #addCall(event: CallCompleted, at: number, call: TrackedCall | undefined): void {
    const { tool_id: tool, execution_time_ms: durationMs } = event;
    const ending = endingOf(event, call);
    this.#add(tool, at, ending, 1);
    if (ending === 'failed' && event.attempts === 0 && call?.refused === true) this.#add(tool, at, 'refused', 1);
    if (call && call.retries > 0 && ending !== 'cancelled') {
      this.#add(tool, at, 'retried_calls', 1);
      if (ending === 'recovered') this.#add(tool, at, 'retried_successes', 1);
    }
    for (const [part, ms] of Object.entries(call?.spent ?? {})) if (ms > 0) this.#add(tool, at, part as CellNumber, ms);
    if (event.attempts === 0) return;
    this.#add(tool, at, 'run', 1);
    this.#add(tool, at, 'run_attempts', event.attempts);
    if (event.status === 'success' && event.served_by !== tool) this.#add(event.served_by, at, 'served', 1);
    if (ending === 'cancelled') return;
    const cell = this.#cell(tool, at);
    (cell.calls ??= createLatencySketch()).add(durationMs);
    this.#recent.addLatency(tool, at, durationMs);
  }

  #addAttempt(tool: string, at: number, durationMs: number): void {
    const cell = this.#cell(tool, at);
    (cell.attempts ??= createLatencySketch()).add(durationMs);
  }

  #add(tool: string, at: number, name: CellNumber, count: number): void {
    this.#cell(tool, at).counts[name] += count;
    this.#recent.add(tool, at, name, count);
  }

  #cell(tool: string, at: number): Cell {
    const begin = at - (at % stepMs);
    if (this.#latest?.at === begin && this.#latest.toolName === tool) return this.#latest.cell;
    const key = `${begin} ${tool}`;
    let fine = this.#pending.get(key);
    if (!fine) {
      // When nothing calls `take`, cells must not grow without limit; the newest are the most useful.
      if (this.#pending.size >= this.#limit) forgetOldest(this.#pending);
      fine = { toolName: tool, at: begin, cell: createCell() };
      this.#pending.set(key, fine);
    }
    this.#latest = fine;
    return fine.cell;
  }
}

/** The value of a failure's `stopped_by`, so that a count leads to its calls. */
const stoppedBy: Readonly<Record<RetryDenial, string>> = {
  not_transient: 'not_retryable',
  unknown: 'policy',
  circuit_open: 'circuit',
  unsafe: 'policy',
  policy: 'policy',
  attempts: 'attempts',
  evidence: 'policy',
  retry_time: 'budget',
  deadline: 'deadline',
  retry_budget: 'budget',
  turn_budget: 'budget',
  rate_limit: 'budget',
  concurrency: 'budget',
  handler: 'policy',
};

export type Ending = 'first_try' | 'recovered' | 'failed' | 'cancelled' | 'skipped' | 'rejected';

/** How a call ended, as in the metrics, except that a call answered by its tool's default counts as recovered: the caller has an output. */
export function endingOf(event: CallCompleted, call: TrackedCall | undefined): Ending {
  const { fallback_used: usedFallback = false, partial = false } = event;
  const outcome = callOutcomeOf(event);
  switch (outcome) {
    case 'success':
      return usedFallback || partial || (call?.retries ?? 0) > 0 ? 'recovered' : 'first_try';
    case 'skipped':
    case 'cancelled':
      return outcome;
    default:
      if (usedFallback) return 'recovered';
      return outcome === 'unstarted' ? 'skipped' : outcome === 'rejected' ? 'rejected' : 'failed';
  }
}
