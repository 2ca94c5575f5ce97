/**
 * Owns the types of a decision: its inputs, its outcome, and the checks in between. Records of it are in `../trace/events/decision.ts`.
 * Does not own the deciding (`decide.ts`).
 */
import type { CircuitState } from '../breaker/types.ts';
import type { ErrorCategory, ErrorClass } from '../classify/classification.ts';

/** What may be done about a failure (docs/specification.md#s0-6-1). */
export type DecisionAction = 'retry' | 'use_alternative' | 'use_default' | 'accept_partial' | 'skip' | 'escalate' | 'fail';

/** What ended the attempts of a call that had attempts left. */
export type StoppedBy = 'attempts' | 'budget' | 'deadline' | 'circuit' | 'policy';

/** What a tool does to the world. Undeclared tools are retried (docs/specification.md#s0-2-3). */
export type Effect = 'read' | 'idempotent' | 'unsafe';

/** Which strategies a recovery rule can speak about. */
export type Strategy = 'retry' | 'use_alternative' | 'use_default' | 'accept_partial';

/** Another tool that could answer, and whether its gate would admit a call now. */
export interface AlternativeOption {
  readonly toolName: string;
  readonly circuit: CircuitState;
  readonly available: boolean;
  /** Share of its attempts that failed lately, where that is learned: 0 to 1. */
  readonly failureShare?: number;
  /** Its baseline latency, where that is learned. */
  readonly latencyMs?: number;
}

/** A recovery rule that matched the failure. */
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
  readonly toolName?: string;
}

/** Everything a decision is made from (docs/specification.md#s0-6-2). What is not in here cannot influence it. */
export interface DecisionInputs {
  readonly turnId: string;
  readonly toolName: string;
  readonly classification: ErrorClass;
  readonly category: ErrorCategory;
  /** The rule that classified the error. */
  readonly rule: string;
  /** What failed: an attempt, its time limit, or admission. */
  readonly failure: 'error' | 'timeout' | 'refused';
  readonly ambiguous: boolean;
  readonly effect?: Effect;
  readonly circuit: CircuitState;
  /** The failed attempt was the one that tested a recovering service. */
  readonly probe: boolean;
  /** Attempts of this tool so far. 0 when it was refused before the first. */
  readonly attempts: number;
  readonly maxAttempts: number;
  /** Of `attempts`: those that tested a recovering service, which `max_attempts` does not count. Only where calls wait for recovery. */
  readonly probes?: number;
  /** Retries of this tool so far (docs/specification.md#s0-8-2). */
  readonly retryCount: number;
  /** What the next attempt would wait, jitter and `Retry-After` included. 0 for a failure that is not transient: there is no next attempt. */
  readonly nextDelayMs: number;
  /** From the server, or from the gate that refused. */
  readonly retryAfterMs?: number;
  /** Since the first failure of this tool. */
  readonly retryElapsedMs: number;
  readonly maxTotalTimeMs: number;
  /** How much longer the call may wait for the tool to recover. Absent where calls do not wait for that. */
  readonly mayWaitMs?: number;
  /** Where calls wait: how long the gate holds calls, for its circuit, a Retry-After or its rate limit. Absent when it does not, or when that cannot be known. */
  readonly heldMs?: number;
  /** Absent when the turn has no deadline. */
  readonly turnTimeLeftMs?: number;
  /** Retries the tool's budget still allows. Absent when it has none. */
  readonly retryBudgetLeft?: number;
  /** Retries the turn's budget still allows. Absent when it has none. */
  readonly turnRetriesLeft?: number;
  readonly alternatives: readonly AlternativeOption[];
  readonly partialAvailable: boolean;
  readonly acceptPartial: boolean;
  readonly fallbackAvailable: boolean;
  /** The turn can do without this call. */
  readonly optional: boolean;
  readonly recoveryRules: readonly MatchedRule[];
  readonly evidence: readonly StrategyEvidence[];
}

/** One check of a decision, with the value that it examined. */
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
  readonly delayMs?: number;
  /** For `use_alternative`. */
  readonly alternative?: string;
  /** Why there is no further retry, where one was possible. */
  readonly stoppedBy?: StoppedBy;
  /** What was checked, in order. */
  readonly guards: readonly Guard[];
}
