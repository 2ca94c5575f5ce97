/**
 * Owns the records of the history: the data that its folds return and stores keep. Keys are snake_case as in traces. Does not own the folds.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../engine/classify/classification.ts';
import type { TurnCompleted } from '../../engine/trace/events.ts';

/** A failure of a tool, with the ids that lead to its trace. */
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
  /** Why there was no further attempt: the `stopped_by` of a decision, or `not_retryable`. Absent when nothing stopped the attempts, or the call is still running. */
  readonly stopped_by?: string;
  /** How the call ended: `recovered` when it had an output in the end. Absent while it runs. */
  readonly call_ended?: 'recovered' | 'failed' | 'cancelled';
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

/** One outcome that a circuit has recorded. */
export interface CircuitSample {
  /** When the attempt ended. ISO 8601, UTC. */
  readonly at: string;
  /** How the attempt ended, as the circuit counts it: only `success` and `transient` do count. */
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
  /** Whether it is one of the outcomes that caused the change. */
  readonly counted: boolean;
}

/** A change of a circuit, with the outcomes before it. */
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
  /** Id of the turn that it happened in; absent when no call caused it. */
  readonly turn_id?: string;
  /** Id of the call that caused it; absent when none did. */
  readonly call_id?: string;
  /** Outcomes before the change, oldest first. */
  readonly samples: readonly CircuitSample[];
}

/** The facts that lists of turns are filtered by. */
export interface TurnFacts {
  /** Names of the tools, each once; at most 50. */
  readonly tools: readonly string[];
  /** Error codes of attempts and calls, each once; at most 50. */
  readonly codes: readonly string[];
  /** How long the turn took, or has taken so far, in milliseconds. */
  readonly duration_ms: number;
  /** Retries that were made. */
  readonly retries: number;
  /** Calls that failed or were rejected. */
  readonly failed_calls: number;
  /** Calls that were not run because a dependency failed or no time was left. */
  readonly skipped_calls: number;
  /** The longest time that one of its calls has waited at a gate: for a slot, a Retry-After, recovery or the retry budget; in milliseconds. */
  readonly waited_ms: number;
  /** An alternative was called. */
  readonly used_alternative: boolean;
  /** Its deadline passed before all calls had ended. */
  readonly deadline_missed: boolean;
  /** Arguments of a call or a transcript were repaired. */
  readonly repaired: boolean;
}

/** A turn in the history. */
export interface TurnRecord {
  /** Id of the turn. */
  readonly turn_id: string;
  /** Time of its first event, milliseconds since 1970. */
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
  /** The facts that lists of turns are filtered by. */
  readonly facts: TurnFacts;
}

/** How often a strategy was tried for a failure, and how often it worked. */
export interface StrategyCount {
  /** `retry`, `use_alternative`, `use_default` or `accept_partial`. */
  readonly strategy: string;
  /** How often it was tried. */
  readonly tried: number;
  /** How often it led to an answer. */
  readonly succeeded: number;
}

/** Similar failures. */
export interface ClusterRecord {
  /** Id of the cluster, made from tool, code and pattern. */
  readonly signature: string;
  /** Name of the tool. */
  readonly tool_id: string;
  /** Error code of its failures. */
  readonly code: string;
  /** Kind of its failures, such as `rate_limit`. */
  readonly category: ErrorCategory;
  /** What its failures mean for retrying. */
  readonly classification: ErrorClass;
  /** Their message with placeholders for its variable parts, such as `connect ECONNREFUSED <address>`. */
  readonly pattern: string;
  /** The latest message, unchanged. */
  readonly sample: string;
  /** Number of failures. */
  readonly count: number;
  /** When the first failure happened, milliseconds since 1970. */
  readonly first_seen: number;
  /** When the latest failure happened, milliseconds since 1970. */
  readonly last_seen: number;
  /** Failures by hour since 1970, at most the last 24 in which there were any. */
  readonly hours: Readonly<Record<string, number>>;
  /** The strategies that were tried for its failures. */
  readonly strategies: readonly StrategyCount[];
  /** Calls with such a failure that were answered in the end. */
  readonly calls_recovered: number;
  /** Calls with such a failure that failed in the end. */
  readonly calls_failed: number;
  /** The latest failures, newest first; at most 10. */
  readonly examples: readonly FailureRecord[];
}

/** A change worth reporting. */
export interface ChangeRecord {
  /** When it happened. ISO 8601, UTC. */
  readonly at: string;
  /** A circuit changed, or a new kind of failure appeared. */
  readonly kind: 'circuit_opened' | 'circuit_half_opened' | 'circuit_closed' | 'new_failure';
  /** The change in one sentence. */
  readonly text: string;
  /** Name of the tool. */
  readonly tool_id: string;
  /** Id of the turn that it happened in; absent when no call caused it. */
  readonly turn_id?: string;
  /** Id of the call that caused it; absent when none did. */
  readonly call_id?: string;
  /** Signature of the failure cluster; absent for circuits. */
  readonly signature?: string;
}
