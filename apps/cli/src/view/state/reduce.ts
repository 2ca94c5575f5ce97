/**
 * The fold from trace events to the view of a turn. Pure; takes events in any order and survives what a damaged trace lacks.
 * Events of another turn change nothing.
 */
import type { TraceEvent } from '@holdfast/core';
import { attemptAbandoned, attemptStarted, lateResult, toolError, toolProgress, toolSucceeded, toolTimeout } from './attempts.ts';
import { circuitMoved } from './circuits.ts';
import type { TurnView } from './model.ts';
import { alternativeUsed, callCompleted, defaultUsed, escalated, toolSkipped } from './outcomes.ts';
import { isRecord, text, time } from './read.ts';
import { changedTotals } from './totals.ts';
import { componentFailed, deadlineReached, emptyTurn, turnCancelled, turnCompleted, turnStarted } from './turn.ts';
import { admissionWaiting, callRefused, callStarted, recoveryDecided, retryScheduled } from './waits.ts';

export function reduceTurn(state: TurnView, event: TraceEvent): TurnView {
  if (!isRecord(event)) return state;
  const turnId = text(event.turn_id) || undefined;
  if (state.turnId !== undefined && turnId !== undefined && turnId !== state.turnId) return state;
  const stamped: TurnView = {
    ...state,
    turnId: state.turnId ?? turnId,
    status: state.status === 'empty' ? 'running' : state.status,
    startedAt: state.startedAt ?? (text(event.timestamp) || undefined),
    elapsedMs: Math.max(state.elapsedMs, time(event.elapsed_ms)),
    events: state.events + 1,
  };
  const folded = fold(stamped, event);
  const same = folded.calls === state.calls && folded.circuits === state.circuits;
  return same ? folded : { ...folded, totals: changedTotals(state.totals, state.calls, folded.calls, folded.circuits) };
}

/** The view after all these events. */
export const viewOf = (events: Iterable<TraceEvent>): TurnView => {
  let view = emptyTurn;
  for (const event of events) view = reduceTurn(view, event);
  return view;
};

function fold(view: TurnView, event: TraceEvent): TurnView {
  switch (event.event_type) {
    case 'TurnStarted':
      return turnStarted(view, event);
    case 'CallStarted':
      return callStarted(view, event);
    case 'AttemptStarted':
      return attemptStarted(view, event);
    case 'ToolProgress':
      return toolProgress(view, event);
    case 'ToolSucceeded':
      return toolSucceeded(view, event);
    case 'ToolTimeout':
      return toolTimeout(view, event);
    case 'ToolError':
      return toolError(view, event);
    case 'CallRefused':
      return callRefused(view, event);
    case 'RecoveryDecided':
      return recoveryDecided(view, event);
    case 'RetryScheduled':
      return retryScheduled(view, event);
    case 'AdmissionWaiting':
      return admissionWaiting(view, event);
    case 'CircuitBreakerOpened':
    case 'CircuitBreakerHalfOpened':
    case 'CircuitBreakerClosed':
      return circuitMoved(view, event);
    case 'AlternativeUsed':
      return alternativeUsed(view, event);
    case 'DefaultUsed':
      return defaultUsed(view, event);
    case 'ToolSkipped':
      return toolSkipped(view, event);
    case 'Escalated':
      return escalated(view, event);
    case 'LateResult':
      return lateResult(view, event);
    case 'AttemptAbandoned':
      return attemptAbandoned(view, event);
    case 'CallCompleted':
      return callCompleted(view, event);
    case 'TurnDeadlineReached':
      return deadlineReached(view, event);
    case 'TurnCancelled':
      return turnCancelled(view);
    case 'TurnCompleted':
      return turnCompleted(view, event);
    case 'ComponentFailed':
      return componentFailed(view, event);
    default:
      return view;
  }
}
