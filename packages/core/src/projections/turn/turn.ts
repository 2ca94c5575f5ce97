/** Folds the events of the turn itself: plan, circuits, deadline, end. */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { CallCompleted } from '../../engine/trace/events/call.ts';
import type { CircuitBreakerClosed, CircuitBreakerHalfOpened, CircuitBreakerOpened } from '../../engine/trace/events/circuit.ts';
import type { ComponentFailed, TurnCancelled, TurnCompleted, TurnDeadlineReached, TurnStarted } from '../../engine/trace/events/turn.ts';
import type { Stamp } from '../../engine/trace/events.ts';
import { turnEndOf } from '../../engine/trace/turn-end.ts';
import type { TurnOutcome } from '../../engine/turn/report.ts';
import { completeSettings, isProfile } from '../../engine/settings/settings-difference.ts';
import { addCall, type DraftCall, type DraftTurn } from './draft.ts';
import { isRecord, record, records, text, texts, time, timeOrNone } from './fields.ts';

export function turnStarted(turn: DraftTurn, event: TurnStarted & Stamp): void {
  turn.single = false;
  turn.timeoutMs = timeOrNone(event.timeout_ms);
  turn.onDeadline = event.on_deadline === 'abort' ? 'abort' : 'detach';
  turn.maxRetries = timeOrNone(event.max_retries);
  turn.concurrency = timeOrNone(event.concurrency);
  turn.profile = text(event.profile);
  turn.seed = text(event.seed);
  turn.settings = isRecord(event.tools) ? event.tools : {};
  turn.baseSettings = event.base;
  turn.circuitsAtStart = isRecord(event.circuits) ? openCircuits(event.circuits) : [];
  for (const planned of records(event.calls as unknown)) planCall(turn, planned);
  orderByPlan(turn, event.calls);
}

/** A single call has its settings in a short form. */
export function singleCallStarted(turn: DraftTurn, call: DraftCall, settings: Readonly<Record<string, unknown>>): void {
  turn.timeoutMs = timeOrNone(settings['timeout_ms']);
  turn.maxRetries = timeOrNone(settings['max_retries']);
  turn.profile = text(settings['profile']);
  turn.seed = text(settings['seed']);
  turn.circuitsAtStart = openCircuits(record(settings['circuits']));
  call.policy = settings['policy'];
  const { profile } = turn;
  if (!isProfile(profile)) return;
  turn.settings = Object.fromEntries(
    Object.entries(record(settings['tools'])).map(([name, own]) => [name, completeSettings(profile, own)]),
  );
  turn.baseSettings = completeSettings(profile, settings['base']);
}

/** The snapshots hold more than the state, which is all that a view needs. */
function openCircuits(circuits: Readonly<Record<string, unknown>>): { toolName: string; state: CircuitState }[] {
  return Object.entries(circuits).flatMap(([toolName, snapshot]) => {
    const state = isRecord(snapshot) ? snapshot['state'] : undefined;
    return state === 'open' || state === 'half_open' ? [{ toolName, state }] : [];
  });
}

function planCall(turn: DraftTurn, planned: Readonly<Record<string, unknown>>): void {
  const callId = text(planned['call_id'], '?');
  const call = turn.byId.get(callId) ?? addCall(turn, callId, text(planned['tool_id'], callId));
  call.planned = true;
  call.dependsOn = [...texts(planned['depends_on'])];
  call.optional = planned['optional'] === true;
  call.critical = planned['critical'] === true;
  call.policy = planned['policy'];
}

/** Sorts calls that appeared before the plan after those of the plan. */
function orderByPlan(turn: DraftTurn, plan: unknown): void {
  const ordered = new Set(records(plan).flatMap((planned) => turn.byId.get(text(planned['call_id'], '?')) ?? []));
  for (const call of turn.calls) ordered.add(call);
  turn.calls = [...ordered];
  for (const [index, call] of turn.calls.entries()) call.index = index;
}

type CircuitEvent = CircuitBreakerOpened | CircuitBreakerHalfOpened | CircuitBreakerClosed;

const states: Readonly<Record<CircuitEvent['event_type'], CircuitState>> = {
  CircuitBreakerOpened: 'open',
  CircuitBreakerHalfOpened: 'half_open',
  CircuitBreakerClosed: 'closed',
};

export function circuitChanged(turn: DraftTurn, event: CircuitEvent & Stamp): void {
  const opened = event.event_type === 'CircuitBreakerOpened';
  turn.circuits.push({
    seq: event.seq,
    atMs: time(event.elapsed_ms),
    toolName: text(event.tool_id),
    callId: text(event.call_id),
    state: states[event.event_type],
    reason: text(event.reason),
    message: text(event.message),
    failureCount: opened ? time(event.failure_count) : 0,
    openForMs: opened ? timeOrNone(event.open_for_ms) : undefined,
  });
}

/** Ends the running attempts of a detached turn for the view; their work continues. */
export function deadlineReached(turn: DraftTurn, event: TurnDeadlineReached & Stamp): void {
  const atMs = time(event.elapsed_ms);
  turn.deadlineReachedMs = atMs;
  if (turn.onDeadline === 'abort') return;
  for (const callId of texts(event.running)) {
    const call = turn.byId.get(callId);
    const attempt = call?.segments.findLast(({ kind, endMs }) => kind === 'attempt' && endMs === undefined);
    if (call === undefined || attempt === undefined || call.late !== undefined) continue;
    call.late = 'running';
    call.revision += 1;
    attempt.endMs = Math.max(attempt.startMs, atMs);
    attempt.result = 'timeout';
  }
}

export function turnCancelled(turn: DraftTurn, event: TurnCancelled & Stamp): void {
  turn.cancelledMs = time(event.elapsed_ms);
}

const outcomes: readonly TurnOutcome[] = ['success', 'partial', 'failed', 'deadline', 'cancelled'];

export function turnCompleted(turn: DraftTurn, event: TurnCompleted & Stamp): void {
  turn.status = 'completed';
  turn.outcome = outcomes.find((outcome) => outcome === event.outcome) ?? 'partial';
  turn.durationMs = time(event.duration_ms, time(event.elapsed_ms));
  turn.criticalPath = [...texts(event.critical_path)];
  turn.summary = turn.message(event.summary);
  turn.escalated ||= event.escalated === true;
}

/** A call outside any turn ends its trace. */
export function singleCallCompleted(turn: DraftTurn, event: CallCompleted & Stamp): void {
  const end = turnEndOf(event);
  turn.status = 'completed';
  turn.outcome = end?.outcome;
  turn.durationMs = time(event.elapsed_ms);
  turn.summary = turn.message(end?.summary);
}

export function componentFailed(turn: DraftTurn, event: ComponentFailed & Stamp): void {
  const name = text(event.name);
  turn.faults.push(`${text(event.component, 'component')}${name === '' ? '' : ` ${name}`} failed: ${turn.message(event.error)}`);
}
