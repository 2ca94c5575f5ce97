/**
 * Owns the port between a service and what shares its circuits with a fleet (`shareCircuits` of `@holdfast/core/fleet`). Kept narrow: a service that shares
 * nothing pays one comparison at a circuit that is not closed.
 *
 * Invariants
 * 1. A closed circuit asks nobody.
 * 2. A call that was told `asked` is resumed exactly once, within a bounded time.
 */
import type { Gate, GateChange, Permit, Refusal } from '../admission/types.ts';
import type { OutcomeKind } from '../admission/types.ts';
import type { System } from './system.ts';

/** The service option: made with `shareCircuits(keeper)`. What it does is between the two. */
export interface CircuitSharing {
  readonly join: (place: never) => unknown;
}

/** Every sharing is one: there is one way to make it. */
export function joinSharing(sharing: CircuitSharing, place: CircuitPlace): CircuitLink {
  return (sharing as { readonly join: (place: CircuitPlace) => CircuitLink }).join(place);
}

/** A tool, as far as its circuit is concerned. */
export interface SharedTool {
  readonly name: string;
  readonly gate: Gate;
}

/** Who moved a circuit from outside, as the trace tells it. */
export interface FleetWord {
  readonly fleet_cause?: string;
  readonly fleet_by?: readonly string[];
}

/** What a service lets its sharing see and do. */
export interface CircuitPlace {
  readonly system: System;
  /** Of all tools, those that are gone included. */
  readonly tools: () => Iterable<SharedTool>;
  /** The fleet changed the circuit: to be traced, and whom it wakes is to go on. */
  readonly changed: (tool: SharedTool, change: GateChange, word: FleetWord) => void;
  /** The keeper does not answer. Told once, until it answers again. */
  readonly failed: (name: string, error: string) => void;
}

/** What a service tells, and asks. */
export interface CircuitLink {
  /**
   * A call asks at a circuit that is not closed. `go_on`: the local circuit decides. `asked`: `resume` is called when the fleet has answered, or has had its time.
   * A refusal: another call has asked already.
   */
  readonly ask: (tool: SharedTool, now: number, timeLimitMs: number, resume: () => void) => 'go_on' | 'asked' | Refusal;
  /** A local probe begins. */
  readonly probing: (tool: SharedTool, permit: Permit, now: number) => void;
  /** Something to be told soon: an outcome that moved the circuit, a server's wait, a probe's end. `neutral` when a permit was never used. */
  readonly ended: (tool: SharedTool, permit: Permit, outcome: OutcomeKind) => void;
  /** A server asked for quiet, and nothing else has become of the attempt yet: to be told soon. */
  readonly held: (tool: SharedTool) => void;
  /** A person closed the circuit. */
  readonly reset: (tool: SharedTool) => void;
  /** Reports no more, and gives back what it holds. */
  readonly close: () => Promise<void>;
}
