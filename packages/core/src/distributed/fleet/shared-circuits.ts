/**
 * Owns the port to the circuits that a fleet shares, one per tool. Kept off the way of a call: a closed circuit is decided from the local copy, alone.
 *
 * Duties of an implementation (checked by `sharedCircuitsContract` in `@holdfast/core/testing`)
 * 1. Over the whole fleet, one probe at a time per tool, and it has a lease.
 * 2. Everything about one tool happens one after the other; time is the keeper's own, never the caller's.
 * 3. What a message changes is decided by `stepFleetCircuit` alone: a keeper loads, steps and saves.
 * 4. It may reject or hang: the caller waits for a bounded time, and its local breaker decides.
 */
import type { CircuitState } from '../../engine/breaker/types.ts';

/** What a worker tells of one tool since it last told: counts, and how its own circuit stands. */
export interface CircuitReport {
  /** Name of the tool. */
  readonly tool: string;
  /** Name of the worker that reports. */
  readonly worker: string;
  /** Grows with every report of this worker, also over its restarts: what comes late or twice is known by it. */
  readonly sequence: number;
  /** The generation of the fleet's circuit that the worker last heard of; 0 when it has heard of none. */
  readonly generation: number;
  /** Attempts that succeeded or failed permanently (the service answered) since the last report that was answered. */
  readonly successes: number;
  /** Attempts that failed transiently since the last report that was answered. */
  readonly failures: number;
  /** Its own circuit, as its own calls moved it. */
  readonly state: CircuitState;
  /** How long its own open period continues. */
  readonly openForMs?: number;
  /** A server said to stay away this long: the fleet heeds it at once. */
  readonly retryAfterMs?: number;
}

/** Why the fleet's circuit is open; the last two: why it was closed. */
export type FleetCause = 'quorum' | 'retry_after' | 'probe_failed' | 'probe_succeeded' | 'reset';

/** How the fleet's circuit of a tool stands. `generation` grows with every change, and never falls. */
export interface FleetCircuit {
  /** Name of the tool. */
  readonly tool: string;
  /** State of the circuit at the time of the answer. */
  readonly state: CircuitState;
  /** Grows with every change of the circuit, and never falls. */
  readonly generation: number;
  /** No probe is given before: the open period continues so long, or a probe is out. Absent when half-open and free, and when closed. */
  readonly openForMs?: number;
  /** Why the circuit last opened or closed; absent before its first change. */
  readonly cause?: FleetCause;
  /** The workers whose word made it so, eight at most. */
  readonly by?: readonly string[];
}

/** Asks a keeper for the right to probe a tool. */
export interface ProbeRequest {
  /** Name of the tool. */
  readonly tool: string;
  /** Name of the worker that asks. */
  readonly worker: string;
  /** A probe that has not ended by then is lost, and another one may be given. */
  readonly leaseMs: number;
}

/** Whether a worker may probe: `granted` with the token that ends the probe, `refused` with when to ask again, or `closed`. */
export type ProbeAnswer =
  | { readonly kind: 'granted'; readonly token: string; readonly leaseMs: number }
  /** Another worker probes, or it is too early. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number; readonly circuit: FleetCircuit }
  /** The fleet's circuit is closed: it has no probe to give. */
  | { readonly kind: 'closed'; readonly circuit: FleetCircuit };

/** Reports how a probe ended. */
export interface ProbeEnd {
  /** Name of the tool. */
  readonly tool: string;
  /** The token from `ProbeAnswer`. */
  readonly token: string;
  /** `neutral`: the probe goes back unused. */
  readonly outcome: 'success' | 'failure' | 'neutral';
  /** After a failure: how long the circuit is open again. */
  readonly openForMs?: number;
}

/** A keeper of the circuits that a fleet shares; all its methods may reject. */
export interface SharedCircuits {
  /** In batches. Answers how the fleet's circuits of these tools stand, in any order. */
  report(reports: readonly CircuitReport[]): Promise<readonly FleetCircuit[]>;
  /** Asks for the right to probe a tool; at most one worker of the fleet has it at a time. */
  acquireProbe(request: ProbeRequest): Promise<ProbeAnswer>;
  /** Only the holder of the token closes or reopens; anybody else changes nothing. */
  probeEnded(end: ProbeEnd): Promise<FleetCircuit>;
  /** A person closes the circuit: what was reported before says nothing any more. */
  reset(request: { readonly tool: string; readonly worker: string }): Promise<FleetCircuit>;
  /** Ends what the connection to the keeper holds open. */
  close?(): Promise<void>;
}
