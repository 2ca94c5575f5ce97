/**
 * Owns counting the figures of calls from a trace, and arithmetic with ranges.
 *
 * The figures are those of a turn view, counted without one: a what-if runs many turns again and again, with thousands of attempts each, so that a turn may
 * only need a few numbers of memory.
 */
import type { TraceEvent } from '@holdfast/core';
import type { TraceEventBody } from '@holdfast/core/trace';
import type { Compared, Figures, Range } from './types.ts';

export interface CallFigures extends Figures<number> {
  readonly callId: string;
  readonly toolName: string;
  /** Since the turn began; `NaN` if the call never began. */
  readonly beganAt: number;
}

/** What an attempt of a call changes. */
interface AttemptCount {
  readonly requests: number;
  readonly retries: number;
  /** The tool of the latest attempt that is no hedge. A call never returns to an earlier tool. */
  readonly tool: string;
}

export interface TurnFigures {
  readonly whole: number;
  readonly durationMs: number;
  readonly calls: ReadonlyMap<string, CallFigures>;
}

const noAttempt: AttemptCount = { requests: 0, retries: 0, tool: '' };

type CallCompleted = Extract<TraceEventBody, { readonly event_type: 'CallCompleted' }>;
type AttemptStarted = Extract<TraceEventBody, { readonly event_type: 'AttemptStarted' }>;
type MutableFigures = { -readonly [Name in keyof CallFigures]: CallFigures[Name] };

export function turnFigures(events: readonly TraceEvent[], planned: readonly (readonly [callId: string, toolName: string])[]): TurnFigures {
  const figures = new TurnCount(planned);
  for (const event of events) figures.add(event, event.elapsed_ms);
  return figures;
}

/** Collects the figures of a turn from its events. */
export class TurnCount implements TurnFigures {
  readonly calls: ReadonlyMap<string, MutableFigures>;
  readonly #attempts = new Map<string, { readonly now: AttemptCount; readonly before: AttemptCount }>();
  whole = 0;
  durationMs = 0;

  constructor(planned: readonly (readonly [callId: string, toolName: string])[]) {
    this.calls = new Map(
      planned.map(([callId, toolName]) => [
        callId,
        { callId, toolName, beganAt: Number.NaN, succeeded: 0, failed: 1, skipped: 0, requests: 0, retries: 0, timeMs: 0 },
      ]),
    );
  }

  add(event: TraceEventBody, elapsedMs: number): void {
    if (event.event_type === 'TurnCompleted') this.#end(event.outcome === 'success', elapsedMs);
    // The end of a single call ends its turn too.
    if (event.event_type === 'CallCompleted' && event.ends_turn) this.#end(event.status === 'success', elapsedMs);
    if (!('call_id' in event) || event.call_id === undefined) return;
    const figures = this.calls.get(event.call_id);
    if (!figures) return;
    if (event.event_type === 'AttemptStarted') this.#attempt(figures, event);
    else count(figures, event, elapsedMs);
  }

  /** The latest attempt of the call was refused, so it was none. */
  withdrawAttempt(callId: string): void {
    const before = this.#attempts.get(callId)?.before;
    const figures = this.calls.get(callId);
    if (before && figures) this.#setAttempts(figures, before, before);
  }

  #attempt(figures: MutableFigures, { tool_id: tool, hedge = false }: AttemptStarted): void {
    const before = this.#attempts.get(figures.callId)?.now ?? noAttempt;
    const isRetry = !hedge && tool === before.tool;
    const now = { requests: before.requests + 1, retries: before.retries + (isRetry ? 1 : 0), tool: hedge ? before.tool : tool };
    this.#setAttempts(figures, now, before);
  }

  #setAttempts(figures: MutableFigures, now: AttemptCount, before: AttemptCount): void {
    this.#attempts.set(figures.callId, { now, before });
    figures.requests = now.requests;
    figures.retries = now.retries;
  }

  #end(succeeded: boolean, elapsedMs: number): void {
    this.whole = succeeded ? 1 : 0;
    this.durationMs = elapsedMs;
  }
}

function count(figures: MutableFigures, event: TraceEventBody, elapsedMs: number): void {
  switch (event.event_type) {
    case 'CallStarted':
      figures.beganAt = elapsedMs;
      return;
    case 'CallCompleted':
      // With an error, an output is the tool's static fallback.
      figures.succeeded = event.status === 'success' || event.fallback_used === true ? 1 : 0;
      figures.skipped = isSkipped(event, figures) ? 1 : 0;
      figures.failed = 1 - figures.succeeded - figures.skipped;
      figures.timeMs = Number.isNaN(figures.beganAt) ? 0 : elapsedMs - figures.beganAt;
      return;
    default:
  }
}

/** As in a turn view: `skipped` and `not_run`. */
const isSkipped = ({ status, skipped, attempts, code }: CallCompleted, { succeeded }: CallFigures): boolean =>
  succeeded === 0 && status !== 'success' && (skipped === true || (attempts === 0 && (code === 'TURN_DEADLINE' || code === 'CANCELLED')));

const figureNames: readonly (keyof Figures<number>)[] = ['succeeded', 'failed', 'skipped', 'requests', 'retries', 'timeMs'];

export const exactRange = (value: number): Range => ({ low: value, high: value });

export const hull = (one: Range, other: Range): Range => ({ low: Math.min(one.low, other.low), high: Math.max(one.high, other.high) });

export const plus = (one: Range, other: Range): Range => ({ low: one.low + other.low, high: one.high + other.high });

export const ranges = (figures: Figures<number>): Figures<Range> => ({
  succeeded: exactRange(figures.succeeded),
  failed: exactRange(figures.failed),
  skipped: exactRange(figures.skipped),
  requests: exactRange(figures.requests),
  retries: exactRange(figures.retries),
  timeMs: exactRange(figures.timeMs),
});

export function widen(one: Figures<Range>, other: Figures<Range>): Figures<Range> {
  return each((name) => hull(one[name], other[name]));
}

function each<Value>(of: (name: keyof Figures<Value>) => Value): Figures<Value> {
  return {
    succeeded: of('succeeded'),
    failed: of('failed'),
    skipped: of('skipped'),
    requests: of('requests'),
    retries: of('retries'),
    timeMs: of('timeMs'),
  };
}

const zero: Figures<number> = { succeeded: 0, failed: 0, skipped: 0, requests: 0, retries: 0, timeMs: 0 };

const isRange = ({ low, high }: Range): boolean => low !== high;

/** Sums of times are not exact to the last bit; an exact figure must not become a range because of it. */
const sameMs = 1e-6;

export function compareFigures(recorded: Figures<number>, changed: Figures<Range>): Compared {
  const { low, high } = changed.timeMs;
  const settled = Math.abs(high - low) <= sameMs ? { ...changed, timeMs: exactRange(low) } : changed;
  return { calls: 1, recorded, changed: settled, observedShare: figureNames.some((name) => isRange(settled[name])) ? 0 : 1 };
}

export function sum(parts: readonly Compared[]): Compared {
  const calls = parts.reduce((total, part) => total + part.calls, 0);
  const observed = parts.reduce((total, part) => total + part.calls * part.observedShare, 0);
  return {
    calls,
    recorded: each((name) => parts.reduce((total, { recorded }) => total + recorded[name], zero[name])),
    changed: each((name) => parts.reduce((total, { changed }) => plus(total, changed[name]), exactRange(0))),
    observedShare: calls === 0 ? 1 : observed / calls,
  };
}
