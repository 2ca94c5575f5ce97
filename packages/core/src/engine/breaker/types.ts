/**
 * The types of the circuit breaker: settings, permits, transitions, snapshots and the state object itself.
 * Owns no behaviour but the first values of the state. All times are monotonic milliseconds unless a name says epoch.
 */
import type { Mutable } from '../plain/mutable.ts';
import type { RollingWindow } from './rolling-window.ts';

/** A state query also returns `half_open` when the open period has passed and no call has arrived yet. */
export type CircuitState = 'closed' | 'open' | 'half_open';

/**
 * Manual control. `auto` follows the outcomes; `forced_open` refuses every call; `disabled` neither counts nor blocks;
 * `shadow` counts and changes state as `auto` would, but refuses nothing.
 */
export type CircuitMode = 'auto' | 'forced_open' | 'disabled' | 'shadow';

/** What an operator can command: a mode, or `reset` (closed, with all counts cleared). */
export type CircuitCommand = CircuitMode | 'reset';

/** What an outcome is evidence about: the dependency (`success`, `transient`), the request (`permanent`) or neither (`neutral`). */
export type OutcomeKind = 'success' | 'transient' | 'permanent' | 'neutral';

/** What one attempt showed about its dependency. */
export interface Observation {
  readonly outcome: OutcomeKind;
  /** Duration of the attempt. */
  readonly durationMs: number;
  /** The wait the server asked for. It holds other calls (`hold.ts`); a circuit that opens stays open at least as long as the hold. Ignored when neutral. */
  readonly retryAfterMs?: number;
  /** The server rejected the request as one too many. */
  readonly rateLimited?: boolean;
  /** The attempt was not answered within its time limit, or, where it is neutral, before its turn's deadline. */
  readonly timedOut?: boolean;
  /** A number in [0, 1) drawn from the call's seed: processes whose calls fail together do not probe together. @default 0.5 */
  readonly random?: number;
}

/** The optional second detector: a share of failed or slow calls over a time window. */
export interface RateSettings {
  /** Length of the window; it rolls in tenths. */
  readonly windowMs: number;
  /** No verdict below this number of calls in the window. */
  readonly minimumCalls: number;
  /** Opens at this share of transient failures, above 0 and up to 1. */
  readonly failureRate: number;
  /** A call of this duration or longer is slow. @default no call is slow */
  readonly slowCallMs?: number;
  /** Opens at this share of slow calls, above 0 and up to 1; needs `slowCallMs`. @default 1 */
  readonly slowCallRate?: number;
}

/** What opens a circuit, how long it stays open, and what closes it. */
export interface BreakerSettings {
  /** Consecutive transient failures that open the circuit (docs/specification.md#s1-3-1). @default 5 */
  readonly failureThreshold: number;
  /** Consecutive successful probes that close it (docs/specification.md#s1-3-3). @default 1 */
  readonly successThreshold: number;
  /** How long it stays open before a probe is let through (docs/specification.md#s0-3-2); Infinity: until an operator resets it. @default 30000 */
  readonly openMs: number;
  /** A probe that has not answered by then has failed. Set it above the tool's timeout. @default 60000 */
  readonly probeLeaseMs: number;
  /** Consecutive probes answered with a permanent error that close it: the service is up. @default 3 */
  readonly permanentProbeLimit: number;
  /** The second detector. @default off */
  readonly rate?: RateSettings;
}

/** Why a circuit changed: failures or slow calls, the end of its open period, the outcome of a probe, an operator, or the fleet. */
export type TransitionReason =
  | 'failure_threshold'
  | 'failure_rate'
  | 'slow_call_rate'
  | 'open_period_elapsed'
  | 'probe_succeeded'
  | 'probe_failed'
  | 'probe_lease_expired'
  | 'permanent_probes'
  | 'manual'
  /** Another process of the fleet that shares the circuit changed it. */
  | 'fleet';

/** One change of state. */
export interface CircuitTransition {
  /** State before the change. */
  readonly from: CircuitState;
  /** State after the change. */
  readonly to: CircuitState;
  /** What caused the change. */
  readonly reason: TransitionReason;
  /** Consecutive transient failures counted when it changed. */
  readonly failureCount: number;
  /** Set when the circuit opened by itself: how long it stays open, counted from when the transition is reported. */
  readonly openForMs?: number;
}

/** The right to make one attempt. Plain data; it is valid for the generation it names. */
export interface CircuitPermit {
  /** The circuit's generation when the permit was issued, or -1 when the outcome must not change the state. */
  readonly generation: number;
  readonly probe: boolean;
  /** Distinguishes the probes of one half-open period; 0 when this is no probe. */
  readonly probeNumber: number;
}

/** Why the circuit refused, and when to try again. */
export interface CircuitRefusal {
  /** Error code of the refused call. */
  readonly code: 'CIRCUIT_OPEN';
  /** Never 0 and never negative. Absent when only an operator can close it. */
  readonly retryAfterMs?: number;
  /** `circuit`: its open period is running; `probe_in_progress`: a probe is running; `forced_open`: an operator opened it. */
  readonly source: 'circuit' | 'probe_in_progress' | 'forced_open';
}

