/**
 * Owns the comparison of an exact replay with its record, and the description of differences. Decisions are compared separately, since the replay executes the
 * recorded ones and its events contain those.
 *
 * 1. Compared call by call, with the events of the turn as a further call: events of different calls at the same moment may be recorded in either order.
 * 2. Not compared are times and `critical_path`, which depends on them, since steps take no time in a replay; captured arguments, which are for people; settings, which
 *    the replay has from the record; and
 *    events outside the calls (`ComponentFailed`), which are about the process around the turn.
 */
import type { RecordedDecision, RecoveryDecided, TraceEvent, TraceEventBody } from '../engine/trace/events.ts';
import { differencesIn } from './compare-values.ts';
import { isOutsideCalls } from './event-fields.ts';

/** A decision that differs. */
export interface DecisionDifference {
  /** Discriminates the union of replay differences. */
  readonly kind: 'decision';
  /** The position in words: `decision 2 of call 'a'`. */
  readonly where: string;
  /** Id of the call. */
  readonly callId: string;
  /** Number of the decision within the call, from 1. */
  readonly position: number;
  /** The recorded decision; `undefined` when there was none. */
  readonly recorded: RecordedDecision | undefined;
  /** The replayed decision; `undefined` when there is none. */
  readonly replayed: RecordedDecision | undefined;
}

/** A field of the end of a call or of the turn that differs. */
export interface ResultDifference {
  /** Discriminates the union of replay differences. */
  readonly kind: 'result';
  /** The position in words: `events[14].status (CallCompleted of call 'a')`. */
  readonly where: string;
  /** `seq` of the recorded event. */
  readonly seq: number;
  /** Id of the call; `undefined` for an event of the turn. */
  readonly callId: string | undefined;
  /** Path of the field in `CallCompleted` or `TurnCompleted`. */
  readonly field: string;
  /** The recorded value; `undefined` when there was none. */
  readonly recorded: unknown;
  /** The replayed value; `undefined` when there is none. */
  readonly replayed: unknown;
}

/** An event that differs. */
export interface EventDifference {
  /** Discriminates the union of replay differences. */
  readonly kind: 'event';
  /** The position in words: `events[7].error (ToolError of call 'a')`. */
  readonly where: string;
  /** `seq` of the recorded event; when there is none, of the event before it. */
  readonly seq: number;
  /** Id of the call; `undefined` for an event of the turn. */
  readonly callId: string | undefined;
  /** Number of the event within the call, from 1. */
  readonly position: number;
  /** Path of the field; `undefined` when the events have different types or one is missing: `recorded` and `replayed` are the types then. */
  readonly field: string | undefined;
  /** The recorded value; `undefined` when there was none. */
  readonly recorded: unknown;
  /** The replayed value; `undefined` when there is none. */
  readonly replayed: unknown;
}

/** One difference between a record and its replay. */
export type ReplayDifference = DecisionDifference | ResultDifference | EventDifference;

/** Compares the decisions of two traces. */
export function compareDecisions(recorded: readonly TraceEvent[], replayed: readonly TraceEvent[]): readonly DecisionDifference[] {
  const before = decisionsByCall(recorded);
  const after = decisionsByCall(replayed);
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((callId) => {
    const oldDecisions = before.get(callId) ?? [];
    const newDecisions = after.get(callId) ?? [];
    const length = Math.max(oldDecisions.length, newDecisions.length);
    return Array.from({ length }, (_, index) => decisionDifference(callId, index + 1, oldDecisions[index], newDecisions[index])).filter(
      (pair) => !sameDecision(pair.recorded, pair.replayed),
    );
  });
}

/** Compares decisions that were computed again, each from its recorded inputs. */
export function compareRecomputed(
  recomputed: readonly { readonly event: RecoveryDecided; readonly decision: RecordedDecision }[],
): readonly DecisionDifference[] {
  const positions = new Map<string, number>();
  return recomputed.flatMap(({ event, decision }) => {
    const position = (positions.get(event.call_id) ?? 0) + 1;
    positions.set(event.call_id, position);
    return sameDecision(event.decision, decision) ? [] : [decisionDifference(event.call_id, position, event.decision, decision)];
  });
}

/** Compares the events of two traces. Returns results first. */
export function compareEvents(
  recorded: readonly TraceEvent[],
  replayed: readonly TraceEventBody[],
): readonly (ResultDifference | EventDifference)[] {
  const before = eventsByCall(recorded);
  const after = eventsByCall(replayed);
  const callIds = [...new Set([...before.keys(), ...after.keys()])];
  const found = callIds.flatMap((callId) => compareCall(callId, before.get(callId) ?? [], after.get(callId) ?? []));
  return [...found.filter(({ kind }) => kind === 'result'), ...found.filter(({ kind }) => kind === 'event')];
}

