/**
 * Owns the state of one shared circuit at a worker: what was reported and received, and its probe.
 *
 * 1. Only a new generation is adopted, so that later changes by local calls are not reverted.
 * 2. When the fleet closes its circuit, a local circuit closes only if it had adopted the opening: a worker with a broken network connection stays open.
 * 3. Nothing is adopted while this worker probes for the fleet, since the state would be about its own probe.
 * 4. An adopted state is not a vote of this worker, also after a restart: what was adopted is a part of the circuit, and saved with it.
 * 5. A hold of this worker's gate is reported, but not adopted from its own report: a hold does not open a circuit.
 * 6. A hold grows over the whole fleet: a worker that gets the Retry-After again holds for twice as long as the one before it.
 */
import { timeAt } from '../../engine/admission/gate.ts';
import type { GateChange, Permit } from '../../engine/admission/types.ts';
import type { Gate } from '../../engine/admission/gate-state.ts';
import { circuitState, isHeld } from '../../engine/breaker/breaker.ts';
import { followHold } from '../../engine/breaker/hold.ts';
import { adoptClosing, adoptOpening } from './apply-fleet-state.ts';
import type { CircuitReport, FleetCircuit } from './shared-circuits.ts';

export interface CircuitRecord {
  readonly name: string;
  readonly gate: Gate;
  /** The latest known generation of the fleet's circuit. */
  known: number;
  /** Whether the fleet's circuit was not closed then. */
  isOpenInFleet: boolean;
  /** The hold that the coordinator has confirmed. */
  reportedHold: number;
  /** The circuit is reported until then, even without traffic. */
  activeUntil: number;
  /** A call waits for the coordinator. */
  isRequesting: boolean;
  isResuming: boolean;
  /** Until then, a late answer may still grant the probe to this worker. */
  unsureUntil: number;
  token: string | undefined;
  leaseUntil: number;
  /** A local probe has begun since the request. */
  isUsed: boolean;
  /** Permit of the running local probe. */
  permit: Permit | undefined;
  /** How the fleet's probe ended, until the coordinator has confirmed it. */
  ending: { readonly token: string; readonly outcome: 'success' | 'failure' | 'neutral'; readonly openUntil: number } | undefined;
}

/** How long a circuit is reported after the last traffic: a call may be in backoff, and the next one may come soon. */
const ACTIVE_MS = 30_000;

export function newCircuitRecord(name: string, gate: Gate): CircuitRecord {
  return {
    name,
    gate,
    known: 0,
    isOpenInFleet: false,
    reportedHold: -Infinity,
    activeUntil: -Infinity,
    isRequesting: false,
    isResuming: false,
    unsureUntil: -Infinity,
    token: undefined,
    leaseUntil: -Infinity,
    isUsed: false,
    permit: undefined,
    ending: undefined,
  };
}

/** Returns the next report; `undefined` when there was no recent traffic and everything is closed. */
export function reportOf(record: CircuitRecord, worker: string, sequence: number, clock: number): CircuitReport | undefined {
  const { gate, known, reportedHold } = record;
  const { breaker, fleet } = gate;
  if (breaker.mode !== 'auto') return undefined;
  const now = timeAt(gate, clock);
  const successes = successesOf(record) - fleet.successes;
  const failures = breaker.counters.transient - fleet.failures;
  const state = circuitState(breaker, now);
  const isHeld = breaker.holdUntil > Math.max(now, reportedHold);
  if (successes + failures > 0) record.activeUntil = now + ACTIVE_MS;
  if (now >= record.activeUntil && state === 'closed' && !isHeld && !record.isOpenInFleet) return undefined;
  const ownState = state !== 'closed' && breaker.generation === fleet.adoptedGeneration ? 'half_open' : state;
  return {
    toolName: record.name,
    worker,
    sequence,
    generation: known,
    successes,
    failures,
    state: ownState,
    ...(ownState === 'open' ? { openForMs: breaker.openUntil - now } : {}),
    ...(isHeld ? { retryAfterMs: breaker.holdUntil - now } : {}),
  };
}

/** Records that the coordinator has confirmed a report. */
export function markReported(record: CircuitRecord, report: CircuitReport, hold: number): void {
  const { fleet } = record.gate;
  fleet.successes += report.successes;
  fleet.failures += report.failures;
  record.reportedHold = hold;
}

/** Whether this worker is, or may be, the fleet's prober. */
function isProber({ isRequesting, token, ending, unsureUntil }: CircuitRecord, now: number): boolean {
  return isRequesting || token !== undefined || ending !== undefined || now < unsureUntil;
}

/** Applies the state of the fleet's circuit. Returns the local change. */
export function adopt(record: CircuitRecord, circuit: FleetCircuit, worker: string, clock: number): GateChange | undefined {
  if (isProber(record, clock)) return undefined;
  const isNew = circuit.generation > record.known;
  record.isOpenInFleet = circuit.state !== 'closed';
  if (!isNew) return undefined;
  record.known = circuit.generation;
  const { gate } = record;
  const { fleet } = gate;
  const { joined } = fleet;
  const now = timeAt(gate, clock);
  // Its own gate holds calls for the same time, and a call that waits for it should not fail at an open circuit.
  const isOwnHold = circuit.cause === 'retry_after' && circuit.by?.includes(worker) === true && isHeld(gate.breaker, now);
  fleet.joined = record.isOpenInFleet && !isOwnHold;
  if (!record.isOpenInFleet) {
    // Outcomes before the closing do not count afterwards.
    fleet.successes = successesOf(record);
    fleet.failures = gate.breaker.counters.transient;
    record.reportedHold = gate.breaker.holdUntil;
    gate.breaker.holdMs = 0;
    return joined ? adoptClosing(gate, now) : undefined;
  }
  if (isOwnHold && gate.breaker.state === 'closed') return undefined;
  if (circuit.cause === 'retry_after') followHold(gate.breaker, circuit.openForMs ?? 0, now);
  const change = adoptOpening(gate, circuit.openForMs ?? 0, circuit.state === 'half_open', now);
  if (change.transitions.length > 0) fleet.adoptedGeneration = gate.breaker.generation;
  return change;
}

/** Permanent errors count as successes, since the service answered. */
function successesOf({ gate }: CircuitRecord): number {
  const { success, permanent } = gate.breaker.counters;
  return success + permanent;
}
