/**
 * Owns the state that a coordinator stores for one tool's circuit, as plain JSON, and its view at a moment. Does not own its changes (`step-fleet-circuit.ts`).
 * All times are by the coordinator's wall clock, milliseconds since 1970.
 */
import type { FleetCause, FleetCircuit } from './shared-circuits.ts';
import type { Member } from './members.ts';

/** A granted probe. */
export interface FleetProbe {
  /** Identifies the probe; required to end it. */
  readonly token: string;
  /** Name of the probing worker. */
  readonly worker: string;
  /** End of the lease, milliseconds since 1970 by the coordinator's clock. */
  readonly leaseUntil: number;
}

/** The circuit of one tool as a coordinator stores it: plain JSON, with times in milliseconds since 1970 by the coordinator's clock. */
export interface FleetCircuitState {
  /** Version of this format. */
  readonly version: 1;
  /** Time of the latest message. */
  readonly at: number;
  /** An `open` circuit is half-open once its open period is over. */
  readonly state: 'closed' | 'open';
  /** Increases with every change of the circuit, and never decreases. */
  readonly generation: number;
  /** The generation of the latest closing: reports of workers that do not know it are about the time before. */
  readonly closedGeneration: number;
  /** End of the open period, milliseconds since 1970; 0 while closed. */
  readonly openUntil: number;
  /** Why the circuit last opened or closed; absent before its first change. */
  readonly cause?: FleetCause;
  /** The workers that caused the latest change, eight at most. */
  readonly by?: readonly string[];
  /** The latest granted probe that has not ended; it is lost once its lease is over. */
  readonly probe?: FleetProbe;
  /** The voting workers of the tool, with their latest reports. */
  readonly members: readonly Member[];
}

export function newFleetCircuit(at: number): FleetCircuitState {
  return { version: 1, at, state: 'closed', generation: 0, closedGeneration: 0, openUntil: 0, members: [] };
}

/** Returns the running probe; one whose lease is over is lost. */
export function liveProbe({ probe }: FleetCircuitState, now: number): FleetProbe | undefined {
  return probe !== undefined && now < probe.leaseUntil ? probe : undefined;
}

/** Returns when the next probe can be granted; not later than `now` when it can be granted at once. */
export function probeFreeAt(state: FleetCircuitState, now: number): number {
  return Math.max(state.openUntil, liveProbe(state, now)?.leaseUntil ?? 0);
}

/** Returns the circuit as a worker sees it at a moment. */
export function fleetCircuitAt(tool: string, state: FleetCircuitState, now: number): FleetCircuit {
  const { generation, cause, by } = state;
  const why = { ...(cause === undefined ? {} : { cause }), ...(by === undefined ? {} : { by }) };
  if (state.state === 'closed') return { toolName: tool, state: 'closed', generation, ...why };
  const freeAt = probeFreeAt(state, now);
  const isOpen = now < freeAt && liveProbe(state, now) === undefined;
  return { toolName: tool, state: isOpen ? 'open' : 'half_open', generation, ...(now < freeAt ? { openForMs: freeAt - now } : {}), ...why };
}

/** Allowed difference between the clocks of a coordinator's machines: within it the latest time counts, so that a change of machine does not move the clock. */
const CLOCK_SKEW_MS = 5_000;

/** Returns the state at a time. Time never decreases. When the clock was set back by more than the allowed skew, all periods keep their remaining time. */
export function atTime(state: FleetCircuitState, now: number): FleetCircuitState {
  const back = now - state.at;
  if (back >= -CLOCK_SKEW_MS) return { ...state, at: Math.max(now, state.at) };
  const { probe, members } = state;
  return {
    ...state,
    at: now,
    openUntil: state.openUntil + back,
    ...(probe === undefined ? {} : { probe: { ...probe, leaseUntil: probe.leaseUntil + back } }),
    members: members.map((member) => ({
      ...member,
      seenAt: member.seenAt + back,
      openUntil: member.openUntil + back,
      openSince: member.openSince + back,
    })),
  };
}
