/**
 * Owns folding the trace to one record per finished call, together with its announcement.
 *
 * Invariants
 * 1. A call is reported once, when it has ended; late results are not.
 * 2. The number of stored announcements is bounded, even if calls never end.
 */
import type { TraceEvent } from '@holdfast/core';
import type { Era } from '@holdfast/mcp-wire/server';
import type { Announce, CallAnnouncement, TurnAnnouncement } from './announcement.ts';

/** `refused`: no tool has run. `fallback` and `partial` are successful results, too. */
export type CallOutcome = 'success' | 'fallback' | 'partial' | 'skipped' | 'refused' | 'cancelled' | 'timeout' | 'failed';

export interface FinishedCall {
  /** ISO 8601, UTC. */
  readonly time: string;
  readonly callId: string;
  readonly turnId: string;
  readonly toolName: string;
  readonly server: string | undefined;
  readonly status: 'success' | 'error' | 'timeout';
  readonly outcome: CallOutcome;
  readonly code: string | undefined;
  readonly category: string | undefined;
  /** Redacted in the trace. */
  readonly error: string | undefined;
  readonly attempts: number;
  readonly servedBy: string;
  readonly durationMs: number;
  readonly principal: string | undefined;
  readonly client: string | undefined;
  readonly era: Era | undefined;
  /** `undefined` also if they were not announced. */
  readonly arguments: unknown;
}

type CallCompleted = TraceEvent & { readonly event_type: 'CallCompleted' };

const maxKept = 20_000;

/** Returns the two inputs: announcements and events. */
export function finishedCalls(report: (call: FinishedCall) => void): {
  readonly announce: Announce;
  readonly listen: (event: TraceEvent) => void;
} {
  const calls = new Map<string, CallAnnouncement>();
  const turns = new Map<string, TurnAnnouncement>();
  return {
    announce: (announcement) => {
      if ('callId' in announcement) keep(calls, announcement.callId, announcement);
      else keep(turns, announcement.turnId, announcement);
    },
    listen: (event) => {
      if (event.event_type === 'TurnCompleted') turns.delete(event.turn_id);
      if (event.event_type !== 'CallCompleted') return;
      // Call ids within a turn are chosen by clients and not unique.
      if (event.ends_turn !== true) return report(finishedCallOf(event, turns.get(event.turn_id)));
      const announced = calls.get(event.call_id);
      calls.delete(event.call_id);
      report(finishedCallOf(event, announced));
    },
  };
}

function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value);
  if (map.size <= maxKept) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}

function finishedCallOf(event: CallCompleted, announced: CallAnnouncement | TurnAnnouncement | undefined): FinishedCall {
  const call = announced !== undefined && 'callId' in announced ? announced : undefined;
  return {
    time: event.timestamp,
    callId: event.call_id,
    turnId: event.turn_id,
    toolName: event.tool_id,
    server: call?.server,
    status: event.status,
    outcome: outcomeOf(event),
    code: event.code,
    category: event.category,
    error: event.error,
    attempts: event.attempts,
    servedBy: event.served_by,
    durationMs: Math.round(event.execution_time_ms * 1000) / 1000,
    principal: announced?.principal,
    client: announced?.client,
    era: announced?.era,
    arguments: call?.arguments,
  };
}

function outcomeOf({ status, partial, fallback_used, skipped, code, category, attempts }: CallCompleted): CallOutcome {
  if (status === 'success') return partial === true ? 'partial' : fallback_used === true ? 'fallback' : 'success';
  if (skipped === true) return 'skipped';
  if (code === 'CANCELLED' || category === 'cancelled') return 'cancelled';
  if (status === 'timeout') return 'timeout';
  return attempts === 0 ? 'refused' : 'failed';
}
