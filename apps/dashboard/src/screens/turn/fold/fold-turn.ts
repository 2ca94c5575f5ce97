/** Folds the turn itself: its plan, its circuits, its deadline, its end. */
import type { TraceEvent, TurnOutcome } from '@holdfast/gateway/contract';
import { type DraftTurn, newCall } from './draft.ts';
import { isRecord, records, said, text, texts, time, timeOrNone } from './read.ts';
import type { CircuitMove } from './turn-view.ts';

type Of<Type extends TraceEvent['event_type']> = Extract<TraceEvent, { readonly event_type: Type }>;

export function turnStarted(turn: DraftTurn, event: Of<'TurnStarted'>): void {
  turn.lone = false;
  turn.timeoutMs = timeOrNone(event.timeout_ms);
  turn.onDeadline = text(event.on_deadline, 'detach');
  turn.maxRetries = timeOrNone(event.max_retries);
  turn.concurrency = timeOrNone(event.concurrency);
  turn.profile = text(event.profile);
  turn.seed = text(event.seed);
  turn.settings = isRecord(event.tools) ? event.tools : {};
  turn.baseSettings = event.base;
  turn.circuitsAtStart = isRecord(event.circuits) ? startStates(event.circuits) : [];
  for (const record of records(event.calls)) plan(turn, record);
}

const startStates = (circuits: Readonly<Record<string, unknown>>): { toolId: string; state: string }[] =>
  Object.entries(circuits).flatMap(([toolId, snapshot]) => {
    const state = isRecord(snapshot) ? text(snapshot['state']) : '';
    return state === 'open' || state === 'half_open' ? [{ toolId, state }] : [];
  });

function plan(turn: DraftTurn, record: Readonly<Record<string, unknown>>): void {
  const callId = text(record['call_id'], '?');
  let call = turn.byId.get(callId);
  if (call === undefined) {
    call = newCall(callId, text(record['tool_id'], callId), turn.calls.length);
    turn.calls.push(call);
    turn.byId.set(callId, call);
  }
  call.planned = true;
  call.dependsOn = [...texts(record['depends_on'])];
  call.optional = record['optional'] === true;
  call.critical = record['critical'] === true;
  call.policy = record['policy'];
}

const states: Readonly<Record<string, CircuitMove['state']>> = {
  CircuitBreakerOpened: 'open',
  CircuitBreakerHalfOpened: 'half_open',
  CircuitBreakerClosed: 'closed',
};

export function circuitMoved(
  turn: DraftTurn,
  event: Of<'CircuitBreakerOpened'> | Of<'CircuitBreakerHalfOpened'> | Of<'CircuitBreakerClosed'>,
): void {
  turn.circuits.push({
    seq: event.seq,
    atMs: time(event.elapsed_ms),
    toolId: text(event.tool_id),
    callId: text(event.call_id),
    state: states[event.event_type] ?? 'closed',
    reason: text(event.reason),
    text: text(event.message),
    failureCount: event.event_type === 'CircuitBreakerOpened' ? time(event.failure_count) : 0,
  });
}

/** Work that a detached turn leaves behind goes on; the attempts end here for everyone who waited. */
export function deadlineReached(turn: DraftTurn, event: Of<'TurnDeadlineReached'>): void {
  turn.deadlineReachedMs = time(event.elapsed_ms);
}

export function turnCancelled(turn: DraftTurn, event: Of<'TurnCancelled'>): void {
  turn.cancelledMs = time(event.elapsed_ms);
}

const outcomes: readonly TurnOutcome[] = ['success', 'partial', 'failed', 'deadline', 'cancelled'];

export function turnCompleted(turn: DraftTurn, event: Of<'TurnCompleted'>): void {
  turn.status = 'completed';
  turn.outcome = outcomes.find((outcome) => outcome === event.outcome) ?? 'partial';
  turn.durationMs = time(event.duration_ms, time(event.elapsed_ms));
  turn.criticalPath = [...texts(event.critical_path)];
  turn.summary = said(event.summary);
  turn.escalated ||= event.escalated === true;
}

export function componentFailed(turn: DraftTurn, event: Of<'ComponentFailed'>): void {
  const name = text(event.name);
  turn.faults.push(`${text(event.component, 'component')}${name === '' ? '' : ` ${name}`} failed: ${said(event.error)}`);
}
