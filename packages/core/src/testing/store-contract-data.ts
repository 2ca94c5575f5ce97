/**
 * Owns the test data of the store contract. Does not own the cases (`store-contract.ts`).
 */
import type { CircuitSnapshot } from '../engine/breaker/types.ts';
import type { MemoryEntry } from '../engine/recover/memory-entry.ts';
import type { TraceEvent, TraceEventBody, TurnStarted } from '../engine/trace/events.ts';

/** Creates the events of one turn, with numbers and timestamps. */
export interface TurnScript {
  readonly turnId: string;
  next(body: TraceEventBody): TraceEvent;
}

export function turnScript(turnId: string, startedAt: number, stepMs = 10): TurnScript {
  let seq = 0;
  return {
    turnId,
    next(body) {
      seq += 1;
      const elapsed = (seq - 1) * stepMs;
      const timestamp = new Date(startedAt + elapsed).toISOString();
      return { ...body, turn_id: turnId, seq, timestamp, elapsed_ms: elapsed };
    },
  };
}

export function turnStarted(callIds: readonly string[] = ['search'], tools: Readonly<Record<string, unknown>> = {}): TurnStarted {
  return {
    event_type: 'TurnStarted',
    seed: 'seed',
    profile: 'spec',
    timeout_ms: 300_000,
    concurrency: 4,
    on_deadline: 'detach',
    max_retries: null,
    calls: callIds.map((callId) => ({ call_id: callId, tool_id: 'flight_search', depends_on: [] })),
    tools,
    base: {},
    recovery_rules: [],
    circuits: {},
  };
}

/** The first event of a run that several processes may record. */
export function executionStarted(executionId: string, callIds?: readonly string[]): TraceEventBody {
  return { ...turnStarted(callIds), execution_id: executionId };
}

export function callStarted(callId: string): TraceEventBody {
  return { event_type: 'CallStarted', call_id: callId, tool_id: 'flight_search' };
}

export function toolProgress(callId: string, message: string): TraceEventBody {
  return { event_type: 'ToolProgress', call_id: callId, tool_id: 'flight_search', attempt: 1, message };
}

export function toolSucceeded(callId: string, output: unknown): TraceEventBody {
  return { event_type: 'ToolSucceeded', call_id: callId, tool_id: 'flight_search', attempt: 1, duration_ms: 5, output };
}

export function callCompleted(callId: string): TraceEventBody {
  return {
    event_type: 'CallCompleted',
    call_id: callId,
    tool_id: 'flight_search',
    status: 'success',
    served_by: 'flight_search',
    attempts: 1,
    execution_time_ms: 5,
  };
}

export function lateResult(callId: string): TraceEventBody {
  return { event_type: 'LateResult', call_id: callId, tool_id: 'flight_search', attempt: 1, result: 'late_success', duration_ms: 50 };
}

export function turnCompleted(summary = 'Completed flight search'): TraceEventBody {
  return {
    event_type: 'TurnCompleted',
    outcome: 'success',
    summary,
    escalated: false,
    duration_ms: 30,
    critical_path: ['search'],
    message: summary,
  };
}

/** A small complete turn: started, one call, completed. */
export function completeTurn(turnId: string, startedAt: number, summary?: string): readonly TraceEvent[] {
  const turn = turnScript(turnId, startedAt);
  return [turnStarted(), callStarted('search'), callCompleted('search'), turnCompleted(summary)].map((body) => turn.next(body));
}

export function circuitSnapshot(savedAtEpochMs: number, failureCount: number): CircuitSnapshot {
  return {
    version: 1,
    savedAtEpochMs,
    mode: 'auto',
    state: 'open',
    generation: 7,
    failureCount,
    openLeftMs: 29_999.125,
    holdLeftMs: 0,
    probe: { leaseLeftMs: 0.1 + 0.2 },
    probeNumber: 2,
    probeSuccesses: 0,
    permanentProbes: 1,
    counters: { success: 9_007_199_254_740_991, transient: 5, permanent: 0, neutral: 1, stale: 2, opened: 1 },
    window: {
      bucketAgeMs: 12.5,
      counts: [
        [1, 2, 3, 4],
        [0, 0, 0, 0],
      ],
    },
  };
}

export function memoryEntry(savedAtEpochMs: number, more: Partial<MemoryEntry> = {}): MemoryEntry {
  return {
    version: 1,
    toolName: 'flight_search',
    category: 'unavailable',
    rule: 'status:503',
    savedAtEpochMs,
    outcomes: [
      { strategy: 'retry', tried: 5, succeeded: 2, withheld: 1 },
      { strategy: 'use_alternative', toolName: 'backup', tried: 2, succeeded: 2 },
    ],
    ...more,
  };
}
