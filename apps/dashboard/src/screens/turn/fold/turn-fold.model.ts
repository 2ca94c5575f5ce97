/**
 * Owns the fold from trace events to the view of a turn. It takes events as they stream and survives what a damaged trace lacks.
 *
 * Invariants
 * 1. Events appended one by one and at once give the same view.
 * 2. An event costs the work on its own call, whatever else is in the turn.
 * 3. An event with a `seq` that was seen already changes nothing, so that a resumed stream may overlap.
 */
import type { TraceEvent } from '@holdfast/gateway/contract';
import { callOf, type DraftTurn, emptyTurn } from './draft.ts';
import { attemptAbandoned, attemptStarted, lateResult, toolError, toolProgress, toolSucceeded, toolTimeout } from './fold-attempts.ts';
import {
  admissionWaiting,
  alternativeUsed,
  callCompleted,
  callRefused,
  callStarted,
  defaultUsed,
  escalated,
  recoveryDecided,
  retryScheduled,
  toolSkipped,
} from './fold-calls.ts';
import { circuitMoved, componentFailed, deadlineReached, turnCancelled, turnCompleted, turnStarted } from './fold-turn.ts';
import { isRecord, said, text, time } from './read.ts';
import type { TurnView } from './turn-view.ts';

export interface TurnFold {
  /** Answers whether any of them was new. */
  append(events: readonly TraceEvent[]): boolean;
  /** Another object after every `append` that brought something; the calls in it are changed in place, `revision` says so. */
  view(): TurnView;
  /** All events, in order. */
  events(): readonly TraceEvent[];
  readonly lastSeq: number;
}

export function createTurnFold(): TurnFold {
  const turn = emptyTurn();
  const events: TraceEvent[] = [];
  let lastSeq = 0;
  let shown: TurnView | undefined;
  return {
    append(more) {
      const before = events.length;
      for (const event of more) {
        if (!isRecord(event)) continue;
        const seq = time(event.seq, lastSeq + 1);
        if (seq <= lastSeq) continue;
        lastSeq = seq;
        events.push(event);
        stamp(turn, event, events.length - 1);
        fold(turn, event);
      }
      if (events.length === before) return false;
      turn.revision += 1;
      shown = undefined;
      return true;
    },
    view: () => (shown ??= { ...turn, calls: turn.calls.slice(), circuits: turn.circuits.slice() }),
    events: () => events,
    get lastSeq() {
      return lastSeq;
    },
  };
}

/** The turn as it was after so many milliseconds. */
export function viewAt(events: readonly TraceEvent[], atMs: number): TurnView {
  const fold = createTurnFold();
  fold.append(events.filter((event) => event.event_type === 'TurnStarted' || time(event.elapsed_ms) <= atMs));
  return { ...fold.view(), elapsedMs: atMs };
}

function stamp(turn: DraftTurn, event: TraceEvent, index: number): void {
  turn.turnId ||= text(event.turn_id);
  turn.startedAt ||= text(event.timestamp);
  turn.elapsedMs = Math.max(turn.elapsedMs, time(event.elapsed_ms));
  turn.events += 1;
  if (turn.status === 'empty') turn.status = 'running';
  if (!('call_id' in event) || typeof event.call_id !== 'string' || typeof (event as { tool_id?: unknown }).tool_id !== 'string') return;
  const call = callOf(turn, event as { call_id: string; tool_id: string; seq: number; elapsed_ms: number });
  call.events.push(index);
  call.revision += 1;
}

function fold(turn: DraftTurn, event: TraceEvent): void {
  switch (event.event_type) {
    case 'TurnStarted':
      return turnStarted(turn, event);
    case 'CallStarted':
      return callStarted(turn, event);
    case 'AttemptStarted':
      return attemptStarted(turn, event);
    case 'ToolProgress':
      return toolProgress(turn, event);
    case 'ToolSucceeded':
      return toolSucceeded(turn, event);
    case 'ToolTimeout':
      return toolTimeout(turn, event);
    case 'ToolError':
      return toolError(turn, event);
    case 'CallRefused':
      return callRefused(turn, event);
    case 'RecoveryDecided':
      return recoveryDecided(turn, event);
    case 'RetryScheduled':
      return retryScheduled(turn, event);
    case 'AdmissionWaiting':
      return admissionWaiting(turn, event);
    case 'CircuitBreakerOpened':
    case 'CircuitBreakerHalfOpened':
    case 'CircuitBreakerClosed':
      return circuitMoved(turn, event);
    case 'AlternativeUsed':
      return alternativeUsed(turn, event);
    case 'DefaultUsed':
      return defaultUsed(turn, event);
    case 'ToolSkipped':
      return toolSkipped(turn, event);
    case 'Escalated':
      return escalated(turn, event);
    case 'LateResult':
      return lateResult(turn, event);
    case 'AttemptAbandoned':
      return attemptAbandoned(turn, event);
    case 'CallCompleted':
      callCompleted(turn, event);
      if (event.ends_turn === true) endLone(turn, event);
      return;
    case 'TurnDeadlineReached':
      return deadlineReached(turn, event);
    case 'TurnCancelled':
      return turnCancelled(turn, event);
    case 'TurnCompleted':
      return turnCompleted(turn, event);
    case 'ComponentFailed':
      return componentFailed(turn, event);
    default:
  }
}

/** A lone call is its own turn. */
function endLone(turn: DraftTurn, event: Extract<TraceEvent, { readonly event_type: 'CallCompleted' }>): void {
  turn.status = 'completed';
  turn.outcome = event.status === 'success' ? 'success' : 'failed';
  turn.durationMs = time(event.elapsed_ms);
  turn.summary = event.status === 'success' ? `Completed ${text(event.tool_id)}` : said(event.error, `${text(event.tool_id)} failed`);
}
