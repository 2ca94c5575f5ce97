/**
 * Owns the shape of every setting that governs a tool's calls, resolved (`ToolSettings`: nothing missing) and as users give it
 * (`ToolPolicy`: any part). Does not own the numbers (`profiles.ts`), the merging (`resolve.ts`) or the checking (`validate.ts`).
 */
import type { BreakerSettings } from '../breaker/types.ts';
import type { Effect } from '../recover/decision.ts';

/** How the delay grows from attempt to attempt (docs/specification.md#s0-2-1, #s2). */
export type BackoffStrategyName = 'exponential_backoff' | 'linear_backoff' | 'constant_backoff';

/**
 * How a delay is spread. `proportional` is ± `jitterPercent`; `full` draws from 0 to the delay, `equal` from half of it to all of it,
 * `decorrelated` from the initial delay to three times the previous one.
 */
export type JitterKind = 'proportional' | 'full' | 'equal' | 'decorrelated' | 'none';

/** How often, and after which delays, a failed attempt is repeated. */
export interface RetrySettings {
  /** @default 'exponential_backoff' */
  readonly strategy: BackoffStrategyName;
  /** Delay before the second attempt. @default 100 */
  readonly initialDelayMs: number;
  /** Cap before jitter. @default 800 */
  readonly maxDelayMs: number;
  /** For `exponential_backoff`. @default 2 */
  readonly multiplier: number;
  /** For `linear_backoff`: added per attempt. @default 100 */
  readonly stepMs: number;
  /** @default 'proportional' */
  readonly jitter: JitterKind;
  /** For `proportional`. @default 10 */
  readonly jitterPercent: number;
  /** Maximum number of attempts, the first included (docs/specification.md#s1-2-3). @default 5 */
  readonly maxAttempts: number;
  /** Limit from the first failure to the start of the last retry (docs/specification.md#s1-2-4). @default 2000 */
  readonly maxTotalTimeMs: number;
}

/** The circuit breaker of one tool; see `BreakerSettings` for the detectors. */
export interface CircuitBreakerSettings extends BreakerSettings {
  /**
   * What counts as one failure: every attempt (docs/specification.md#s1-3-1), or a call that finally failed (#s4). Where calls wait for recovery, a call counts once,
   * at its first failure. @default 'attempt'
   */
  readonly count: 'attempt' | 'call';
}

/** How many calls of a tool may run at once, and how many more may wait for a slot. */
export interface ConcurrencySettings {
  /** Calls that may run at once. */
  readonly limit: number;
  /** Calls that may wait, those that wait for recovery included. They get their slots in order. @default Infinity */
  readonly queue: number;
}

/** Calls wait for a tool to recover instead of failing. */
export interface WaitForRecoverySettings {
  /**
   * Longest wait, from the start of the call; always leaves time in the turn for an attempt. A call without a deadline waits at most a minute.
   * A first attempt that waits only for a slot or a rate limit may wait until its turn's deadline.
   * @default 300000
   */
  readonly maxWaitMs: number;
}

/** How many calls of a tool may start in a window; further ones wait where the turn has time, or are refused. */
export interface RateLimitSettings {
  /** Calls in any span of the window, from 1 to 100,000. */
  readonly limit: number;
  /** Length of the window. */
  readonly windowMs: number;
}

/** Caps retries to a share of the calls in a window plus a floor, so that retries never multiply an outage. */
export interface RetryBudgetSettings {
  /** Retries per call that counts: 0.2 allows one retry for five calls. */
  readonly ratio: number;
  /** Retries allowed in a window in any case. */
  readonly floor: number;
  /** Length of the window; it rolls in tenths. */
  readonly windowMs: number;
}

/** A second attempt of a slow `read` tool in parallel with the first; the first answer wins. */
export interface HedgeSettings {
  /** Starts when the first attempt takes longer than this; `'p95'` learns the delay from the tool's own durations. */
  readonly afterMs: number | 'p95';
  /** Maximum number of attempts besides the first. @default 1 */
  readonly maxHedges: number;
}

/**
 * How a failure without evidence of its cause is handled, such as a thrown `Error` with a message about seats. `retry`: it is transient, and retried like
 * a lost connection (docs/specification.md#s0-1-3). `report`: it is permanent and reported unchanged; circuits do not count it, and it is retried at most once,
 * if `effect` is `read` or `idempotent`.
 */
export type UnknownFailures = 'retry' | 'report';

