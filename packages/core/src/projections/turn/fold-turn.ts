/**
 * Owns the fold from the events of one turn to its view: the only place that interprets the events of a turn.
 *
 * Invariants
 * 1. Events observed one by one give the same view as all at once.
 * 2. The cost of an event depends on its own call, not on the size of the turn.
 * 3. It never throws: events may come from a damaged trace, in any order. Events of another turn change nothing.
 */
import { checkRule, iterableRule } from '../../engine/settings/check.ts';
import { checkOptions } from '../../engine/settings/check-options.ts';
import type { TraceEvent } from '../../engine/trace/events.ts';
import * as attempts from './attempts.ts';
import * as calls from './calls.ts';
import { callOf, emptyTurn, type CallEvent, type DraftTurn } from './draft.ts';
import { isRecord, text, time } from './fields.ts';
import * as turns from './turn.ts';
import type { TurnView } from './turn-view.ts';

/** Options of `foldTurn` and `createTurnFold`. */
export interface TurnFoldOptions {
  /** Applied to every message that a tool, a model or a user wrote, such as to make control characters visible. @default unchanged */
  readonly cleanMessage?: (message: string) => string;
}

/** Folds the events of one turn into a view, one by one. */
export interface TurnFold {
  /** Processes the next event. Returns whether it belongs to the turn. */
  observe(event: TraceEvent): boolean;
  /**
   * Returns the current view: the same object until the next event. Later events change its calls in place; compare the `revision` of a call to detect that.
   */
  view(): TurnView;
}

/** Creates a fold for the events of one turn. @see `foldTurn` for a complete list of events */
export function createTurnFold(options: TurnFoldOptions = {}): TurnFold {
  checkOptions({ cleanMessage: 'function' }, options, 'createTurnFold');
  const { cleanMessage = (message) => message } = options;
  const turn = emptyTurn(cleanMessage);
  let view: TurnView | undefined;
  return {
    observe(event) {
      if (!isRecord(event) || !belongs(turn, event)) return false;
      stamp(turn, event);
      fold(turn, event);
      view = undefined;
      return true;
    },
    view: () => (view ??= viewOf(turn)),
  };
}

/** Returns the view of a turn after all of these events. */
export function foldTurn(events: Iterable<TraceEvent>, options?: TurnFoldOptions): TurnView {
  checkRule(iterableRule, events, 'foldTurn: events');
  const fold = createTurnFold(options);
  for (const event of events) fold.observe(event);
  return fold.view();
}

function viewOf({ byId: _byId, message: _message, ...turn }: DraftTurn): TurnView {
  return { ...turn, calls: turn.calls.slice(), circuits: turn.circuits.slice(), faults: turn.faults.slice() };
}

function belongs(turn: DraftTurn, event: TraceEvent): boolean {
  const turnId = text(event.turn_id);
  return turn.turnId === '' || turnId === '' || turn.turnId === turnId;
}

function stamp(turn: DraftTurn, event: TraceEvent): void {
  turn.turnId ||= text(event.turn_id);
  turn.startedAt ||= text(event.timestamp);
  turn.elapsedMs = Math.max(turn.elapsedMs, time(event.elapsed_ms));
  turn.revision += 1;
  if (turn.status === 'empty') turn.status = 'running';
  if (isCallEvent(event)) {
    const call = callOf(turn, event);
    call.events.push(turn.events);
    call.revision += 1;
  }
  turn.events += 1;
}

function isCallEvent(event: TraceEvent): event is TraceEvent & CallEvent {
  const { call_id, tool_id } = event as Partial<CallEvent>;
  return typeof call_id === 'string' && call_id !== '' && typeof tool_id === 'string';
}

function fold(turn: DraftTurn, event: TraceEvent): void {
  switch (event.event_type) {
    case 'TurnStarted':
      return turns.turnStarted(turn, event);
    case 'TurnDeadlineReached':
      return turns.deadlineReached(turn, event);
    case 'TurnCancelled':
      return turns.turnCancelled(turn, event);
    case 'TurnCompleted':
      return turns.turnCompleted(turn, event);
    case 'ComponentFailed':
      return turns.componentFailed(turn, event);
    case 'CircuitBreakerOpened':
    case 'CircuitBreakerHalfOpened':
    case 'CircuitBreakerClosed':
      return turns.circuitChanged(turn, event);
    default:
      if (isCallEvent(event)) foldCall(turn, event);
  }
}

function foldCall(turn: DraftTurn, event: TraceEvent): void {
  switch (event.event_type) {
    case 'CallStarted':
      return calls.callStarted(turn, event);
    case 'AttemptStarted':
      return attempts.attemptStarted(turn, event);
    case 'ToolProgress':
      return attempts.toolProgress(turn, event);
    case 'ToolSucceeded':
      return attempts.toolSucceeded(turn, event);
    case 'ToolTimeout':
      return attempts.toolTimeout(turn, event);
    case 'ToolError':
      return attempts.toolError(turn, event);
    case 'CallRefused':
      return calls.callRefused(turn, event);
    case 'RecoveryDecided':
      return calls.recoveryDecided(turn, event);
    case 'RetryScheduled':
      return calls.retryScheduled(turn, event);
    case 'AdmissionWaiting':
      return calls.admissionWaiting(turn, event);
    case 'AlternativeUsed':
      return calls.alternativeUsed(turn, event);
    case 'DefaultUsed':
      return calls.defaultUsed(turn, event);
    case 'ToolSkipped':
      return calls.toolSkipped(turn, event);
    case 'Escalated':
      return calls.escalated(turn, event);
    case 'LateResult':
      return attempts.lateResult(turn, event);
    case 'AttemptAbandoned':
      return attempts.attemptAbandoned(turn, event);
    case 'CallCompleted':
      calls.callCompleted(turn, event);
      if (event.ends_turn === true) turns.singleCallCompleted(turn, event);
      return;
    default:
  }
}
