/** Owns the recorded form of a decision: `DecisionInputs` and `Decision` in snake_case. Does not own the conversion (`recover/decision-record.ts`). */
import type { CircuitState } from '../../breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../../classify/classification.ts';
import type { DecisionAction, Effect, Guard, MatchedRule, StoppedBy } from '../../recover/decision.ts';

/** Another tool that could answer, as recorded. Fields as in `AlternativeOption`. */
export interface RecordedAlternative {
  /** Name of the alternative tool. */
  readonly tool_id: string;
  /** Circuit state of the alternative, as it acts on calls. */
  readonly circuit_breaker_state: CircuitState;
  /** Whether the tool exists, is enabled and its circuit is not open. */
  readonly available: boolean;
  /** How long a server's Retry-After holds its calls; absent when it holds none. */
  readonly held_ms?: number;
  /** Its recent share of failed attempts, 0 to 1; absent where that is not learned. */
  readonly failure_share?: number;
  /** Its usual duration; absent where that is not learned. */
  readonly latency_ms?: number;
}

/** How one strategy ended so far, as recorded. Fields as in `StrategyEvidence`. */
export interface RecordedEvidence {
  /** The strategy that was tried. */
  readonly strategy: 'retry' | 'use_alternative';
  /** How often it was tried; fewer than 10 times prove nothing. */
  readonly tried: number;
  /** How often the call succeeded with it. */
  readonly succeeded: number;
  /** For `retry`: how often it was skipped because of this evidence. */
  readonly withheld?: number;
  /** For `use_alternative`: name of the alternative tool. */
  readonly tool_id?: string;
}

/** Everything a decision was made from, as recorded. Fields as in `DecisionInputs`. */
export interface RecordedDecisionInputs {
  /** Id of the turn; a single call or a batch has a turn id too. */
  readonly turn_id: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly tool_id: string;
  /** `transient`: the dependency failed; `permanent`: the request was wrong; `neutral`: neither. */
  readonly classification: ErrorClass;
  /** Kind of failure, such as `timeout` or `rate_limit`. */
  readonly category: ErrorCategory;
  /** Rule that classified the error, such as `status:429`. */
  readonly rule: string;
  /** What failed: an attempt, its time limit, or admission. */
  readonly failure: 'error' | 'timeout' | 'refused';
  /** Whether the side effect may have happened. */
  readonly ambiguous: boolean;
  /** Declared effect of the tool; absent when it declares none. */
  readonly effect?: Effect;
  /** The effect that the settings assume for a tool that declares none; absent when it declares one, or when none is assumed. */
  readonly assumed_effect?: Effect;
  /** Failures of the tool in this call without evidence of their cause, this one included; absent for other failures, and where they are transient. */
  readonly unknown_failures?: number;
  /** Circuit state after the failure, as it acts on calls. */
  readonly circuit_breaker_state: CircuitState;
  /** Whether the failed attempt was the one that tested a recovering service. */
  readonly probe: boolean;
  /** Attempts of this tool so far; 0 when it was refused before the first. */
  readonly attempts: number;
  /** Attempts that the retry settings allow, the first included. */
  readonly max_attempts: number;
  /** Of `attempts`, those that tested a recovering service, which `max_attempts` does not count. Only where calls wait for recovery. */
  readonly probes?: number;
  /** Retries of this tool so far. */
  readonly retry_count: number;
  /** How long the next attempt would wait, jitter and Retry-After included; 0 when the failure is neither transient nor unknown. */
  readonly next_delay_ms: number;
  /** The wait that the server, or the gate that refused, asked for; absent when neither did. */
  readonly retry_after_ms?: number;
  /** Time since the first failure of this tool. */
  readonly retry_elapsed_ms: number;
  /** Limit from the first failure to the start of the last retry. */
  readonly max_total_time_ms: number;
  /** How much longer the call may wait for the tool to recover; absent where calls do not wait for that. */
  readonly may_wait_ms?: number;
  /**
   * How long a server's Retry-After holds calls; where calls wait, how long the gate holds them, for its circuit or its rate limit too. Absent when it does not, or
   * when that is not known.
   */
  readonly held_ms?: number;
  /** Time until the deadline of the turn; absent when it has none. */
  readonly turn_time_left_ms?: number;
  /** Retries that the tool's budget still allows; absent when it has none. */
  readonly retry_budget_left?: number;
  /** Retries that the turn still allows; absent when it has no limit. */
  readonly turn_retries_left?: number;
  /** Alternatives that the call has not used yet. */
  readonly alternatives: readonly RecordedAlternative[];
  /** Whether the failed attempt had reported partial output. */
  readonly partial_available: boolean;
  /** Whether the settings accept partial output after a timeout. */
  readonly accept_partial: boolean;
  /** Whether the requested tool has a static fallback. */
  readonly fallback_available: boolean;
  /** Whether the turn can succeed without the call. */
  readonly optional: boolean;
  /** Recovery rules that matched the failure, in their order. */
  readonly recovery_rules: readonly MatchedRule[];
  /** How strategies ended before for this kind of failure; empty without memory. */
  readonly evidence: readonly RecordedEvidence[];
}

/** A decision, as recorded. Fields as in `Decision`. */
export interface RecordedDecision {
  /** What is done about the failure. */
  readonly action: DecisionAction;
  /** One sentence, such as `Transient error + circuit closed + retries available`. */
  readonly reason: string;
  /** For `retry`: from the decision to the next attempt. */
  readonly delay_ms?: number;
  /** For `use_alternative`: name of the tool to try. */
  readonly alternative?: string;
  /** Why there is no further retry, where one was possible. */
  readonly stopped_by?: StoppedBy;
  /** The checks that were made, in order. */
  readonly guards: readonly Guard[];
}
