/**
 * Owns the words of the history: what its folds tell, as data that is kept and answered. Keys are snake_case as in traces. Does not own the folding.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../engine/classify/classification.ts';
import type { TurnCompleted } from '../../engine/trace/events.ts';

/** A failure of a tool, with the way to its place in the trace. */
export interface FailureRecord {
  /** When it happened. ISO 8601, UTC. */
  readonly at: string;
  /** Id of the turn. */
  readonly turn_id: string;
  /** Id of the call. */
  readonly call_id: string;
  /** 0: no attempt was made. */
  readonly attempt: number;
  /** Error code, such as `TOOL_TIMEOUT`. */
  readonly code: string;
  /** The error's message, its first 500 characters; redacted. */
  readonly message: string;
  /** Why nothing more was tried; absent where the call succeeded in the end, or is still under way. */
  readonly stopped_by?: string;
  /** The failure cluster it belongs to. */
  readonly signature?: string;
}

/** A call that has ended. */
export interface CallRecord {
  /** When the call ended. ISO 8601, UTC. */
  readonly at: string;
  /** Id of the turn. */
  readonly turn_id: string;
  /** Id of the call. */
  readonly call_id: string;
  /** Milliseconds from submission to the result, waiting included. */
  readonly duration_ms: number;
  /** Attempts in all, alternatives included. */
  readonly attempts: number;
  /** Status of the result. */
  readonly status: 'success' | 'error' | 'timeout';
}

/** One outcome that a circuit has seen. */
export interface CircuitSample {
  /** When the attempt ended. ISO 8601, UTC. */
  readonly at: string;
  /** How the attempt ended, as the circuit counts it. */
  readonly outcome: 'success' | 'transient' | 'permanent' | 'neutral';
  /** How long the attempt took, in milliseconds. */
  readonly duration_ms: number;
  /** Id of the turn. */
  readonly turn_id: string;
  /** Id of the call. */
  readonly call_id: string;
  /** The number of the attempt within its call, from 1. */
  readonly attempt: number;
  /** The attempt tested a recovering tool; absent otherwise. */
  readonly probe?: true;
  /** Error code; absent on success. */
  readonly code?: string;
  /** The error's message, its first 500 characters; absent on success and for late results. */
  readonly error?: string;
  /** It is one of those that made the circuit change. */
  readonly counted: boolean;
}

/** A change of a circuit, with what it had seen before. */
export interface CircuitChange {
  /** Grows by one. */
  readonly id: number;
  /** When it happened. ISO 8601, UTC. */
  readonly at: string;
  /** State before the change. */
  readonly from: CircuitState;
  /** State after the change. */
  readonly to: CircuitState;
  /** Why it changed, such as `failure_threshold` or `probe_succeeded`. */
  readonly reason: string;
  /** The change in one sentence. */
  readonly message: string;
  /** Consecutive transient failures when it opened; absent for other changes. */
  readonly failure_count?: number;
  /** How long it stays open, in milliseconds; absent for other changes, and when only an operator can close it. */
  readonly open_for_ms?: number;
  /** Id of the turn that it happened in; absent when no call brought it. */
  readonly turn_id?: string;
  /** Id of the call that brought it; absent when none did. */
  readonly call_id?: string;
  /** The oldest first. */
  readonly samples: readonly CircuitSample[];
}

/** What a list of turns is filtered by. */
export interface TurnFacts {
  /** At most 50, as `codes`. */
  readonly tools: readonly string[];
  /** Error codes of attempts and calls, each once; at most 50. */
  readonly codes: readonly string[];
  /** How long the turn took, or has taken so far, in milliseconds. */
  readonly duration_ms: number;
  /** Retries that were scheduled. */
  readonly retries: number;
  /** Calls that failed or were rejected. */
  readonly failed_calls: number;
  /** Calls that were not run because of what they depend on, or for lack of time. */
  readonly skipped_calls: number;
  /** An alternative was called. */
  readonly used_alternative: boolean;
  /** Its deadline passed before all calls had ended. */
  readonly deadline_missed: boolean;
  /** Arguments of a call or a transcript were repaired. */
  readonly repaired: boolean;
}

/** A turn as the history knows it. */
export interface TurnRecord {
  /** Id of the turn. */
  readonly turn_id: string;
  /** Milliseconds since 1970, of its first event. */
  readonly started_at: number;
  /** When it ended, milliseconds since 1970; absent while it runs. */
  readonly ended_at?: number;
  /** How it ended; absent while it runs. */
  readonly outcome?: TurnCompleted['outcome'];
  /** The turn in one sentence, at most 1000 characters; absent while it runs. */
  readonly summary?: string;
  /** Planned calls, or completed ones where that is more. */
  readonly calls: number;
  /** Events in its trace so far. */
  readonly events: number;
  /** What lists of turns are filtered by. */
  readonly facts: TurnFacts;
}

/** How a strategy ended that was tried upon a failure. */
export interface StrategyCount {
  /** `retry`, `use_alternative`, `use_default` or `accept_partial`. */
  readonly strategy: string;
  /** How often it was tried. */
  readonly tried: number;
  /** How often it brought an answer. */
  readonly succeeded: number;
}

/** Failures that look the same. */
export interface ClusterRecord {
  /** Names the cluster; made from tool, code and pattern. */
  readonly signature: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Error code of its failures. */
  readonly code: string;
  /** Kind of its failures, such as `rate_limit`. */
  readonly category: ErrorCategory;
  /** What its failures mean for retrying. */
  readonly classification: ErrorClass;
  /** Their message without its changing parts, such as `connect ECONNREFUSED <address>`. */
  readonly pattern: string;
  /** The latest message as it was. */
  readonly sample: string;
  /** Failures in it. */
  readonly count: number;
  /** Milliseconds since 1970, as `last_seen`. */
  readonly first_seen: number;
  /** When the latest failure happened, milliseconds since 1970. */
  readonly last_seen: number;
  /** Failures by hour since 1970, at most the last 24 in which there were any. */
  readonly hours: Readonly<Record<string, number>>;
  /** How the strategies ended that were tried upon its failures. */
  readonly strategies: readonly StrategyCount[];
  /** Calls with such a failure that had their answer in the end. */
  readonly calls_recovered: number;
  /** Calls with such a failure that failed in the end. */
  readonly calls_failed: number;
  /** The latest first, at most 10. */
  readonly examples: readonly FailureRecord[];
}

/** Something that is otherwise than before. */
export interface ChangeRecord {
  /** When it happened. ISO 8601, UTC. */
  readonly at: string;
  /** A circuit that changed, or a failure unlike all before. */
  readonly kind: 'circuit_opened' | 'circuit_half_opened' | 'circuit_closed' | 'new_failure';
  /** The change in one sentence. */
  readonly text: string;
  /** Name of the tool. */
  readonly tool: string;
  /** Id of the turn that it happened in; absent when no call brought it. */
  readonly turn_id?: string;
  /** Id of the call that brought it; absent when none did. */
  readonly call_id?: string;
  /** Signature of the failure cluster; absent for circuits. */
  readonly signature?: string;
}
