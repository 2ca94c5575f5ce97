/**
 * Owns the words of the history: what its folds tell, as data that is kept and answered. Keys are snake_case as in traces. Does not own the folding.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../engine/classify/classification.ts';
import type { TurnCompleted } from '../../engine/trace/events.ts';

/** A failure of a tool, with the way to its place in the trace. */
export interface FailureRecord {
  readonly at: string;
  readonly turn_id: string;
  readonly call_id: string;
  /** 0: no attempt was made. */
  readonly attempt: number;
  readonly code: string;
  readonly message: string;
  /** Why nothing more was tried; absent where the call succeeded in the end, or is still under way. */
  readonly stopped_by?: string;
  /** The failure cluster it belongs to. */
  readonly signature?: string;
}

/** A call that has ended. */
export interface CallRecord {
  readonly at: string;
  readonly turn_id: string;
  readonly call_id: string;
  readonly duration_ms: number;
  readonly attempts: number;
  readonly status: 'success' | 'error' | 'timeout';
}

/** One outcome that a circuit has seen. */
export interface CircuitSample {
  readonly at: string;
  readonly outcome: 'success' | 'transient' | 'permanent' | 'neutral';
  readonly duration_ms: number;
  readonly turn_id: string;
  readonly call_id: string;
  readonly attempt: number;
  readonly probe?: true;
  readonly code?: string;
  readonly error?: string;
  /** It is one of those that made the circuit change. */
  readonly counted: boolean;
}

/** A change of a circuit, with what it had seen before. */
export interface CircuitChange {
  /** Grows by one. */
  readonly id: number;
  readonly at: string;
  readonly from: CircuitState;
  readonly to: CircuitState;
  readonly reason: string;
  readonly message: string;
  readonly failure_count?: number;
  readonly open_for_ms?: number;
  readonly turn_id?: string;
  readonly call_id?: string;
  /** The oldest first. */
  readonly samples: readonly CircuitSample[];
}

/** What a list of turns is filtered by. */
export interface TurnFacts {
  /** At most 50, as `codes`. */
  readonly tools: readonly string[];
  readonly codes: readonly string[];
  readonly duration_ms: number;
  readonly retries: number;
  readonly failed_calls: number;
  readonly skipped_calls: number;
  readonly used_alternative: boolean;
  readonly deadline_missed: boolean;
  readonly repaired: boolean;
}

/** A turn as the history knows it. */
export interface TurnRecord {
  readonly turn_id: string;
  /** Milliseconds since 1970, of its first event. */
  readonly started_at: number;
  readonly ended_at?: number;
  readonly outcome?: TurnCompleted['outcome'];
  readonly summary?: string;
  /** Planned calls, or completed ones where that is more. */
  readonly calls: number;
  readonly events: number;
  readonly facts: TurnFacts;
}

/** How a strategy ended that was tried upon a failure. */
export interface StrategyCount {
  readonly strategy: string;
  readonly tried: number;
  readonly succeeded: number;
}

/** Failures that look the same. */
export interface ClusterRecord {
  readonly signature: string;
  readonly tool_id: string;
  readonly code: string;
  readonly category: ErrorCategory;
  readonly classification: ErrorClass;
  readonly pattern: string;
  /** The latest message as it was. */
  readonly sample: string;
  readonly count: number;
  /** Milliseconds since 1970, as `last_seen`. */
  readonly first_seen: number;
  readonly last_seen: number;
  /** Failures by hour since 1970, at most the last 24 in which there were any. */
  readonly hours: Readonly<Record<string, number>>;
  readonly strategies: readonly StrategyCount[];
  readonly calls_recovered: number;
  readonly calls_failed: number;
  /** The latest first, at most 10. */
  readonly examples: readonly FailureRecord[];
}

/** Something that is otherwise than before. */
export interface ChangeRecord {
  readonly at: string;
  readonly kind: 'circuit_opened' | 'circuit_half_opened' | 'circuit_closed' | 'new_failure';
  readonly text: string;
  readonly tool_id: string;
  readonly turn_id?: string;
  readonly call_id?: string;
  readonly signature?: string;
}
