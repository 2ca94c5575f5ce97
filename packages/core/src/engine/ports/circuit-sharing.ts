/**
 * Owns the port between a service and the component that shares its circuits with a fleet (`shareCircuits` of `@holdfast/core/fleet`). Kept narrow: without
 * sharing, a service pays one comparison at a circuit that is not closed.
 *
 * Invariants
 * 1. A closed circuit never asks the fleet.
 * 2. A call that got the answer `asked` is resumed exactly once, within a bounded time.
 */
import type { GateChange, Permit, Refusal } from '../admission/types.ts';
import type { Gate } from '../admission/gate-state.ts';
import type { OutcomeKind } from '../admission/types.ts';
import type { System } from './system.ts';

declare const opaque: unique symbol;

/** The value of the service option `sharedCircuits`. Opaque: `shareCircuits(coordinator)` creates it. */
export interface CircuitSharing {
  /** Only for the compiler: makes the type opaque. Never set. */
  readonly [opaque]: true;
}

type Join = (place: CircuitPlace) => CircuitLink;

const joins = new WeakMap<CircuitSharing, Join>();

export function createSharing(join: Join): CircuitSharing {
  const sharing = Object.freeze({}) as CircuitSharing;
  joins.set(sharing, join);
  return sharing;
}

/** Connects a service to the fleet. */
export function joinSharing(sharing: CircuitSharing, place: CircuitPlace): CircuitLink {
  const join = joins.get(sharing);
  if (join === undefined) throw new TypeError('CircuitSharing: create it with shareCircuits(coordinator) of @holdfast/core/fleet.');
  return join(place);
}

export function isSharing(value: unknown): value is CircuitSharing {
  return joins.has(value as CircuitSharing);
}

/** The part of a tool that its circuit needs. */
export interface SharedTool {
  readonly name: string;
  /** Set for a gate that is not shared: each process learns for itself. */
  readonly partition?: string | undefined;
  readonly gate: Gate;
}

/** The process that changed a circuit from outside, as the trace records it. */
export interface FleetChange {
  readonly fleet_cause?: string;
  readonly fleet_by?: readonly string[];
}

/** What a service exposes to its circuit sharing. */
export interface CircuitPlace {
  readonly system: System;
  /** All tools, removed ones included. */
  readonly tools: () => Iterable<SharedTool>;
  /** The fleet changed the circuit: traces the change and resumes the calls it wakes. */
  readonly changed: (tool: SharedTool, change: GateChange, by: FleetChange) => void;
  /** The coordinator does not answer. Called once, until it answers again. */
  readonly failed: (name: string, error: string) => void;
}

/** What a service reports to the fleet, and asks it. */
export interface CircuitLink {
  /**
   * A call asks at a circuit that is not closed. `continue`: the local circuit decides. `asked`: `resume` is called when the fleet has answered or its
   * time limit has passed. A refusal: another call has asked already.
   */
  readonly ask: (tool: SharedTool, now: number, timeLimitMs: number, resume: () => void) => 'continue' | 'asked' | Refusal;
  /** A local probe begins. */
  readonly probing: (tool: SharedTool, permit: Permit, now: number) => void;
  /** To be reported soon: an outcome that changed the circuit, a server's Retry-After, the end of a probe. `neutral` when a permit was never used. */
  readonly ended: (tool: SharedTool, permit: Permit, outcome: OutcomeKind) => void;
  /** A server asked callers to wait, and the attempt has no outcome yet: to be reported soon. */
  readonly held: (tool: SharedTool) => void;
  /** An operator closed the circuit. */
  readonly reset: (tool: SharedTool) => void;
  /** Stops reporting, and returns what it holds. */
  readonly close: () => Promise<void>;
}
