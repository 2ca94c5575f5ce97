/**
 * Owns what a keeper holds of one tool's circuit: plain JSON, and how it reads at a moment. Does not own what changes it (`step-fleet-circuit.ts`).
 * All times are the keeper's wall clock, milliseconds since 1970.
 */
import type { FleetCause, FleetCircuit } from './shared-circuits.ts';
import type { Member } from './members.ts';

/** A probe that a worker was granted. */
export interface FleetProbe {
  /** Names the probe; only the worker that knows it can end the probe. */
  readonly token: string;
  /** Name of the worker that probes. */
  readonly worker: string;
  /** End of the lease, milliseconds since 1970 by the keeper's clock. */
  readonly leaseUntil: number;
}

/** The circuit of one tool as a keeper stores it: plain JSON, with times in milliseconds since 1970 by the keeper's clock. */
export interface FleetCircuitState {
  /** Version of this format. */
  readonly version: 1;
  /** When the latest message came. */
  readonly at: number;
  /** Half-open is what an open circuit is once its period is over. */
  readonly state: 'closed' | 'open';
  /** Grows with every change of the circuit, and never falls. */
  readonly generation: number;
  /** The generation that the latest closing began: who has not heard of it speaks of what was before. */
  readonly closedGeneration: number;
  /** End of the open period, milliseconds since 1970; 0 while closed. */
  readonly openUntil: number;
  /** Why the circuit last opened or closed; absent before its first change. */
  readonly cause?: FleetCause;
  /** The workers that caused the latest change, eight at most. */
  readonly by?: readonly string[];
  /** The latest probe that was granted and has not ended; it is lost once its lease is over. */
  readonly probe?: FleetProbe;
  /** The workers that have a say about the tool, with what their latest report says. */
  readonly members: readonly Member[];
}

export function newFleetCircuit(at: number): FleetCircuitState {
  return { version: 1, at, state: 'closed', generation: 0, closedGeneration: 0, openUntil: 0, members: [] };
}

/** The probe that is out; one whose lease is over is lost. */
export function liveProbe({ probe }: FleetCircuitState, now: number): FleetProbe | undefined {
  return probe !== undefined && now < probe.leaseUntil ? probe : undefined;
}

/** When a probe could be given: now or before when there is nothing to wait for. */
export function probeFreeAt(state: FleetCircuitState, now: number): number {
  return Math.max(state.openUntil, liveProbe(state, now)?.leaseUntil ?? 0);
}

/** How the circuit stands, for a worker. */
export function fleetCircuitAt(tool: string, state: FleetCircuitState, now: number): FleetCircuit {
  const { generation, cause, by } = state;
  const why = { ...(cause === undefined ? {} : { cause }), ...(by === undefined ? {} : { by }) };
  if (state.state === 'closed') return { tool, state: 'closed', generation, ...why };
  const freeAt = probeFreeAt(state, now);
  const isOpen = now < freeAt && liveProbe(state, now) === undefined;
  return { tool, state: isOpen ? 'open' : 'half_open', generation, ...(now < freeAt ? { openForMs: freeAt - now } : {}), ...why };
}

/** Clocks of a keeper's machines may be apart by this much: the latest of them counts, or every change of machine would be time that passed. */
const CLOCK_SKEW_MS = 5_000;

/** Time never runs backwards. A clock that was set back by more than clocks are apart counts as no time: what was left of every period is still left. */
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