type CallId = string | undefined;

/** Compares up to the first event of a different type, since later events cannot be matched. The results are always compared. */
function compareCall(
  callId: CallId,
  oldEvents: readonly TraceEvent[],
  newEvents: readonly TraceEventBody[],
): readonly (ResultDifference | EventDifference)[] {
  const found: (ResultDifference | EventDifference)[] = [];
  for (let index = 0; index < Math.max(oldEvents.length, newEvents.length); index++) {
    const [recorded, replayed] = [oldEvents[index], newEvents[index]];
    if (recorded?.event_type === replayed?.event_type) {
      if (recorded && replayed && !isEnd(recorded)) found.push(...compareFields(callId, index + 1, recorded, replayed));
      continue;
    }
    const last = recorded ?? oldEvents.at(-1);
    const where = last ? `${recorded ? '' : 'after '}${placeOf(last)}` : `call '${callId}'`;
    const types = { recorded: recorded?.event_type, replayed: replayed?.event_type };
    found.push({ kind: 'event', where, seq: last?.seq ?? 0, callId, position: index + 1, field: undefined, ...types });
    break;
  }
  const [end, newEnd] = [oldEvents.find(isEnd), newEvents.find(isEnd)];
  return end && newEnd ? [...compareEnds(callId, end, newEnd), ...found] : found;
}

function compareFields(callId: CallId, position: number, recorded: TraceEvent, replayed: TraceEventBody): readonly EventDifference[] {
  return differencesIn(recorded, replayed, notCompared).map(({ path, ...values }) => ({
    kind: 'event',
    where: placeOf(recorded, path),
    seq: recorded.seq,
    callId,
    position,
    field: path,
    ...values,
  }));
}

function compareEnds(callId: CallId, recorded: TraceEvent, replayed: TraceEventBody): readonly ResultDifference[] {
  return differencesIn(recorded, replayed, notCompared).map(({ path, ...values }) => ({
    kind: 'result',
    where: placeOf(recorded, path),
    seq: recorded.seq,
    callId,
    field: path,
    ...values,
  }));
}

const notCompared: ReadonlySet<string> = new Set([
  'turn_id',
  'seq',
  'timestamp',
  'elapsed_ms',
  'duration_ms',
  'execution_time_ms',
  'critical_path',
  'arguments',
  'settings',
  'inputs.retry_elapsed_ms',
  'inputs.turn_time_left_ms',
]);

function isEnd({ event_type }: TraceEventBody): boolean {
  return event_type === 'CallCompleted' || event_type === 'TurnCompleted';
}

/** Describes the position of an event: its index in the list, from 0; `seq` counts from 1. */
function placeOf(event: TraceEvent, path?: string): string {
  const of = 'call_id' in event && event.call_id !== undefined ? `call '${event.call_id}'` : 'the turn';
  return `events[${event.seq - 1}]${path === undefined ? '' : `.${path}`} (${event.event_type} of ${of})`;
}

function eventsByCall<Event extends TraceEventBody>(events: readonly Event[]): ReadonlyMap<CallId, readonly Event[]> {
  const calls = new Map<CallId, Event[]>();
  for (const event of events) {
    if (isOutsideCalls(event)) continue;
    const callId = 'call_id' in event ? event.call_id : undefined;
    const ofCall = calls.get(callId);
    if (ofCall) ofCall.push(event);
    else calls.set(callId, [event]);
  }
  return calls;
}

function decisionsByCall(events: readonly TraceEvent[]): ReadonlyMap<string, readonly RecordedDecision[]> {
  const calls = new Map<string, RecordedDecision[]>();
  for (const event of events) {
    if (event.event_type !== 'RecoveryDecided') continue;
    const ofCall = calls.get(event.call_id);
    if (ofCall) ofCall.push(event.decision);
    else calls.set(event.call_id, [event.decision]);
  }
  return calls;
}

function decisionDifference(
  callId: string,
  position: number,
  recorded: RecordedDecision | undefined,
  replayed: RecordedDecision | undefined,
): DecisionDifference {
  return { kind: 'decision', where: `decision ${position} of call '${callId}'`, callId, position, recorded, replayed };
}

function sameDecision(a: RecordedDecision | undefined, b: RecordedDecision | undefined): boolean {
  return a?.action === b?.action && a?.alternative === b?.alternative && a?.delay_ms === b?.delay_ms && a?.stopped_by === b?.stopped_by;
}
