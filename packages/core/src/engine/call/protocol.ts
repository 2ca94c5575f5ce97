/**
 * Owns the protocol between the call machine and its driver: inputs in, effects out. Data only.
 *
 * The driver's duties
 * 1. Perform effects in their order; feed inputs one at a time.
 * 2. Answer `prepare` with `prepared`, `admit` with `admission`, `record` (with `answer`) and `observe` with `assessed`, `consult` with `decided`,
 *    `start_attempt` with `attempt_settled`; at once or later.
 * 3. A timer in the `background` must not keep the process alive: no caller waits for it.
 * 4. Feed `attempt_settled` when the work really ends, even long after the call was settled: only then is its slot free.
 */
import type { Admission, FailedBefore, Observation, Permit } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import type { AlternativeOption } from '../recover/decision.ts';
import type { FailureNotice, HandlerAnswer } from '../recover/error-handler.ts';
import type { Progress } from '../tool/runner.ts';
import type { TraceEventBody } from '../trace/events.ts';
import type { Fault } from './fault.ts';
import type { Alteration } from './output.ts';
import type { FailuresInARow } from './remaining-wait.ts';
import type { ToolResult } from './result.ts';

/** How an attempt ended. */
export type Outcome =
  | { readonly ok: true; readonly output: unknown; readonly altered?: Alteration; readonly captured?: unknown }
  | { readonly ok: false; readonly fault: Fault };

/** What a decision needs to know about the tools. */
export interface Assessment {
  /** The effective state: a disabled or shadowed breaker counts as closed, a forced one as open. */
  readonly circuit: CircuitState;
  readonly retryAfterMs?: number | undefined;
  readonly retryBudgetLeft?: number | undefined;
  /** Where calls wait for recovery: how long the tool usually takes, 0 when that is not known. */
  readonly usualMs?: number | undefined;
  /** Where calls wait for recovery: the tool's failures in a row. */
  readonly failures?: FailuresInARow | undefined;
  /** How long a server's Retry-After holds calls. Where calls wait for recovery: how long the gate does, for any reason. Absent when it does not, or when that is not known. */
  readonly heldMs?: number | undefined;
  readonly alternatives: readonly AlternativeOption[];
}

/**
 * `attempt`: its time limit; `idle`: its limit without progress; `backoff`: the delay before the next; `abandon`: how long late work keeps its slot; `hedge`: when a
 * second one starts. To clear `attempt` is to clear all of an attempt's timers.
 */
export type CallTimer = 'attempt' | 'idle' | 'backoff' | 'abandon' | 'hedge';

/**
 * Why an attempt is aborted: its time limit, its limit without progress, the caller's cancellation, the turn's deadline, or another attempt that decided the call.
 */
export type AbortReason = 'timeout' | 'idle' | 'cancelled' | 'deadline' | 'superseded';

export type CallInput =
  | { readonly type: 'submitted' }
  | { readonly type: 'prepared'; readonly fault?: Fault }
  | {
      readonly type: 'admission';
      readonly request: number;
      readonly toolName: string;
      readonly answer: Admission;
      readonly circuit: CircuitState;
      /** Where the call does not start: how long a server's Retry-After holds calls; absent when it holds none. */
      readonly heldMs?: number | undefined;
      readonly hedgeAfterMs?: number | undefined;
    }
  | { readonly type: 'attempt_settled'; readonly attempt: number; readonly outcome: Outcome }
  | { readonly type: 'assessed'; readonly assessment: Assessment }
  | { readonly type: 'decided'; readonly answer: HandlerAnswer }
  | { readonly type: 'timer_fired'; readonly timer: CallTimer; readonly attempt: number }
  | { readonly type: 'progress_reported'; readonly attempt: number; readonly progress: Progress }
  | { readonly type: 'partial_reported'; readonly attempt: number; readonly output: unknown; readonly altered?: Alteration }
  | { readonly type: 'cancelled'; readonly fault: Fault }
  | { readonly type: 'deadline_reached'; readonly onDeadline: 'detach' | 'abort'; readonly timeoutMs: number | null };

export type CallEffect =
  | { readonly type: 'prepare'; readonly toolName: string }
  /** The answer names its `request`: the call may have made another one since. */
  | {
      readonly type: 'admit';
      readonly request: number;
      readonly toolName: string;
      readonly retry: boolean;
      readonly timeLimitMs: number;
      /** Where calls wait for recovery: the time since the call was submitted, and until the turn's deadline. */
      readonly ageMs?: number;
      readonly turnLeftMs?: number | undefined;
      /** Where calls wait for recovery: attempts with this tool so far, and how the latest failed. */
      readonly attempts?: number;
      readonly failed?: FailedBefore | undefined;
    }
  | { readonly type: 'cancel_wait'; readonly toolName: string; readonly ticket: number }
  | { readonly type: 'start_attempt'; readonly toolName: string; readonly attempt: number; readonly timeoutMs: number }
  | {
      readonly type: 'abort_attempt';
      readonly attempt: number;
      readonly reason: AbortReason;
      /** The caller's own reason, which the tool's signal has then too. */
      readonly cause?: unknown;
    }
  | {
      readonly type: 'record';
      readonly toolName: string;
      readonly permit: Permit;
      readonly observation: Observation;
      readonly answer: boolean;
    }
  | { readonly type: 'observe'; readonly toolName: string }
  /** A server asked callers to wait, with a failure that is not recorded, or not yet. */
  | { readonly type: 'hold'; readonly toolName: string; readonly holdMs: number; readonly durationMs: number }
  | { readonly type: 'orphan'; readonly toolName: string; readonly permit: Permit }
  | { readonly type: 'release'; readonly toolName: string; readonly permit: Permit }
  | { readonly type: 'return_permit'; readonly toolName: string; readonly permit: Permit }
  | {
      readonly type: 'set_timer';
      readonly timer: CallTimer;
      readonly attempt: number;
      readonly delayMs: number;
      readonly background?: boolean;
      /** With the time limit of an attempt: when a second one may start beside it. Both are cleared together. */
      readonly hedgeAfterMs?: number | undefined;
    }
  | { readonly type: 'clear_timer'; readonly timer: CallTimer; readonly attempt: number }
  | { readonly type: 'consult'; readonly notice: FailureNotice }
  | { readonly type: 'append'; readonly event: TraceEventBody }
  | { readonly type: 'settle'; readonly result: ToolResult };
