/**
 * Owns the turn machine: from a checked plan to a report. Pure: `stepTurn(state, input, now)` changes the state and returns effects.
 *
 *   plan → schedule (what may run now) → settle (what a result means for the others) → report
 *
 * Does not own how one call is run (`../call/machine.ts`).
 *
 * Invariants
 * 1. Every call of the plan gets exactly one result, and the turn settles exactly once, when the last call has.
 * 2. A call starts only after all its dependencies have settled, and never after the deadline or a cancellation.
 * 3. At the deadline the turn settles at once, whatever its tools do.
 * 4. The result does not depend on the order in which the calls were submitted.
 */
import { canonicalSummary, createReport } from './create-report.ts';
import type { TurnEffect, TurnInput } from './protocol.ts';
import { makeReady } from './ready-queue.ts';
import { startReady } from './schedule.ts';
import { endUnstarted, settleCall } from './settle.ts';
import type { TurnState, TurnStep } from './state.ts';

/** Feeds one input to a turn. Changes the state in place. */
export function stepTurn(state: TurnState, input: TurnInput, now: number): readonly TurnEffect[] {
  const step: TurnStep = { state, now, effects: [] };
  if (!state.settled) dispatch(step, input);
  return step.effects;
}

function dispatch(step: TurnStep, input: TurnInput): void {
  switch (input.type) {
    case 'submitted':
      return submit(step);
    case 'call_settled':
      settleCall(step, input.callId, input.result);
      break;
    case 'deadline_reached':
      return reachDeadline(step);
    case 'cancelled':
      return cancel(step, input);
  }
  startReady(step);
  settleTurnWhenDone(step);
}

function submit(step: TurnStep): void {
  const { state, now, effects } = step;
  const { timeoutMs } = state.settings;
  // The time spent on setup counts towards the turn's time.
  if (timeoutMs !== null) effects.push({ type: 'set_deadline', delayMs: Math.max(state.startedAt + timeoutMs - now, 0) });
  for (const call of state.calls.values()) if (call.openDependencies === 0) makeReady(state, call);
  startReady(step);
  settleTurnWhenDone(step);
}

function reachDeadline(step: TurnStep): void {
  const { state, effects } = step;
  const { timeoutMs, onDeadline } = state.settings;
  const calls = [...state.calls.values()];
  const running = calls.filter(({ stage }) => stage === 'running').map(({ node }) => node.callId);
  const waiting = calls.filter(({ stage }) => stage === 'waiting' || stage === 'ready').map(({ node }) => node.callId);
  state.ended = 'deadline';
  effects.push({
    type: 'append',
    event: {
      event_type: 'TurnDeadlineReached',
      timeout_ms: timeoutMs ?? 0,
      running,
      waiting,
      message: 'Turn deadline reached: collecting available results',
    },
  });
  endUnstarted(step, 'deadline');
  for (const callId of running) effects.push({ type: 'expire_call', callId, onDeadline, timeoutMs });
  settleTurnWhenDone(step);
}

function cancel(step: TurnStep, { fault }: Extract<TurnInput, { type: 'cancelled' }>): void {
  const { state, effects } = step;
  state.ended = 'cancelled';
  effects.push({
    type: 'append',
    event: { event_type: 'TurnCancelled', code: fault.kind === 'timeout' ? 'TIMEOUT' : 'CANCELLED', message: fault.text },
  });
  endUnstarted(step, fault);
  for (const { node, stage } of state.calls.values())
    if (stage === 'running') effects.push({ type: 'cancel_call', callId: node.callId, fault });
  settleTurnWhenDone(step);
}

function settleTurnWhenDone({ state, now, effects }: TurnStep): void {
  if (state.unsettled > 0 || state.settled) return;
  state.settled = true;
  const report = createReport(state, now);
  const summary = canonicalSummary(state, report);
  effects.push({ type: 'clear_deadline' });
  effects.push({
    type: 'append',
    event: {
      event_type: 'TurnCompleted',
      outcome: report.outcome,
      summary,
      escalated: report.escalated,
      duration_ms: report.executionTime,
      critical_path: report.criticalPath,
      message: summary,
    },
  });
  effects.push({ type: 'settle', report });
}