/** Everything that governs the calls of one tool, nothing missing. */
export interface ToolSettings {
  /** Time limit of one attempt (docs/specification.md#s0-4-1). `Infinity`: none. @default 30000 */
  readonly timeoutMs: number;
  /** An attempt that reports no progress for this long is timed out; progress and partial output start it again. @default none */
  readonly idleTimeoutMs?: number | undefined;
  /** Work that ignores its time limit keeps its slot at most this much longer. @default 60000 */
  readonly abandonMs: number;
  /** How often, and after which delays, a failed attempt is repeated. */
  readonly retry: RetrySettings;
  /** The circuit breaker; `false`: none. */
  readonly breaker: CircuitBreakerSettings | false;
  /** How many calls may run at once; `false`: no limit. */
  readonly concurrency: ConcurrencySettings | false;
  /** How many calls may start in a window; `false`: no limit. */
  readonly rateLimit: RateLimitSettings | false;
  /** Caps retries to a share of the calls; `false`: no cap. */
  readonly retryBudget: RetryBudgetSettings | false;
  /** Starts a second attempt in parallel with a slow one, for `read` tools only; `false`: never. */
  readonly hedge: HedgeSettings | false;
  /**
   * While the circuit is open, a server's Retry-After is in force or no slot is free, calls wait instead of being refused, unless an alternative is available.
   * @default false
   */
  readonly waitForRecovery?: WaitForRecoverySettings | false | undefined;
  /** What the tool does to the world. Undeclared tools are never hedged. */
  readonly effect: Effect | undefined;
  /** The effect of a tool that declares none, after a failure that may have had its effect. @default none: it is retried (docs/specification.md#s0-2-3) */
  readonly assumedEffect?: Effect | undefined;
  /** How a failure without evidence of its cause is handled. @default 'retry' */
  readonly unknownFailures?: UnknownFailures | undefined;
  /** Tools that are tried in this order when this one has finally failed (docs/specification.md#s1-6-4). @default [] */
  readonly alternatives: readonly string[];
  /** After a timeout, the partial output that the tool had reported becomes the result. @default false */
  readonly acceptPartial: boolean;
  /** The output when everything else has failed (docs/specification.md#s4). */
  readonly fallback: { readonly value: unknown } | undefined;
  /** Larger outputs are cut and marked. In characters of JSON; binary data counts separately, in bytes, and is handed on untouched or replaced by its size. @default 10485760 */
  readonly maxOutputChars: number;
}

/** Any part of a type, at every depth of its plain settings objects. */
export type PartialSettings<T> = T extends object ? { readonly [K in keyof T]?: T[K] | undefined } : T;

/** Settings as a user gives them: any part of them, merged global → tool → call; the most specific wins. */
export interface ToolPolicy {
  /** Time limit of one attempt. `Infinity`: none. */
  readonly timeoutMs?: number | undefined;
  /** An attempt that reports no progress for this long is timed out. */
  readonly idleTimeoutMs?: number | undefined;
  /** How much longer work that ignores its time limit keeps its slot, at most. */
  readonly abandonMs?: number | undefined;
  /** How often, and after which delays, a failed attempt is repeated. */
  readonly retry?: PartialSettings<RetrySettings> | undefined;
  /** The circuit breaker; `false`: none. */
  readonly breaker?: PartialSettings<CircuitBreakerSettings> | false | undefined;
  /** How many calls may run at once; `false`: no limit. */
  readonly concurrency?: PartialSettings<ConcurrencySettings> | false | undefined;
  /** How many calls may start in a window; `false`: no limit. */
  readonly rateLimit?: RateLimitSettings | false | undefined;
  /** Caps retries to a share of the calls; `false`: no cap. */
  readonly retryBudget?: PartialSettings<RetryBudgetSettings> | false | undefined;
  /** Starts a second attempt in parallel with a slow one, for `read` tools only; `false`: never. */
  readonly hedge?: PartialSettings<HedgeSettings> | false | undefined;
  /** Calls wait for the tool to recover instead of being refused; `false`: they do not. */
  readonly waitForRecovery?: PartialSettings<WaitForRecoverySettings> | false | undefined;
  /** What the tool does to the world; undeclared tools are never hedged, and retried as `assumedEffect` says. */
  readonly effect?: Effect | undefined;
  /** The effect of a tool that declares none, after a failure that may have had its effect. */
  readonly assumedEffect?: Effect | undefined;
  /** How a failure without evidence of its cause is handled. */
  readonly unknownFailures?: UnknownFailures | undefined;
  /** Tools that are tried in this order when this one has finally failed. */
  readonly alternatives?: readonly string[] | undefined;
  /** After a timeout, the partial output that the tool had reported becomes the result. */
  readonly acceptPartial?: boolean | undefined;
  /** The output when everything else has failed. */
  readonly fallback?: { readonly value: unknown } | undefined;
  /** Larger outputs are cut and marked. In characters of JSON. */
  readonly maxOutputChars?: number | undefined;
}

/** Settings of one call: all but those that the calls of a tool share (breaker, slots, limits, budget). */
export type CallPolicy = Omit<ToolPolicy, 'breaker' | 'concurrency' | 'rateLimit' | 'retryBudget'>;

/** Settings of a whole turn. */
export interface TurnSettings {
  /** The soft deadline (docs/specification.md#s0-4-2). `null`: no deadline. @default 300000 */
  readonly timeoutMs: number | null;
  /** Number of calls that run at once. `Infinity`: no limit. @default 16 */
  readonly concurrency: number;
  /** What happens to tools still running at the deadline: `detach` lets them finish in the background (docs/specification.md#s0-4-2). @default 'detach' */
  readonly onDeadline: 'detach' | 'abort';
  /** Retries of all calls of the turn together. `null`: no cap. @default null */
  readonly maxRetries: number | null;
}
