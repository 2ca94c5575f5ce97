/** Counts a turn. Derived from the calls alone, so no number can disagree with the rows above it. */
import type { CallView, CircuitView, SpanView, TotalsView } from './model.ts';

export function totalsOf(calls: readonly CallView[], circuits: readonly CircuitView[]): TotalsView {
  return changedTotals(nothing, [], calls, circuits);
}

/** The totals after a change: only calls that are another object than before are counted anew. */
export function changedTotals(
  totals: TotalsView,
  before: readonly CallView[],
  calls: readonly CallView[],
  circuits: readonly CircuitView[],
): TotalsView {
  const changed: Mutable<TotalsView> = { ...totals };
  for (let index = 0; index < Math.max(before.length, calls.length); index += 1) {
    const old = before[index];
    const call = calls[index];
    if (old === call) continue;
    if (old !== undefined) add(changed, countCall(old), -1);
    if (call !== undefined) add(changed, countCall(call), 1);
  }
  changed.circuitsOpened = circuits.reduce((sum, { opened }) => sum + opened, 0);
  return changed;
}

function add(totals: Mutable<TotalsView>, share: TotalsView, sign: 1 | -1): void {
  for (const key of keys) totals[key] += sign * share[key];
}

type Mutable<Type> = { -readonly [Key in keyof Type]: Type[Key] };

const nothing: TotalsView = {
  calls: 0,
  waiting: 0,
  active: 0,
  succeeded: 0,
  failed: 0,
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
  circuitsOpened: 0,
  escalated: 0,
  orphans: 0,
  workMs: 0,
  pausedMs: 0,
};
const keys = Object.keys(nothing) as readonly (keyof TotalsView)[];

const countedAs: Readonly<Record<CallView['status'], keyof TotalsView>> = {
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
};

function countCall(call: CallView): TotalsView {
  const ownTool = call.result === undefined || (call.result.servedBy === call.toolId && !call.result.fallbackUsed);
  const otherTool = call.status === 'success' && call.result !== undefined && call.result.servedBy !== call.toolId;
  const retried = call.retries > 0 && call.failures.length > 0 && !otherTool;
  const share: Mutable<TotalsView> = {
    ...nothing,
    calls: 1,
    attempts: call.attempts,
    retries: call.retries,
    retried: retried ? 1 : 0,
    recovered: retried && ownTool && call.status === 'success' ? 1 : 0,
    alternatives: call.alternatives.length > 0 ? 1 : 0,
    defaults: call.defaults.length,
    escalated: call.escalation === undefined ? 0 : 1,
    orphans: call.orphan === undefined ? 0 : 1,
    workMs: Math.round(lengthOf(call.spans, 'attempt')),
    pausedMs: Math.round(lengthOf(call.spans, 'backoff') + lengthOf(call.spans, 'queue')),
  };
  share[countedAs[call.status]] = 1;
  return share;
}

const lengthOf = (spans: readonly SpanView[], kind: SpanView['kind']): number =>
  spans.reduce((sum, span) => (span.kind === kind && span.endMs !== undefined ? sum + span.endMs - span.startMs : sum), 0);