export type CircuitAdmission =
  | { readonly kind: 'permit'; readonly permit: CircuitPermit }
  | { readonly kind: 'refused'; readonly refusal: CircuitRefusal };

/** Statistics only: no decision reads them. */
export interface CircuitCounters {
  /** Attempts that succeeded. */
  readonly success: number;
  /** Attempts that failed because of the dependency. */
  readonly transient: number;
  /** Attempts whose request was wrong; the dependency answered. */
  readonly permanent: number;
  /** Attempts that show nothing about the dependency, such as cancelled ones. */
  readonly neutral: number;
  /** Outcomes that came too late to change the state. They are also counted under their kind. */
  readonly stale: number;
  /** How often the circuit opened by itself. */
  readonly opened: number;
}

/** The counts of a rolling window, oldest bucket first. */
export interface WindowSnapshot {
  /** Age of the newest bucket. */
  readonly bucketAgeMs: number;
  /** Per bucket: calls, failures, slow calls. */
  readonly counts: readonly (readonly number[])[];
}

/**
 * The exact state of a breaker as JSON. Times are relative (`…Ms`: remaining time; below 0 when it has passed) and refer to
 * `savedAtEpochMs`, the only wall-clock value, read only when the snapshot is restored.
 */
export interface CircuitSnapshot {
  /** Version of the snapshot's format. */
  readonly version: 1;
  /** When the snapshot was made, in milliseconds since 1970. */
  readonly savedAtEpochMs: number;
  /** The partition of calls that the circuit belongs to, at the start of a turn; a store has none of them. */
  readonly partition?: string;
  /** The manual control in force. */
  readonly mode: CircuitMode;
  /** State as of the last event: stays `open` until a call comes, even when the open period has passed. */
  readonly state: CircuitState;
  /** Number of the span between two transitions; permits of earlier ones are stale. */
  readonly generation: number;
  /** Consecutive transient failures. */
  readonly failureCount: number;
  /** Remaining time of the open period; 0 unless `state` is `open`. */
  readonly openLeftMs: number;
  /** Remaining time in which a server's Retry-After holds calls; 0 when it holds none. */
  readonly holdLeftMs: number;
  /** Length of the latest hold, which the next one may double; absent unless the server repeats its Retry-After. */
  readonly holdMs?: number;
  /** How long ago the latest request was sent that got a Retry-After; absent when a later one has succeeded. */
  readonly holdAskedAgoMs?: number;
  /** The running probe, with the remaining time of its lease; absent when none is running. */
  readonly probe?: { readonly leaseLeftMs: number };
  /** Number of the latest probe; 0 before the first. */
  readonly probeNumber: number;
  /** Successful probes of this half-open period. */
  readonly probeSuccesses: number;
  /** Consecutive probes of this half-open period that were answered with a permanent error. */
  readonly permanentProbes: number;
  /** Outcomes counted so far, for statistics. */
  readonly counters: CircuitCounters;
  /** Counts of the rate detector; absent without it, and before its first outcome. */
  readonly window?: WindowSnapshot;
  /** How long the next open period would last, where it is not that of the settings. */
  readonly openMs?: number;
  /** What it has adopted of the circuit that a fleet shares; absent when nothing. */
  readonly fleet?: {
    /** Whether it closes when the fleet's circuit does. */
    readonly joined: boolean;
    /** Whether it is open only because the fleet's circuit was, which is no vote of its own. */
    readonly adopted: boolean;
  };
}

/** Both clocks, read at the same moment. */
export interface ClockReading {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Wall-clock milliseconds since 1970. */
  readonly nowEpochMs: number;
}

/** Counts a call and returns whether the circuit opens because of it. */
export type Detect = (observation: Observation, now: number) => 'failure_rate' | 'slow_call_rate' | undefined;

/**
 * The state of one circuit, closed at first. Mutable, and written only by the functions of this folder; `state` is as of the last event, so call
 * `circuitState(breaker, now)` rather than reading it.
 */
export class Breaker {
  /** Complete settings. */
  settings: BreakerSettings;
  mode: CircuitMode = 'auto';
  state: CircuitState = 'closed';
  generation = 0;
  failureCount = 0;
  /** How long the next open period lasts. */
  openMs: number;
  openUntil: number = -Infinity;
  holdUntil: number = -Infinity;
  /** Length of the latest hold while the server repeats its Retry-After; otherwise 0. */
  holdMs = 0;
  /** When the latest request was sent that got a Retry-After. */
  holdAskedAt: number = -Infinity;
  probeOut = false;
  leaseUntil: number = -Infinity;
  probeNumber = 0;
  probeSuccesses = 0;
  permanentProbes = 0;
  /** The second detector and its counts; both or neither. Set by `useRate`, so that a circuit without it is bundled without its code. */
  detect: Detect | undefined = undefined;
  window: RollingWindow | undefined = undefined;
  /** Changes of state that `takeChanges` has not taken yet. */
  changes: CircuitTransition[] = [];
  readonly counters: Mutable<CircuitCounters> = { success: 0, transient: 0, permanent: 0, neutral: 0, stale: 0, opened: 0 };

  constructor(settings: BreakerSettings) {
    this.settings = settings;
    this.openMs = settings.openMs;
  }
}
