/**
 * Owns the port between the machines and a driver: the operations that a driver provides. `effect-loop.ts` turns effects into these calls; the in-process
 * driver performs them for real, the virtual driver in simulated time.
 */
import type { Fault } from '../../engine/call/fault.ts';
import type { AbortReason, CallEffect, CallInput, CallTimer } from '../../engine/call/protocol.ts';
import type { ToolResult } from '../../engine/call/result.ts';
import type { CallState } from '../../engine/call/state.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { FailureNotice } from '../../engine/recover/error-handler.ts';
import type { TraceEventBody } from '../../engine/trace/events.ts';
import type { Trace } from '../../engine/trace/turn-trace.ts';

export type Effect<Type extends CallEffect['type']> = Extract<CallEffect, { readonly type: Type }>;

/** A timer of a call, in a linked list. */
export interface SetTimer extends TimerPurpose {
  readonly run: CallRun;
  readonly timer: CallTimer;
  handle: TimerHandle | undefined;
  next: SetTimer | undefined;
}

/** Work that a host has started for a call and can abort. */
export interface RunningAttempt {
  readonly attempt: number;
  /** @param cause the caller's own reason, if there is one */
  abort(reason: AbortReason, cause?: unknown): void;
}

const none: readonly never[] = [];

/** One call that a driver runs. */
export class CallRun {
  readonly state: CallState;
  /** Receives its events. */
  readonly trace: Trace;
  /** The arguments as submitted. */
  readonly arguments: unknown;
  /** Why the call cannot run, if that is known from the start. */
  readonly problem: Fault | undefined;
  readonly onSettled: (result: ToolResult) => void;
  /** The arguments that the tool of the current target receives, as validated by its schema. */
  prepared: unknown;
  /** The timers that are set, as a linked list with the latest first. */
  timers: SetTimer | undefined = undefined;
  running: readonly RunningAttempt[] = none;
  /** Runs attempts in the async context in which the call was made. */
  runInContext: (<Answer>(task: () => Answer) => Answer) | undefined = undefined;
  settled = false;
  /** Its machine threw: it accepts no more inputs. */
  crashed = false;

  constructor(state: CallState, trace: Trace, args: unknown, problem: Fault | undefined, onSettled: (result: ToolResult) => void) {
    this.state = state;
    this.trace = trace;
    this.arguments = args;
    this.problem = problem;
    this.onSettled = onSettled;
    this.prepared = undefined;
  }
}

/** Feeds an answer to the machine of a call, now or later. */
export type Feed = (run: CallRun, input: CallInput) => void;

/** What a timer is for: a timer of a call, or the turn's deadline (no run). */
export interface TimerPurpose {
  readonly run: CallRun | undefined;
  readonly timer: CallTimer | 'deadline';
  readonly attempt: number;
  /** The timer must not keep the process alive. */
  readonly background: boolean;
}

/** A driver's operations at the tools' gates: `ToolGates` for real and simulated ones, the record in an exact replay. */
export interface Gates {
  /** The call waits for the delay before a retry; `wake` ends it early. */
  delayStarted(run: CallRun, wake: () => void): void;
  /** The delay is over, or was given up. */
  delayEnded(run: CallRun): void;
  /** Answers `admission`. */
  admit(run: CallRun, effect: Effect<'admit'>, feed: Feed): void;
  cancelWait(effect: Effect<'cancel_wait'>): void;
  /** Answers `assessed` if the effect asks for it. */
  record(run: CallRun, effect: Effect<'record'>, feed: Feed): void;
  /** Answers `assessed`. */
  observe(run: CallRun, effect: Effect<'observe'>, feed: Feed): void;
  hold(effect: Effect<'hold'>): void;
  orphan(effect: Effect<'orphan'>): void;
  release(effect: Effect<'release'>): void;
  returnPermit(effect: Effect<'return_permit'>): void;
}

export interface Host {
  readonly gates: Gates;
  /** The time of the current step: the latest reading of the clock. */
  readonly moment: number;
  /** Reads the clock. */
  now(): number;
  setTimer(delayMs: number, fire: () => void, purpose: TimerPurpose): TimerHandle;
  clearTimer(handle: TimerHandle): void;
  append(trace: Trace, event: TraceEventBody): void;
  /** Answers `prepared`. */
  prepare(run: CallRun, effect: Effect<'prepare'>, feed: Feed): void;
  /** Answers `attempt_settled`, and may report progress before. */
  startAttempt(run: CallRun, effect: Effect<'start_attempt'>, feed: Feed): void;
  abortAttempt(run: CallRun, effect: Effect<'abort_attempt'>): void;
  /** A machine or the host itself threw: a bug, answered so that no caller waits forever. `run` is absent when it was the turn's machine. */
  crashed(error: unknown, run: CallRun | undefined): void;
  /** Answers `decided`. */
  consult(run: CallRun, notice: FailureNotice, feed: Feed): void;
}
