/**
 * Owns what the call machine remembers about one call. Written only by the files of this folder.
 */
import type { Permit } from '../admission/types.ts';
import type { CircuitState } from '../breaker/types.ts';
import type { StoppedBy } from '../recover/decision.ts';
import type { ToolSettings } from '../settings/settings.ts';
import type { Fault } from './fault.ts';
import type { DeliveredOutput } from './output.ts';
import type { CallEffect } from './protocol.ts';

/** Retries that all calls of a turn share. `left` is counted down by the machines; `null` is no cap. */
interface RetryAllowance {
  left: number | null;
}

/** What a call is made of; nothing in it changes. */
export interface CallSpec {
  readonly turnId: string;
  readonly seed: string;
  /** Unique within the turn, also when call ids repeat; names the call in the trace. */
  readonly callKey: string;
  readonly callId: string;
  readonly toolName: string;
  /** The turn can do without it. */
  readonly optional: boolean;
  readonly critical: boolean;
  /** Settings of this call's tool and its alternatives; `undefined` for a tool that does not exist. */
  readonly settingsOf: (toolName: string) => ToolSettings | undefined;
  /** When the turn's time is up, on the monotonic clock. */
  readonly deadlineAt: number | undefined;
  readonly allowance: RetryAllowance;
  /** It belongs to no turn: its end is the end of the trace. */
  readonly lone?: boolean;
  /** Names the run of the call for services that recognise repeated requests. */
  readonly idempotencyKey: string;
  /** Redacted arguments for the trace, where they are captured. */
  readonly capturedArguments?: unknown;
}

/** One tool's share of a call: the tool asked for, then each alternative. */
export interface Leg {
  readonly toolName: string;
  readonly settings: ToolSettings;
  attempts: number;
  /** Of them, those that tested a recovering service. */
  probes: number;
  /** The end of the first failed attempt, where the retry clock starts. */
  firstFailureAt: number | undefined;
  /** Since when a rate limit or a server's Retry-After holds the call back. */
  heldSince: number | undefined;
  previousDelayMs: number | undefined;
}

/** An attempt whose work has not ended yet. */
export interface LiveAttempt {
  readonly number: number;
  /** Counted within its leg, from 1. */
  readonly legAttempt: number;
  readonly hedge: boolean;
  readonly leg: Leg;
  readonly permit: Permit;
  readonly startedAt: number;
  readonly circuit: CircuitState;
  partial: DeliveredOutput | undefined;
  /** Answered for already (timeout, cancellation, a faster sibling); only its slot is still held. */
  orphaned: boolean;
}

/** A failure on its way to a decision. */
export interface PendingFailure {
  readonly fault: Fault;
  /** Absent when the call was refused or rejected before an attempt. */
  readonly attempt: LiveAttempt | undefined;
  readonly failedAt: number;
  circuit: CircuitState;
  /** With per-call counting the breaker hears of the failure only when it is final. */
  unrecorded: boolean;
}

export type CallPhase = 'new' | 'preparing' | 'admitting' | 'waiting' | 'running' | 'assessing' | 'consulting' | 'backing_off' | 'settled';

export interface CallState {
  readonly spec: CallSpec;
  phase: CallPhase;
  startedAt: number;
  leg: Leg;
  /** Attempts of all legs. */
  attempts: number;
  live: readonly LiveAttempt[];
  hedges: number;
  /** How many admissions were asked for: the number of the latest. */
  requests: number;
  /** The admission that the call waits for. */
  asked: number | undefined;
  /** The admission asked for on behalf of a second attempt beside a slow first one. */
  hedging: number | undefined;
  ticket: number | undefined;
  /** Since when it waits at a gate where calls wait for recovery. */
  waitingSince: number | undefined;
  /** What such waits have taken so far, the present one left out. */
  waitedMs: number;
  pending: PendingFailure | undefined;
  /** The last real error: never replaced by a refusal that came after it. */
  lastFault: Fault | undefined;
  stoppedBy: StoppedBy | undefined;
  /** When our own admission would let the call through again, as last heard. */
  comeBackMs: number | undefined;
  usedAlternatives: readonly string[];
  /** Alternatives that were let through when they were last asked about, and have not been used. */
  usable: readonly string[];
}

const none: readonly never[] = [];

/** Settings of a tool that does not exist: the call ends before any of them matters, except that there is nothing to fall back on. */
export function createCallState(spec: CallSpec, fallbackSettings: ToolSettings, now: number): CallState {
  return {
    spec,
    phase: 'new',
    startedAt: now,
    leg: createLeg(spec.toolName, spec.settingsOf(spec.toolName) ?? fallbackSettings),
    attempts: 0,
    live: none,
    hedges: 0,
    requests: 0,
    asked: undefined,
    hedging: undefined,
    ticket: undefined,
    waitingSince: undefined,
    waitedMs: 0,
    pending: undefined,
    lastFault: undefined,
    stoppedBy: undefined,
    comeBackMs: undefined,
    usedAlternatives: none,
    usable: none,
  };
}

export function createLeg(toolName: string, settings: ToolSettings): Leg {
  return { toolName, settings, attempts: 0, probes: 0, firstFailureAt: undefined, heldSince: undefined, previousDelayMs: undefined };
}

/** What one step has to work with. */
export interface Step {
  readonly state: CallState;
  readonly now: number;
  readonly effects: CallEffect[];
}
