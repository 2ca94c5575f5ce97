/**
 * Owns the port to the circuits that a fleet shares, one per tool. Kept off the way of a call: a closed circuit is decided from the local copy, alone.
 *
 * Duties of an implementation (checked by `sharedCircuitsContract` in `@holdfast/core/testing`)
 * 1. Over the whole fleet, one probe at a time per tool, and it has a lease.
 * 2. Everything about one tool happens one after the other; time is the keeper's own, never the caller's.
 * 3. It may reject or hang: the caller waits for a bounded time, and its local breaker decides.
 */
import type { CircuitState } from '../breaker/index.ts';

/** What a worker tells of one tool since it last told: counts, and how its own circuit stands. */
export interface CircuitReport {
  readonly tool: string;
  readonly worker: string;
  readonly successes: number;
  readonly failures: number;
  /** Its own circuit, as its own calls moved it. */
  readonly state: CircuitState;
  /** How long its own open period goes on. */
  readonly openForMs?: number;
  /** A server said to stay away this long: the fleet heeds it at once. */
  readonly retryAfterMs?: number;
}

/** How the fleet's circuit of a tool stands. `generation` grows with every change. */
export interface FleetCircuit {
  readonly tool: string;
  readonly state: CircuitState;
  readonly generation: number;
  readonly openForMs?: number;
  /** Why it is open. */
  readonly cause?: 'quorum' | 'retry_after' | 'probe_failed';
}

export type ProbeAnswer =
  | { readonly kind: 'granted'; readonly token: string; readonly leaseMs: number }
  /** Another worker probes, or it is too early. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number }
  /** The fleet's circuit is closed: no probe is needed. */
  | { readonly kind: 'closed' };

export interface SharedCircuits {
  /** In batches. Answers how the fleet's circuits of these tools stand. */
  report(reports: readonly CircuitReport[]): Promise<readonly FleetCircuit[]>;
  acquireProbe(request: { readonly tool: string; readonly worker: string; readonly leaseMs: number }): Promise<ProbeAnswer>;
  /** Only the holder of the token closes or reopens. `neutral`: the probe goes back unused. */
  probeEnded(end: {
    readonly tool: string;
    readonly token: string;
    readonly outcome: 'success' | 'failure' | 'neutral';
    readonly openForMs?: number;
  }): Promise<FleetCircuit>;
}
