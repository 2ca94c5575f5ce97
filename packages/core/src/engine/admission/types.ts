/**
 * The types of admission: a gate's request, its answer, and the waiters that a change wakes.
 * Owns no behaviour. All times are monotonic milliseconds.
 */
import type { BreakerSettings, CircuitMode, CircuitPermit, CircuitRefusal, CircuitState, CircuitTransition } from '../breaker/types.ts';
import type { ConcurrencySettings, RateLimitSettings, RetryBudgetSettings } from '../settings/settings.ts';

export type { CircuitState, CircuitTransition, Observation, OutcomeKind } from '../breaker/types.ts';

/** What a gate needs of a tool's settings. */
export interface GateSettings {
  /** `false` leaves the circuit out; an operator can still force it open. */
  readonly breaker: Partial<BreakerSettings> | false;
  /** Slots, which orphaned work holds too, and a queue served in order. @default no limit */
  readonly concurrency?: ConcurrencySettings | false;
  /** Calls in any span of the window; at most 100,000. @default no limit */
  readonly rateLimit?: RateLimitSettings | false;
  /** A ratio of 0.2 allows one retry per five first attempts. @default no budget */
  readonly retryBudget?: RetryBudgetSettings | false;
  /** Calls wait for the tool to recover instead of being refused, and the gate paces what the layer adds. @default false */
  readonly waitForRecovery?: boolean;
}

/**
 * Why a gate refuses: an open circuit, a rate limit or Retry-After, no free slot and no room in the queue, or no retry left in the budget.
 */
export type RefusalCode = 'CIRCUIT_OPEN' | 'RATE_LIMITED' | 'BULKHEAD_FULL' | 'RETRY_BUDGET_EXHAUSTED';

/** The gate refused. It shows nothing about the dependency, so no circuit records it. */
export interface Refusal {
  /** Also the error code of a call that ends with this refusal. */
  readonly code: RefusalCode;
  /** When to try again; never 0. Absent when that is not known. */
  readonly retryAfterMs?: number;
  /** The part of the gate that refused; `server_hint` is a Retry-After. The others are sources of the circuit. */
  readonly source?: CircuitRefusal['source'] | 'server_hint' | 'limiter' | 'bulkhead' | 'budget';
  /** The partition of calls whose gate refused. */
  readonly partition?: string;
}

/**
 * The right to make one attempt. Belongs to the gate that gave it: hand the same object to `record`, then to `release`.
 */
export interface Permit extends CircuitPermit {
  /** Tokens that were paid for the attempt, where calls wait for recovery: it earns them back if it succeeds in the usual time. */
  readonly cost?: number;
  readonly recorded: boolean;
  readonly released: boolean;
  readonly orphaned: boolean;
}

/** How the attempt before a retry failed: decides what the retry costs where calls wait for recovery. */
export interface FailedBefore {
  /** When it started. */
  readonly startedAt: number;
  readonly timedOut: boolean;
  /** It shows nothing about the tool, so waiting would not help. */
  readonly unknown: boolean;
  /** The tool was down by then. */
  readonly down: boolean;
}

export interface AdmissionRequest {
  /** Whether this is a further attempt of a call, which the retry budget counts. */
  readonly retry: boolean;
  /** The attempt's time limit; a probe's lease outlasts it. */
  readonly timeLimitMs?: number;
  /** The ticket of a waiter that was woken; it has paid the limits already, and its slot is reserved. */
  readonly ticket?: number | undefined;
  /** Attempts of the call with this tool so far. @default 1 for a retry, 0 otherwise */
  readonly attempts?: number | undefined;
  /** A second attempt beside a first one that still runs: the tool works for both. @default false */
  readonly hedge?: boolean;
  /** How the attempt before failed. @default a quick failure */
  readonly failed?: FailedBefore | undefined;
  /** When the call began. @default now */
  readonly bornAt?: number | undefined;
  /** The call waits for recovery until this time, then it is refused. @default it does not wait for recovery */
  readonly waitUntil?: number | undefined;
  /** The same while the call waits only for a slot or a rate limit that its tool was given. @default as `waitUntil` */
  readonly slotUntil?: number | undefined;
}

/** What a waiter waits for: a slot, the tool's recovery, a rate limit, or successes that pay for its retry. */
export type WaitReason = 'concurrency' | 'recovery' | 'retry_after' | 'retry_budget';

export type Admission =
  | { readonly kind: 'permit'; readonly permit: Permit }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  | {
      readonly kind: 'wait';
      readonly ticket: number;
      /** Set when the gate waits for recovery too; the trace records it when set. @default 'concurrency' */
      readonly wait?: WaitReason;
      /** When it could continue at the earliest, if known. */
      readonly retryAfterMs?: number | undefined;
      /** The number of calls that may run at once now, where timeouts have set a limit. */
      readonly limit?: number | undefined;
      /** The number of calls that wait, this one included. */
      readonly queued?: number;
    };

/** The effect of a step at the gate. */
export interface GateChange {
  readonly transitions: readonly CircuitTransition[];
  /** Waiters to be admitted again, in this order: a slot is reserved for them, or they will be refused. */
  readonly woken: readonly number[];
}

/** State of a tool's gate at one moment: circuit, load, and learned values. */
export interface ToolHealth {
  /** Circuit state; a `forced_open` circuit is `open`, a `disabled` one `closed`. */
  readonly circuit: CircuitState;
  /** The manual control in force; `auto` when there is none. */
  readonly mode: CircuitMode;
  /** Consecutive transient failures. */
  readonly failureCount: number;
  /** When the latest transient failure of this service ended, in milliseconds since 1970; absent when there was none. Not part of a saved circuit. */
  readonly lastFailureEpochMs?: number;
  /** Partitions that have a circuit of their own now, by name; absent when there are none, and in the state of a partition. */
  readonly partitions?: readonly string[];
  /** When a call could be admitted again; absent when it could be now, or when that is not known. */
  readonly retryAfterMs?: number;
  /** How long a server's Retry-After still holds calls, whatever the state of the circuit; absent when it holds none. */
  readonly heldMs?: number;
  /** Permits that were not released yet, orphaned ones included. */
  readonly inFlight: number;
  /** Timed-out work that is still running. */
  readonly orphaned: number;
  /** Calls that wait at the gate, for a slot or for recovery. */
  readonly queued: number;
  /** The number of calls that may run at once now, where timeouts have set a limit. */
  readonly limit?: number;
  /** The usual duration of a success, where it is learned. */
  readonly latencyMs?: number;
  /** Recent share of failed attempts, where it is learned: 0 to 1. */
  readonly failureShare?: number;
  /** Retries that the budget, or the successes so far, would allow now. */
  readonly retryBudgetLeft?: number;
}
