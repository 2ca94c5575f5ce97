/**
 * Owns what has to be remembered of turns and calls while they run, so that the folds know what an event is about. Does not own what is made of it.
 *
 * Invariants
 * 1. A turn is forgotten when it has ended; late work of it finds nobody.
 * 2. Bounded: of turns that never end the oldest are forgotten first, as are the calls of a turn beyond its limit.
 */
import type { TraceEvent } from '../../engine/trace/events.ts';
import { turnEndOf } from '../../engine/trace/turn-end.ts';
import { BoundedMap } from './bounded-map.ts';
import type { Mutable } from '../../engine/plain/mutable.ts';
import type { FailureRecord } from './records.ts';

export interface RunningAttempt {
  readonly toolName: string;
  readonly number: number;
  readonly probe: boolean;
  /** `elapsed_ms` of its turn. */
  readonly startedAt: number;
}

interface TrackedFailure {
  /** Of an alternative it is not the tool of the call. */
  readonly toolName: string;
  readonly failure: Mutable<FailureRecord>;
}

type Phase = 'queue_ms' | 'work_ms' | 'backoff_ms';

export interface CallTrack {
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  /** What its time is spent on now, since when, and what it was spent on. */
  phase: Phase;
  phaseSince: number;
  readonly spent: Record<Phase, number>;
  retries: number;
  refused: boolean;
  /** Attempts under way, by number. */
  readonly running: Map<number, RunningAttempt>;
  /** What failed in it, the oldest first. */
  readonly failures: TrackedFailure[];
}

export interface TurnTrack {
  readonly turnId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly calls: BoundedMap<CallTrack>;
}

/** An event with what it is about. */
export interface Seen {
  readonly event: TraceEvent;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly turn: TurnTrack | undefined;
  readonly call: CallTrack | undefined;
  readonly endsTurn: boolean;
}

export interface TrackLimits {
  /** Turns that run. @default 20000 */
  readonly turns?: number;
  /** Calls of one turn that run. @default 2000 */
  readonly callsOfTurn?: number;
}

export class Tracks {
  readonly #turns: BoundedMap<TurnTrack>;
  readonly #callsOfTurn: number;
  #timestamp = '';
  #at = 0;

  constructor({ turns = 20_000, callsOfTurn = 2_000 }: TrackLimits = {}) {
    this.#turns = new BoundedMap(turns);
    this.#callsOfTurn = callsOfTurn;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Before the folds. */
  enter(event: TraceEvent): Seen {
    const at = this.#atOf(event.timestamp);
    const turn = this.#turnOf(event, at);
    const { call_id: callId } = event as { readonly call_id?: string };
    const call = callId === undefined ? undefined : this.#callOf(turn, callId, event);
    if (call) note(call, event);
    return { event, at, turn, call, endsTurn: turnEndOf(event) !== undefined };
  }

  /** Behind the folds. */
  leave({ event, call, turn, endsTurn }: Seen): void {
    if (call && 'attempt' in event && endsAttempt(event)) call.running.delete(event.attempt);
    if (call && event.event_type === 'CallCompleted') turn?.calls.delete(call.callId);
    if (turn && endsTurn) this.#turns.delete(turn.turnId);
  }

  #atOf(timestamp: string): number {
    if (timestamp !== this.#timestamp) {
      const at = Date.parse(timestamp);
      if (!Number.isNaN(at)) this.#at = at;
      this.#timestamp = timestamp;
    }
    return this.#at;
  }

  #turnOf({ event_type, turn_id, seq }: TraceEvent, at: number): TurnTrack | undefined {
    const begins = event_type === 'TurnStarted' || (seq === 1 && event_type === 'CallStarted');
    if (!begins) return this.#turns.get(turn_id);
    const turn: TurnTrack = { turnId: turn_id, startedAt: at, calls: new BoundedMap(this.#callsOfTurn) };
    this.#turns.set(turn_id, turn);
    return turn;
  }

  #callOf(turn: TurnTrack | undefined, callId: string, event: TraceEvent): CallTrack | undefined {
    const known = turn?.calls.get(callId);
    if (known || !turn || event.event_type !== 'CallStarted') return known;
    const call: CallTrack = {
      turnId: turn.turnId,
      callId,
      toolName: event.tool_id,
      phase: 'queue_ms',
      phaseSince: event.elapsed_ms,
      spent: { queue_ms: 0, work_ms: 0, backoff_ms: 0 },
      retries: 0,
      refused: false,
      running: new Map(),
      failures: [],
    };
    turn.calls.set(callId, call);
    return call;
  }
}

/** A time limit alone does not: the failure that comes of it does. */
function endsAttempt({ event_type: type }: TraceEvent): boolean {
  return type === 'ToolSucceeded' || type === 'ToolError' || type === 'LateResult' || type === 'AttemptAbandoned';
}

function note(call: CallTrack, event: TraceEvent): void {
  switch (event.event_type) {
    case 'AttemptStarted': {
      const { tool_id: tool, attempt: number, probe = false, elapsed_ms: startedAt } = event;
      call.running.set(number, { toolName: tool, number, probe, startedAt });
      return enterPhase(call, 'work_ms', startedAt);
    }
    case 'RetryScheduled':
      call.retries += 1;
      return enterPhase(call, 'backoff_ms', event.elapsed_ms);
    case 'AdmissionWaiting':
      return enterPhase(call, 'queue_ms', event.elapsed_ms);
    case 'CallRefused':
      call.refused = true;
      return;
    case 'CallCompleted':
      return enterPhase(call, call.phase, event.elapsed_ms);
    default:
  }
}

function enterPhase(call: CallTrack, phase: Phase, elapsed: number): void {
  call.spent[call.phase] += Math.max(0, elapsed - call.phaseSince);
  call.phase = phase;
  call.phaseSince = elapsed;
}
