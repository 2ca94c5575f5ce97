/** Owns the totals of a turn, counted from its view only, so that they always agree with the calls. */
import { arrayRule, checkShape } from '../../engine/settings/check.ts';
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { CallStatus, CallView, Segment, SegmentKind, TurnView } from './turn-view.ts';

/** A turn in numbers. */
export interface TurnTotals {
  /** All calls of the turn. */
  readonly calls: number;
  /** Calls that have not started. */
  readonly waiting: number;
  /** Calls that run, queue or back off. */
  readonly active: number;
  /** Calls that ended with `success`. */
  readonly succeeded: number;
  /** Calls that ended with `error`, without those that their static fallback answered. */
  readonly failed: number;
  /** Calls that their static fallback answered: their status is `error`, but their callers have an output. */
  readonly fellBack: number;
  /** Calls that ended with `timeout`. */
  readonly timedOut: number;
  /** Calls that were not run because of a dependency. */
  readonly skipped: number;
  /** Calls that were cancelled after their first attempt had begun. */
  readonly cancelled: number;
  /** Calls that had no attempt before the turn ended. */
  readonly notRun: number;
  /** Attempts of all calls, alternatives and hedges included. */
  readonly attempts: number;
  /** Attempts beyond the first of each tool of a call, without hedges. */
  readonly retries: number;
  /** Calls whose tool was retried, except those that another tool answered in the end. */
  readonly retried: number;
  /** Those of `retried` that the requested tool answered in the end. */
  readonly recovered: number;
  /** Calls for which an alternative was called. */
  readonly alternatives: number;
  /** Defaults used in place of an output. */
  readonly defaults: number;
  /** How often a circuit opened. */
  readonly circuitsOpened: number;
  /** Critical calls that are lost: they escalate the turn. */
  readonly escalated: number;
  /** Calls with work that outlived its attempt. */
  readonly late: number;
  /** Time in attempts, all calls together. */
  readonly attemptMs: number;
  /** Calls whose process ended before they did. */
  readonly interrupted: number;
  /** Time in backoff and queues, all calls together. */
  readonly waitMs: number;
}

/** Counts a turn from its view. */
export function turnTotals(view: Pick<TurnView, 'calls' | 'circuits'>): TurnTotals {
  checkShape({ calls: arrayRule, circuits: arrayRule }, view, 'turnTotals: view');
  const { calls, circuits } = view;
  const totals: Mutable<TurnTotals> = {
    calls: 0,
    waiting: 0,
    active: 0,
    succeeded: 0,
    failed: 0,
    fellBack: 0,
    timedOut: 0,
    skipped: 0,
    cancelled: 0,
    notRun: 0,
    attempts: 0,
    retries: 0,
    retried: 0,
    recovered: 0,
    alternatives: 0,
    defaults: 0,
    circuitsOpened: circuits.filter(({ state }) => state === 'open').length,
    escalated: 0,
    late: 0,
    interrupted: 0,
    attemptMs: 0,
    waitMs: 0,
  };
  for (const call of calls) count(totals, call);
  return totals;
}

const countedAs: Readonly<Record<CallStatus, keyof TurnTotals>> = {
  waiting: 'waiting',
  queued: 'active',
  running: 'active',
  backing_off: 'active',
  success: 'succeeded',
  error: 'failed',
  timeout: 'timedOut',
  skipped: 'skipped',
  cancelled: 'cancelled',
  not_run: 'notRun',
  interrupted: 'interrupted',
};

function count(totals: Mutable<TurnTotals>, call: CallView): void {
  const ownTool = call.end === undefined || (call.end.servedBy === call.toolName && !call.end.fallbackUsed);
  const otherTool = call.status === 'success' && call.end !== undefined && call.end.servedBy !== call.toolName;
  const retried = call.retries > 0 && call.failures.length > 0 && !otherTool;
  totals.calls += 1;
  totals[call.status === 'error' && call.end?.fallbackUsed === true ? 'fellBack' : countedAs[call.status]] += 1;
  totals.attempts += call.attempts;
  totals.retries += call.retries;
  if (retried) totals.retried += 1;
  if (retried && ownTool && call.status === 'success') totals.recovered += 1;
  if (call.alternatives.length > 0) totals.alternatives += 1;
  totals.defaults += call.defaults.length;
  if (call.escalation !== undefined && call.critical) totals.escalated += 1;
  if (call.late !== undefined) totals.late += 1;
  totals.attemptMs += Math.round(lengthOf(call, 'attempt'));
  totals.waitMs += Math.round(lengthOf(call, 'backoff') + lengthOf(call, 'queue'));
}

/**
 * How late a retry started, in milliseconds: the time from the end of its backoff until its process continued; 0 for a wait that ended in time, or still lasts. The
 * process was busy then, which is no wait for anything.
 */
export function latenessOf(segment: Pick<Segment, 'kind' | 'endMs' | 'plannedEndMs'>): number {
  checkShape({ kind: 'string' }, segment, 'latenessOf: segment');
  const { kind, endMs, plannedEndMs } = segment;
  return kind === 'backoff' && endMs !== undefined && plannedEndMs !== undefined ? Math.max(0, endMs - plannedEndMs) : 0;
}

const lengthOf = ({ segments }: CallView, kind: SegmentKind): number =>
  segments.reduce(
    (sum, segment) => (segment.kind === kind && segment.endMs !== undefined ? sum + segment.endMs - segment.startMs : sum),
    0,
  );

/** The latest state of a tool's circuit during the turn. */
export interface CircuitView {
  /** Name of the tool. */
  readonly toolName: string;
  /** State after its latest change. */
  readonly state: CircuitState;
  /** When it changed last, in milliseconds from the start of the turn; 0 when it did not. */
  readonly sinceMs: number;
  /** How long it stays open from then on, in milliseconds; undefined when it is not open, or when that is not known. */
  readonly openForMs: number | undefined;
  /** Why it changed last; '' when it did not. */
  readonly reason: string;
  /** Consecutive transient failures when it last opened; 0 unless that is its latest change. */
  readonly failureCount: number;
  /** How often it opened during the turn. */
  readonly opened: number;
}

/** Returns the circuits that were not closed at the start or have changed since, in the order of their latest change. */
export function circuitsOf(view: Pick<TurnView, 'circuits' | 'circuitsAtStart'>): readonly CircuitView[] {
  checkShape({ circuits: arrayRule, circuitsAtStart: arrayRule }, view, 'circuitsOf: view');
  const { circuits, circuitsAtStart } = view;
  const byTool = new Map<string, CircuitView>();
  const unchanged = { sinceMs: 0, openForMs: undefined, reason: '', failureCount: 0, opened: 0 };
  for (const { toolName, state } of circuitsAtStart) byTool.set(toolName, { toolName, state, ...unchanged });
  for (const { toolName, state, atMs: sinceMs, openForMs, reason, failureCount } of circuits) {
    const opened = (byTool.get(toolName)?.opened ?? 0) + (state === 'open' ? 1 : 0);
    byTool.delete(toolName);
    byTool.set(toolName, { toolName, state, sinceMs, openForMs, reason, failureCount, opened });
  }
  return [...byTool.values()];
}
