/**
 * Owns the port to the circuits that a fleet shares, one per tool. Not on the path of a call: at a closed circuit only the local copy decides.
 *
 * Requirements for an implementation (checked by `sharedCircuitsContract` in `@holdfast/core/testing`)
 * 1. One probe at a time per tool in the whole fleet, with a lease.
 * 2. Messages about one tool are processed sequentially; time is by the coordinator's clock, never the caller's.
 * 3. Only `stepFleetCircuit` decides the effect of a message: a coordinator loads, steps and saves.
 * 4. It may reject or hang: the caller has a time limit, after which its local breaker decides.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';

/** Report of a worker about one tool: counts since its last report, and the state of its own circuit. */
export interface CircuitReport {
  /** Name of the tool. */
  readonly toolName: string;
  /** Name of the reporting worker. */
  readonly worker: string;
  /** Increases with every report of this worker, also over its restarts; identifies late and duplicate reports. */
  readonly sequence: number;
  /** The latest generation of the fleet's circuit that the worker knows; 0 when it knows none. */
  readonly generation: number;
  /** Attempts that succeeded or failed permanently (the service answered) since the last confirmed report. */
  readonly successes: number;
  /** Attempts that failed transiently since the last confirmed report. */
  readonly failures: number;
  /** State of its own circuit by its own calls. */
  readonly state: CircuitState;
  /** Remaining time of its own open period. */
  readonly openForMs?: number;
  /** How long a server's Retry-After holds calls of this worker from now on; the fleet follows it at once. */
  readonly retryAfterMs?: number;
}

/** Why the fleet's circuit opened; for the last two, why it closed. */
export type FleetCause = 'quorum' | 'retry_after' | 'probe_failed' | 'probe_succeeded' | 'reset';

/** State of the fleet's circuit of a tool. */
export interface FleetCircuit {
  /** Name of the tool. */
  readonly toolName: string;
  /** State of the circuit at the time of the answer. */
  readonly state: CircuitState;
  /** Increases with every change of the circuit, and never decreases. */
  readonly generation: number;
  /** Time until the next probe can be granted: the rest of the open period or of a running probe. Absent when half-open without a probe, and when closed. */
  readonly openForMs?: number;
  /** Why the circuit last opened or closed; absent before its first change. */
  readonly cause?: FleetCause;
  /** The workers that caused it, eight at most. */
  readonly by?: readonly string[];
}

/** Requests the right to probe a tool. */
export interface ProbeRequest {
  /** Name of the tool. */
  readonly toolName: string;
  /** Name of the requesting worker. */
  readonly worker: string;
  /** After this time a probe that has not ended is lost, and another one may be granted. */
  readonly leaseMs: number;
}

/** Whether a worker may probe: `granted` with the token that ends the probe, `refused` with the time until the next request, or `closed`. */
export type ProbeAnswer =
  | { readonly kind: 'granted'; readonly token: string; readonly leaseMs: number }
  /** Another worker probes, or it is too early. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number; readonly circuit: FleetCircuit }
  /** The fleet's circuit is closed and needs no probe. */
  | { readonly kind: 'closed'; readonly circuit: FleetCircuit };

/** Reports how a probe ended. */
export interface ProbeEnd {
  /** Name of the tool. */
  readonly toolName: string;
  /** The token from `ProbeAnswer`. */
  readonly token: string;
  /** Outcome of the probe; `neutral` returns it unused. */
  readonly outcome: 'success' | 'failure' | 'neutral';
  /** For a failure: the next open period. */
  readonly openForMs?: number;
}

/** A coordinator of the circuits that a fleet shares; all its methods may reject. */
export interface SharedCircuits {
  /** Processes a batch of reports. Returns the fleet's circuits of these tools, in any order. */
  report(reports: readonly CircuitReport[]): Promise<readonly FleetCircuit[]>;
  /** Requests the right to probe a tool; at most one worker of the fleet has it at a time. */
  acquireProbe(request: ProbeRequest): Promise<ProbeAnswer>;
  /** Ends a probe: closes or reopens the circuit. Has no effect without the current token. */
  probeEnded(end: ProbeEnd): Promise<FleetCircuit>;
  /** Closes the circuit on behalf of an operator; earlier reports no longer count. */
  reset(request: { readonly toolName: string; readonly worker: string }): Promise<FleetCircuit>;
  /** Closes the connection to the coordinator. */
  close?(): Promise<void>;
}
