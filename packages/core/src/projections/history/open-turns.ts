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

/** What the time of a call is spent on; `failed_ms`: in attempts that did not succeed; `late_ms`: after a backoff, while its process was busy. */
type Phase = 'queue_ms' | 'hint_ms' | 'recovery_ms' | 'work_ms' | 'failed_ms' | 'backoff_ms' | 'late_ms';

export interface TrackedCall {
  readonly turnId: string;
  readonly callId: string;
  readonly toolName: string;
  /** The current phase, since when, and the time spent in each phase. */
  phase: Phase;
  phaseSince: number;
  /** When the backoff is over, in milliseconds from the start of the turn. */
  backoffUntil: number;
  readonly spent: Record<Phase, number>;
  /** Attempts beyond the first of each tool, without hedges. */
  retries: number;
  /** Tools with at least one attempt. */
  readonly attempted: Set<string>;
  refused: boolean;
  /** When it began to wait at a gate; `undefined` while it does not. */
  waitsSince: number | undefined;
  /** How long it has waited at gates, without its backoff. */
  waitedMs: number;
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
  /** Whether an attempt starts that is a retry: its tool has made one for the call before, and this one does not run beside it. */
  readonly isRetry: boolean;
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
    const isRetry = call !== undefined && event.event_type === 'AttemptStarted' && !event.hedge && call.attempted.has(event.tool_id);
    if (isRetry) call.retries += 1;
    if (call) note(call, event);
    return { event, at, turn, call, isRetry, endsTurn: turnEndOf(event) !== undefined };
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
      backoffUntil: 0,
      spent: { queue_ms: 0, hint_ms: 0, recovery_ms: 0, work_ms: 0, failed_ms: 0, backoff_ms: 0, late_ms: 0 },
      retries: 0,
      attempted: new Set(),
      refused: false,
      waitsSince: undefined,
      waitedMs: 0,
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

const endsWait: ReadonlySet<TraceEvent['event_type']> = new Set(['AttemptStarted', 'CallRefused', 'RetryScheduled', 'CallCompleted']);

function noteWait(call: TrackedCall, { event_type: type, elapsed_ms: now }: TraceEvent): void {
  if (type === 'AdmissionWaiting') call.waitsSince ??= now;
  if (call.waitsSince === undefined || !endsWait.has(type)) return;
  call.waitedMs += Math.max(0, now - call.waitsSince);
  call.waitsSince = undefined;
}

function note(call: TrackedCall, event: TraceEvent): void {
  noteWait(call, event);
  switch (event.event_type) {
    case 'AttemptStarted': {
      const { tool_id: tool, attempt: number, probe = false, elapsed_ms: startedAt } = event;
      call.attempted.add(tool);
      call.running.set(number, { toolName: tool, number, probe, startedAt });
      return enterPhase(call, 'work_ms', startedAt);
    }
    case 'ToolError':
      // Its time was not work. While another attempt of the call runs, the time is that attempt's.
      if (call.phase === 'work_ms' && call.running.size <= 1) endWork(call, event.elapsed_ms, 'failed_ms');
      return;
    case 'ToolSucceeded':
      if (call.phase === 'work_ms') endWork(call, event.elapsed_ms, 'work_ms');
      return;
    case 'RetryScheduled':
      enterPhase(call, 'backoff_ms', event.elapsed_ms);
      call.backoffUntil = event.elapsed_ms + event.delay_ms;
      return;
    case 'AdmissionWaiting':
      return enterPhase(call, waits[event.wait], event.elapsed_ms);
    case 'CallRefused':
      call.refused = true;
      return;
    case 'CallCompleted':
      // An attempt that still runs was cut off.
      if (call.phase === 'work_ms') return endWork(call, event.elapsed_ms, 'failed_ms');
      return enterPhase(call, call.phase, event.elapsed_ms);
    default:
  }
}

const waits = { concurrency: 'queue_ms', retry_after: 'hint_ms', recovery: 'recovery_ms', retry_budget: 'recovery_ms' } as const;

function endWork(call: TrackedCall, elapsed: number, spentOn: Phase): void {
  call.phase = spentOn;
  enterPhase(call, 'queue_ms', elapsed);
}

function enterPhase(call: TrackedCall, phase: Phase, elapsed: number): void {
  const passed = Math.max(0, elapsed - call.phaseSince);
  const late = call.phase === 'backoff_ms' ? Math.max(0, Math.min(passed, elapsed - call.backoffUntil)) : 0;
  call.spent[call.phase] += passed - late;
  call.spent.late_ms += late;
  call.phase = phase;
  call.phaseSince = elapsed;
}
