/**
 * Owns what the call machine remembers about one call. Written only by the files of this folder.
 */
import type { FailedBefore, Permit } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import type { StoppedBy } from '../recover/decision.ts';
import type { ToolSettings } from '../settings/settings.ts';
import type { SingleCallSettings } from '../trace/events.ts';
import type { Fault } from './fault.ts';
import type { DeliveredOutput } from './output.ts';
import type { CallEffect } from './protocol.ts';

/** Retries that all calls of a turn share. The machines count `left` down; `null` is no limit. */
interface RetryAllowance {
  left: number | null;
}

/** The definition of a call; it never changes. */
export interface CallSpec {
  readonly turnId: string;
  readonly seed: string;
  /** Unique within the turn, even when call ids repeat; identifies the call in the trace. */
  readonly callKey: string;
  readonly callId: string;
  readonly toolName: string;
  /** The turn can succeed without it. */
  readonly optional: boolean;
  readonly critical: boolean;
  /** Settings of this call's tool and its alternatives; `undefined` for a tool that does not exist. */
  readonly settingsOf: (toolName: string) => ToolSettings | undefined;
  /** When the turn's time is up, on the monotonic clock. */
  readonly deadlineAt: number | undefined;
  readonly allowance: RetryAllowance;
  /** A single call, outside of any turn: its end is the end of the trace. */
  readonly single?: boolean;
  /** Identifies this run of the call to services that recognise repeated requests. */
  readonly idempotencyKey: string;
  /** Redacted arguments for the trace, where they are captured. */
  readonly capturedArguments?: unknown;
  /** For the trace of a single call. */
  readonly recordedSettings?: SingleCallSettings | undefined;
}

/** The tool that a call currently uses, with its counts: the requested tool, then each alternative. */
export interface CallTarget {
  readonly toolName: string;
  readonly settings: ToolSettings;
  attempts: number;
  /** Of these, attempts that tested a recovering service. */
  probes: number;
  /** Of these, attempts whose failure had no evidence of its cause. */
  unknownFailures: number;
  /** An attempt may have had its effect, although none has succeeded. */
  mayHaveHappened: boolean;
  /** When the first failed attempt ended: the start of the retry time. */
  firstFailureAt: number | undefined;
  /** When a rate limit or a server's Retry-After began to hold the call. */
  heldSince: number | undefined;
  previousDelayMs: number | undefined;
  /** How the latest attempt failed. */
  failed: FailedBefore | undefined;
  /** The latest end of a wait that the server asked for in answer to one of the attempts. */
  retryAfterUntil: number;
}

/** An attempt whose work has not ended yet. */
export interface LiveAttempt {
  readonly number: number;
  /** Counted per tool, from 1. */
  readonly toolAttempt: number;
  readonly hedge: boolean;
  readonly target: CallTarget;
  readonly permit: Permit;
  readonly startedAt: number;
  readonly circuit: CircuitState;
  /** When it last reported progress; at first, when it started. */
  progressAt: number;
  partial: DeliveredOutput | undefined;
  /** The call continued without it (timeout, cancellation, a faster hedge); only its slot is still held. */
  orphaned: boolean;
}

/** A failure that awaits its decision. */
export interface PendingFailure {
  readonly fault: Fault;
  /** Absent when the call was refused or rejected before an attempt. */
  readonly attempt: LiveAttempt | undefined;
  readonly failedAt: number;
  circuit: CircuitState;
  /** With per-call counting the circuit breaker observes the failure only when it is final. */
  unrecorded: boolean;
}

export type CallPhase = 'new' | 'preparing' | 'admitting' | 'waiting' | 'running' | 'assessing' | 'consulting' | 'backing_off' | 'settled';

export interface CallState {
  readonly spec: CallSpec;
  phase: CallPhase;
  startedAt: number;
  target: CallTarget;
  /** The tools that were tried before, the requested one first. */
  earlierTargets: readonly CallTarget[];
  /** Attempts of all tools. */
  attempts: number;
  live: readonly LiveAttempt[];
  hedges: number;
  /** Number of admission requests: the id of the latest. */
  requests: number;
  /** The admission request that the call waits for. */
  pendingRequest: number | undefined;
  /** The admission request of a hedge. */
  hedgeRequest: number | undefined;
  ticket: number | undefined;
  /** When the call began to wait for recovery at the gate. */
  waitingSince: number | undefined;
  /** Total of such waits, without the current one. */
  waitedMs: number;
  pending: PendingFailure | undefined;
  /** The last real error: never replaced by a refusal that came after it. */
  lastFault: Fault | undefined;
  stoppedBy: StoppedBy | undefined;
  /** When the gate would admit the call again, as last reported. */
  gateRetryAfterMs: number | undefined;
  usedAlternatives: readonly string[];
  /** Alternatives that were available when last checked and have not been used. */
  availableAlternatives: readonly string[];
}

const none: readonly never[] = [];

/** Settings of a tool that does not exist: the call ends before any of them matters, except that there is nothing to fall back on. */
export function createCallState(spec: CallSpec, fallbackSettings: ToolSettings, now: number): CallState {
  return {
    spec,
    phase: 'new',
    startedAt: now,
    target: createTarget(spec.toolName, spec.settingsOf(spec.toolName) ?? fallbackSettings),
    earlierTargets: none,
    attempts: 0,
    live: none,
    hedges: 0,
    requests: 0,
    pendingRequest: undefined,
    hedgeRequest: undefined,
    ticket: undefined,
    waitingSince: undefined,
    waitedMs: 0,
    pending: undefined,
    lastFault: undefined,
    stoppedBy: undefined,
    gateRetryAfterMs: undefined,
    usedAlternatives: none,
    availableAlternatives: none,
  };
}

export function createTarget(toolName: string, settings: ToolSettings): CallTarget {
  return {
    toolName,
    settings,
    attempts: 0,
    probes: 0,
    unknownFailures: 0,
    mayHaveHappened: false,
    firstFailureAt: undefined,
    heldSince: undefined,
    previousDelayMs: undefined,
    failed: undefined,
    retryAfterUntil: -Infinity,
  };
}

/** The input and output of one step. */
export interface Step {
  readonly state: CallState;
  readonly now: number;
  readonly effects: CallEffect[];
}
