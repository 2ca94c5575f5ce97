/**
 * Owns the state of running turns and calls, so that the folds know the context of an event. Does not own what the folds do with it.
 *
 * Invariants
 * 1. A turn is removed when it has ended; its late work has no context.
 * 2. Bounded: the oldest turns that never end are evicted first, as are the oldest calls of a turn beyond its limit.
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
  /** `elapsed_ms` of the event that started it. */
  readonly startedAt: number;
}

interface TrackedFailure {
  /** The tool that ran: for an alternative, not the tool of the call. */
  readonly toolName: string;
  readonly failure: Mutable<FailureRecord>;
}

type Phase = 'queue_ms' | 'work_ms' | 'backoff_ms';

export interface TrackedCall {
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  /** The current phase, since when, and the time spent in each phase. */
  phase: Phase;
  phaseSince: number;
  readonly spent: Record<Phase, number>;
  retries: number;
  refused: boolean;
  /** Running attempts by number. */
  readonly running: Map<number, RunningAttempt>;
  /** Failures of the call, oldest first. */
  readonly failures: TrackedFailure[];
}

export interface TrackedTurn {
  readonly turnId: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly calls: BoundedMap<TrackedCall>;
}

/** An event with its turn and call. */
export interface TrackedEvent {
  readonly event: TraceEvent;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly turn: TrackedTurn | undefined;
  readonly call: TrackedCall | undefined;
  readonly endsTurn: boolean;
}

export interface OpenTurnLimits {
  /** Running turns. @default 20000 */
  readonly turns?: number;
  /** Running calls of one turn. @default 2000 */
  readonly callsOfTurn?: number;
}

export class OpenTurns {
  readonly #turns: BoundedMap<TrackedTurn>;
  readonly #callsOfTurn: number;
  #timestamp = '';
  #at = 0;

  constructor({ turns = 20_000, callsOfTurn = 2_000 }: OpenTurnLimits = {}) {
    this.#turns = new BoundedMap(turns);
    this.#callsOfTurn = callsOfTurn;
  }

  get size(): number {
    return this.#turns.size;
  }

  /** Call before the folds process the event. */
  enter(event: TraceEvent): TrackedEvent {
    const at = this.#atOf(event.timestamp);
    const turn = this.#turnOf(event, at);
    const { call_id: callId } = event as { readonly call_id?: string };
    const call = callId === undefined ? undefined : this.#callOf(turn, callId, event);
    if (call) note(call, event);
    return { event, at, turn, call, endsTurn: turnEndOf(event) !== undefined };
  }

  /** Call after the folds have processed the event. */
  leave({ event, call, turn, endsTurn }: TrackedEvent): void {
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

  #turnOf({ event_type, turn_id, seq }: TraceEvent, at: number): TrackedTurn | undefined {
    const begins = event_type === 'TurnStarted' || (seq === 1 && event_type === 'CallStarted');
    if (!begins) return this.#turns.get(turn_id);
    const turn: TrackedTurn = { turnId: turn_id, startedAt: at, calls: new BoundedMap(this.#callsOfTurn) };
    this.#turns.set(turn_id, turn);
    return turn;
  }

  #callOf(turn: TrackedTurn | undefined, callId: string, event: TraceEvent): TrackedCall | undefined {
    const known = turn?.calls.get(callId);
    if (known || !turn || event.event_type !== 'CallStarted') return known;
    const call: TrackedCall = {
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

/** A timeout alone does not end an attempt; the failure that follows does. */
function endsAttempt({ event_type: type }: TraceEvent): boolean {
  return type === 'ToolSucceeded' || type === 'ToolError' || type === 'LateResult' || type === 'AttemptAbandoned';
}

function note(call: TrackedCall, event: TraceEvent): void {
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

function enterPhase(call: TrackedCall, phase: Phase, elapsed: number): void {
  call.spent[call.phase] += Math.max(0, elapsed - call.phaseSince);
  call.phase = phase;
  call.phaseSince = elapsed;
}
