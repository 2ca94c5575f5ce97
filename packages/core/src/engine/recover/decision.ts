/**
 * Owns the words of a decision: what it was made from, what was decided, and the checks in between. All of it is trace data, hence snake_case.
 * Does not own the deciding (`decide.ts`).
 */
import type { CircuitState } from '../breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../classify/classification.ts';

/** What may be done about a failure (S0 6.1). */
export type DecisionAction = 'retry' | 'use_alternative' | 'use_default' | 'accept_partial' | 'skip' | 'escalate' | 'fail';

/** What ended the attempts of a call that might have gone on. */
export type StoppedBy = 'attempts' | 'budget' | 'deadline' | 'circuit' | 'policy';

/** What a tool does to the world. Undeclared tools retry as S0 says. */
export type Effect = 'read' | 'idempotent' | 'unsafe';

/** Which strategies a policy rule can speak about. */
export type Strategy = 'retry' | 'use_alternative' | 'use_default' | 'accept_partial';

/** Another tool that could answer, and whether it would be let through now. */
export interface AlternativeOption {
  readonly tool_id: string;
  readonly circuit_breaker_state: CircuitState;
  readonly available: boolean;
  /** Share of its attempts that failed lately, where that is learned: 0 to 1. */
  readonly failure_share?: number;
  /** Usual duration of its successes, where that is learned. */
  readonly latency_ms?: number;
}

/** A policy rule that matched the failure. */
export interface MatchedRule {
  readonly rule: string;
  readonly effect: 'allow' | 'deny' | 'prefer';
  readonly strategy: Strategy;
  readonly reason?: string;
}

/** How one strategy ended for this tool and this kind of error so far. */
export interface StrategyEvidence {
  readonly strategy: 'retry' | 'use_alternative';
  readonly tried: number;
  readonly succeeded: number;
  /** For `retry`: how often it was left out because of this evidence. */
  readonly withheld?: number;
  /** For `use_alternative`: which one. */
  readonly tool_id?: string;
}

/** Everything a decision is made from (S0 6.2). What is not in here cannot influence it. */
export interface DecisionInputs {
  readonly turn_id: string;
  readonly tool_id: string;
  readonly classification: ErrorClass;
  readonly category: ErrorCategory;
  /** The rule that classified the error. */
  readonly rule: string;
  /** What failed: an attempt, its time limit, or our own admission. */
  readonly failure: 'error' | 'timeout' | 'refused';
  readonly ambiguous: boolean;
  readonly effect?: Effect;
  readonly circuit_breaker_state: CircuitState;
  /** The failed attempt was the one that tested a recovering service. */
  readonly probe: boolean;
  /** Attempts of this tool so far. 0 when it was refused before the first. */
  readonly attempts: number;
  readonly max_attempts: number;
  /** Of `attempts`: those that tested a recovering service, which `max_attempts` does not count. Only where calls wait for recovery. */
  readonly probes?: number;
  /** Retries of this tool so far (S0 8.2). */
  readonly retry_count: number;
  /** What the next attempt would wait, jitter and `Retry-After` included. 0 for a failure that is not transient: there is no next attempt. */
  readonly next_delay_ms: number;
  /** What the server, or our own refusal, said. */
  readonly retry_after_ms?: number;
  /** Since the first failure of this tool. */
  readonly retry_elapsed_ms: number;
  readonly max_total_time_ms: number;
  /** How much longer the call may wait for the tool to recover. Absent where calls do not wait for that. */
  readonly may_wait_ms?: number;
  /** Where calls wait: how long the gate keeps calls back, for its circuit, a Retry-After or its rate limit. Absent when it does not, or nobody can know. */
  readonly held_ms?: number;
  /** Absent when the turn has no deadline. */
  readonly turn_time_left_ms?: number;
  /** Retries the tool's budget still allows. Absent when it has none. */
  readonly retry_budget_left?: number;
  /** Retries the turn's budget still allows. Absent when it has none. */
  readonly turn_retries_left?: number;
  readonly alternatives: readonly AlternativeOption[];
  readonly partial_available: boolean;
  readonly accept_partial: boolean;
  readonly fallback_available: boolean;
  /** The turn can do without this call. */
  readonly optional: boolean;
  readonly policies: readonly MatchedRule[];
  readonly evidence: readonly StrategyEvidence[];
}

/** One check on the way to a decision, with the value that it saw. */
export interface Guard {
  readonly guard: string;
  readonly passed: boolean;
  readonly value: string | number | boolean;
  readonly limit?: string | number | boolean;
}

export interface Decision {
  readonly action: DecisionAction;
  /** One sentence, such as `Transient error + circuit closed + retries available`. */
  readonly reason: string;
  /** For `retry`: from now to the start of the next attempt. */
  readonly delay_ms?: number;
  /** For `use_alternative`. */
  readonly alternative?: string;
  /** Why no (further) retry, where one would have been thinkable. */
  readonly stopped_by?: StoppedBy;
  /** What was checked, in order. */
  readonly guards: readonly Guard[];
}
