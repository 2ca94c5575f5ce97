/** Owns how a decision looks in the trace: `DecisionInputs` and `Decision` in the snake_case of records. Does not own the conversion (`recover/decision-record.ts`). */
import type { CircuitState } from '../../breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../classify/classification.ts';
import type { DecisionAction, Effect, Guard, MatchedRule, StoppedBy } from '../../recover/decision.ts';

/** Another tool that could answer, as recorded. Fields as in `AlternativeOption`. */
export interface RecordedAlternative {
  readonly tool_id: string;
  readonly circuit_breaker_state: CircuitState;
  readonly available: boolean;
  readonly failure_share?: number;
  readonly latency_ms?: number;
}

/** How one strategy ended so far, as recorded. Fields as in `StrategyEvidence`. */
export interface RecordedEvidence {
  readonly strategy: 'retry' | 'use_alternative';
  readonly tried: number;
  readonly succeeded: number;
  readonly withheld?: number;
  readonly tool_id?: string;
}

/** Everything a decision was made from, as recorded. Fields as in `DecisionInputs`. */
export interface RecordedDecisionInputs {
  readonly turn_id: string;
  readonly tool_id: string;
  readonly classification: ErrorClass;
  readonly category: ErrorCategory;
  readonly rule: string;
  readonly failure: 'error' | 'timeout' | 'refused';
  readonly ambiguous: boolean;
  readonly effect?: Effect;
  readonly circuit_breaker_state: CircuitState;
  readonly probe: boolean;
  readonly attempts: number;
  readonly max_attempts: number;
  readonly probes?: number;
  readonly retry_count: number;
  readonly next_delay_ms: number;
  readonly retry_after_ms?: number;
  readonly retry_elapsed_ms: number;
  readonly max_total_time_ms: number;
  readonly may_wait_ms?: number;
  readonly held_ms?: number;
  readonly turn_time_left_ms?: number;
  readonly retry_budget_left?: number;
  readonly turn_retries_left?: number;
  readonly alternatives: readonly RecordedAlternative[];
  readonly partial_available: boolean;
  readonly accept_partial: boolean;
  readonly fallback_available: boolean;
  readonly optional: boolean;
  readonly recovery_rules: readonly MatchedRule[];
  readonly evidence: readonly RecordedEvidence[];
}

/** What was decided, as recorded. Fields as in `Decision`. */
export interface RecordedDecision {
  readonly action: DecisionAction;
  readonly reason: string;
  readonly delay_ms?: number;
  readonly alternative?: string;
  readonly stopped_by?: StoppedBy;
  readonly guards: readonly Guard[];
}
