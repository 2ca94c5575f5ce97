/**
 * Owns what an exact replay and its record are compared in, and how a difference is named. Decisions are compared on their own: the replay carries out the
 * recorded ones, so that its events hold those.
 *
 * 1. Compared call by call, the turn's own events as one more call: two events of different calls at one moment may be told in either order.
 * 2. Times are not compared, nor what only they decide (`critical_path`): a step takes none in a replay. Captured arguments are not either, they are for people;
 *    nor events that were told beside the calls (`ComponentFailed`): what failed was the process around the turn, which a replay does not have.
 */
import type { RecordedDecision, RecoveryDecided, TraceEvent, TraceEventBody } from '../engine/trace/events.ts';
import { differencesIn } from './compare-values.ts';
import { isBeside } from './event-fields.ts';

/** A decision that came out otherwise. */
export interface DecisionDifference {
  /** Discriminates the union of replay differences. */
  readonly kind: 'decision';
  /** The place in words: `decision 2 of call 'a'`. */
  readonly where: string;
  /** Id of the call. */
  readonly callId: string;
  /** The number of the decision within the call, from 1. */
  readonly position: number;
  /** The recorded decision; `undefined` where there was none. */
  readonly recorded: RecordedDecision | undefined;
  /** The replayed decision; `undefined` where there is none. */
  readonly replayed: RecordedDecision | undefined;
}

/** The end of a call, or of the turn, says something else. */
export interface ResultDifference {
  /** Discriminates the union of replay differences. */
  readonly kind: 'result';
  /** The place in words: `events[14].status (CallCompleted of call 'a')`. */
  readonly where: string;
  /** Of the recorded event. */
  readonly seq: number;
  /** `undefined`: of the turn. */
  readonly callId: string | undefined;
  /** Of the field, in `CallCompleted` or `TurnCompleted`. */
  readonly field: string;
  /** The recorded value; `undefined` where there was none. */
  readonly recorded: unknown;
  /** The replayed value; `undefined` where there is none. */
  readonly replayed: unknown;
}

/** Something else happened, or it happened otherwise. */
export interface EventDifference {
  /** Discriminates the union of replay differences. */
  readonly kind: 'event';
  /** The place in words: `events[7].error (ToolError of call 'a')`. */
  readonly where: string;
  /** Of the recorded event; where there is none, of the last one before. */
  readonly seq: number;
  /** `undefined`: of the turn. */
  readonly callId: string | undefined;
  /** The number of the event within the call, from 1. */
  readonly position: number;
  /** `undefined`: another event, or none; its types are what was recorded and replayed. */
  readonly field: string | undefined;
  /** The recorded value; `undefined` where there was none. */
  readonly recorded: unknown;
  /** The replayed value; `undefined` where there is none. */
  readonly replayed: unknown;
}

/** One place where the two went different ways. */
export type ReplayDifference = DecisionDifference | ResultDifference | EventDifference;

/** By the decisions that two traces hold. */
export function compareDecisions(recorded: readonly TraceEvent[], replayed: readonly TraceEvent[]): readonly DecisionDifference[] {
  const before = decisionsByCall(recorded);
  const after = decisionsByCall(replayed);
  return [...new Set([...before.keys(), ...after.keys()])].toSorted().flatMap((callId) => {
    const old = before.get(callId) ?? [];
    const made = after.get(callId) ?? [];
    const length = Math.max(old.length, made.length);
    return Array.from({ length }, (_, index) => decisionDifference(callId, index + 1, old[index], made[index])).filter(
      (pair) => !sameDecision(pair.recorded, pair.replayed),
    );
  });
}

/** Decisions made again one by one, each from its own recorded inputs. */
export function compareRemade(
  remade: readonly { readonly event: RecoveryDecided; readonly decision: RecordedDecision }[],
): readonly DecisionDifference[] {
  const positions = new Map<string, number>();
  return remade.flatMap(({ event, decision }) => {
    const position = (positions.get(event.call_id) ?? 0) + 1;
    positions.set(event.call_id, position);
    return sameDecision(event.decision, decision) ? [] : [decisionDifference(event.call_id, position, event.decision, decision)];
  });
}

/** What happened and what came of it: results first. */
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

/** Up to the first event that is another one: what comes behind it cannot be told apart. The results are compared all the same. */
function compareCall(
  callId: CallId,
  old: readonly TraceEvent[],
  made: readonly TraceEventBody[],
): readonly (ResultDifference | EventDifference)[] {
  const found: (ResultDifference | EventDifference)[] = [];
  for (let index = 0; index < Math.max(old.length, made.length); index++) {
    const [recorded, replayed] = [old[index], made[index]];
    if (recorded?.event_type === replayed?.event_type) {
      if (recorded && replayed && !isEnd(recorded)) found.push(...compareFields(callId, index + 1, recorded, replayed));
      continue;
    }
    const last = recorded ?? old.at(-1);
    const where = last ? `${recorded ? '' : 'after '}${placeOf(last)}` : `call '${callId}'`;
    const types = { recorded: recorded?.event_type, replayed: replayed?.event_type };
    found.push({ kind: 'event', where, seq: last?.seq ?? 0, callId, position: index + 1, field: undefined, ...types });
    break;
  }
  const [end, newEnd] = [old.find(isEnd), made.find(isEnd)];
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
  'inputs.retry_elapsed_ms',
  'inputs.turn_time_left_ms',
]);

function isEnd({ event_type }: TraceEventBody): boolean {
  return event_type === 'CallCompleted' || event_type === 'TurnCompleted';
}

/** Where in a record: its events are numbered from 0 as in the list that was handed over, from 1 in `seq`. */
function placeOf(event: TraceEvent, path?: string): string {
  const of = 'call_id' in event && event.call_id !== undefined ? `call '${event.call_id}'` : 'the turn';
  return `events[${event.seq - 1}]${path === undefined ? '' : `.${path}`} (${event.event_type} of ${of})`;
}

function eventsByCall<Event extends TraceEventBody>(events: readonly Event[]): ReadonlyMap<CallId, readonly Event[]> {
  const calls = new Map<CallId, Event[]>();
  for (const event of events) {
    if (isBeside(event)) continue;
    const callId = 'call_id' in event ? event.call_id : undefined;
    const own = calls.get(callId);
    if (own) own.push(event);
    else calls.set(callId, [event]);
  }
  return calls;
}

function decisionsByCall(events: readonly TraceEvent[]): ReadonlyMap<string, readonly RecordedDecision[]> {
  const calls = new Map<string, RecordedDecision[]>();
  for (const event of events) {
    if (event.event_type !== 'RecoveryDecided') continue;
    const own = calls.get(event.call_id);
    if (own) own.push(event.decision);
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
