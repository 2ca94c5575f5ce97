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

/** What a tool does to the world. */
export type Effect = 'read' | 'idempotent' | 'unsafe';

/** The strategies that a recovery rule can be about. */
export type Strategy = 'retry' | 'use_alternative' | 'use_default' | 'accept_partial';

/** Another tool that could answer, and whether its gate would admit a call now. */
export interface AlternativeOption {
  /** Name of the alternative tool. */
  readonly toolName: string;
  /** Its effective circuit state. */
  readonly circuit: CircuitState;
  /** Whether the tool exists, is enabled and its circuit is not open. */
  readonly available: boolean;
  /** How long a server's Retry-After holds its calls; absent when it holds none. */
  readonly heldMs?: number;
  /** Its recent share of failed attempts, where that is learned: 0 to 1. */
  readonly failureShare?: number;
  /** Its usual duration, where that is learned. */
  readonly latencyMs?: number;
}

/** A recovery rule that matched the failure. */
export interface MatchedRule {
  /** Name of the rule. */
  readonly rule: string;
  /** What the rule does with the strategy. */
  readonly effect: 'allow' | 'deny' | 'prefer';
  /** The strategy that the rule is about. */
  readonly strategy: Strategy;
  /** The reason that the rule gives, if any; quoted in the decision's reason when the rule denies. */
  readonly reason?: string;
}

/** How one strategy ended for this tool and this kind of error so far. */
export interface StrategyEvidence {
  /** The strategy that was tried. */
  readonly strategy: 'retry' | 'use_alternative';
  /** How often it was tried; fewer than 10 times prove nothing. */
  readonly tried: number;
  /** How often the call succeeded with it. */
  readonly succeeded: number;
  /** For `retry`: how often it was skipped because of this evidence. */
  readonly withheld?: number;
  /** For `use_alternative`: the alternative. */
  readonly toolName?: string;
}

/** Everything a decision is made from (docs/specification.md#s0-6-2). Nothing else can influence it. */
export interface DecisionInputs {
  /** Id of the turn; a single call or a batch has a turn id too. */
  readonly turnId: string;
  /** Name of the tool in use: the requested one, or an alternative. */
  readonly toolName: string;
  /** `transient`: the dependency failed; `permanent`: the request was wrong; `neutral`: neither. */
  readonly classification: ErrorClass;
  /** Kind of failure, such as `timeout` or `rate_limit`. */
  readonly category: ErrorCategory;
  /** The rule that classified the error. */
  readonly rule: string;
  /** What failed: an attempt, its time limit, or admission. */
  readonly failure: 'error' | 'timeout' | 'refused';
  /** Whether the side effect may have happened. */
  readonly ambiguous: boolean;
  /** Declared effect of the tool; absent when it declares none. */
  readonly effect?: Effect;
  /** The effect that the settings assume. Only for a tool that declares none, where one is assumed. */
  readonly assumedEffect?: Effect;
  /** Failures of this tool in this call without evidence of their cause, this one included. Only for such a failure, where they are not transient. */
  readonly unknownFailures?: number;
  /** Circuit state after the failure, as it acts on calls. */
  readonly circuit: CircuitState;
  /** The failed attempt was the one that tested a recovering service. */
  readonly probe: boolean;
  /** Attempts of this tool so far. 0 when it was refused before the first. */
  readonly attempts: number;
  /** Attempts that the retry settings allow, the first included. */
  readonly maxAttempts: number;
  /** Of `attempts`: those that tested a recovering service, which `max_attempts` does not count. Only where calls wait for recovery. */
  readonly probes?: number;
  /** Retries of this tool so far (docs/specification.md#s0-8-2). */
  readonly retryCount: number;
  /** How long the next attempt would wait, jitter and `Retry-After` included. 0 for a failure that is neither transient nor unknown: there is no next attempt. */
  readonly nextDelayMs: number;
  /** The wait asked for by the server, or by the gate that refused. */
  readonly retryAfterMs?: number;
  /** Time since the first failure of this tool. */
  readonly retryElapsedMs: number;
  /** Limit from the first failure to the start of the last retry. */
  readonly maxTotalTimeMs: number;
  /** How much longer the call may wait for the tool to recover. Absent where calls do not wait for that. */
  readonly mayWaitMs?: number;
  /**
   * How long a server's Retry-After holds calls. Where calls wait: how long the gate holds them, for its circuit or its rate limit too. Absent when it does not,
   * or when that is not known.
   */
  readonly heldMs?: number;
  /** Time until the turn's deadline. Absent when it has none. */
  readonly turnTimeLeftMs?: number;
  /** Retries the tool's budget still allows. Absent when it has none. */
  readonly retryBudgetLeft?: number;
  /** Retries the turn's budget still allows. Absent when it has none. */
  readonly turnRetriesLeft?: number;
  /** Alternatives that the call has not used yet. */
  readonly alternatives: readonly AlternativeOption[];
  /** Whether the failed attempt had reported partial output. */
  readonly partialAvailable: boolean;
  /** Whether the settings accept partial output after a timeout. */
  readonly acceptPartial: boolean;
  /** Whether the requested tool has a static fallback. */
  readonly fallbackAvailable: boolean;
  /** The turn can succeed without this call. */
  readonly optional: boolean;
  /** Recovery rules that matched the failure, in their order. */
  readonly recoveryRules: readonly MatchedRule[];
  /** How strategies ended before for this kind of failure; empty without memory. */
  readonly evidence: readonly StrategyEvidence[];
}

/** One check of a decision, with the value that it examined. */
export interface Guard {
  /** Name of the check, such as `circuit_closed` or `attempts_left`. */
  readonly guard: string;
  /** False rules the strategy out. */
  readonly passed: boolean;
  /** The value that was checked. */
  readonly value: string | number | boolean;
  /** The limit that the value was compared with; absent when there is none. */
  readonly limit?: string | number | boolean;
}

/** What is done about a failure, and why. */
export interface Decision {
  /** What is done about the failure. */
  readonly action: DecisionAction;
  /** One sentence, such as `Transient error + circuit closed + retries available`. */
  readonly reason: string;
  /** For `retry`: from now to the start of the next attempt. */
  readonly delayMs?: number;
  /** For `use_alternative`: name of the tool to try. */
  readonly alternative?: string;
  /** Why there is no further retry, where one was possible. */
  readonly stoppedBy?: StoppedBy;
  /** The checks made, in order. */
  readonly guards: readonly Guard[];
}
