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
  readonly toolName: string;
  readonly worker: string;
  /** Grows with every report of this worker, also over its restarts: what comes late or twice is known by it. */
  readonly sequence: number;
  /** The generation of the fleet's circuit that the worker last heard of; 0 when it has heard of none. */
  readonly generation: number;
  readonly successes: number;
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
  readonly toolName: string;
  readonly state: CircuitState;
  readonly generation: number;
  /** No probe is given before: the open period continues so long, or a probe is out. Absent when half-open and free, and when closed. */
  readonly openForMs?: number;
  readonly cause?: FleetCause;
  /** The workers whose word made it so, eight at most. */
  readonly by?: readonly string[];
}

export interface ProbeRequest {
  readonly toolName: string;
  readonly worker: string;
  /** A probe that has not ended by then is lost, and another one may be given. */
  readonly leaseMs: number;
}

export type ProbeAnswer =
  | { readonly kind: 'granted'; readonly token: string; readonly leaseMs: number }
  /** Another worker probes, or it is too early. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number; readonly circuit: FleetCircuit }
  /** The fleet's circuit is closed: it has no probe to give. */
  | { readonly kind: 'closed'; readonly circuit: FleetCircuit };

export interface ProbeEnd {
  readonly toolName: string;
  readonly token: string;
  /** `neutral`: the probe goes back unused. */
  readonly outcome: 'success' | 'failure' | 'neutral';
  /** After a failure: how long the circuit is open again. */
  readonly openForMs?: number;
}

export interface SharedCircuits {
  /** In batches. Answers how the fleet's circuits of these tools stand, in any order. */
  report(reports: readonly CircuitReport[]): Promise<readonly FleetCircuit[]>;
  acquireProbe(request: ProbeRequest): Promise<ProbeAnswer>;
  /** Only the holder of the token closes or reopens; anybody else changes nothing. */
  probeEnded(end: ProbeEnd): Promise<FleetCircuit>;
  /** A person closes the circuit: what was reported before says nothing any more. */
  reset(request: { readonly toolName: string; readonly worker: string }): Promise<FleetCircuit>;
  /** Ends what the connection to the keeper holds open. */
  close?(): Promise<void>;
}
