/**
 * Owns what a worker remembers of one circuit that it shares: what it has told, what it has heard, and the probe it holds.
 *
 * 1. Only news is adopted: a generation that was not known before. So a circuit that its own calls moved since is not moved back.
 * 2. The fleet's closing closes a local circuit only if that has joined the fleet's opening: whose own way out is broken stays open.
 * 3. Nothing is adopted while this worker probes for the fleet: the news would be about its own probe.
 * 4. What was adopted is no vote of this worker's.
 * 5. A wait that a server asked this worker for is told, and not adopted from its own word: a hold opens no circuit.
 */
import { timeAt } from '../../engine/admission/gate.ts';
import type { Gate, GateChange, Permit } from '../../engine/admission/types.ts';
import { isHeld } from '../../engine/breaker/breaker.ts';
import { circuitState } from '../../engine/breaker/breaker.ts';
import { adoptClosing, adoptOpening } from './apply-fleet-state.ts';
import type { CircuitReport, FleetCircuit } from './shared-circuits.ts';

export interface CircuitRecord {
  readonly name: string;
  readonly gate: Gate;
  /** The generation heard of last. */
  known: number;
  /** The fleet's circuit was not closed then. */
  isOpenInFleet: boolean;
  /** The local circuit is open, or was opened, with the fleet's. */
  joined: boolean;
  /** The local generation that an adopted opening began. */
  adoptedGeneration: number;
  /** What the keeper has been told of, and has answered. */
  toldSuccesses: number;
  toldFailures: number;
  toldHold: number;
  /** It continues listening until then. */
  listensUntil: number;
  /** A call waits for the fleet's word. */
  isAsking: boolean;
  isResuming: boolean;
  /** A late answer may still make this worker the prober. */
  unsureUntil: number;
  token: string | undefined;
  leaseUntil: number;
  /** A local probe has begun since the fleet was asked. */
  isUsed: boolean;
  /** The local probe that is out. */
  permit: Permit | undefined;
  /** How the fleet's probe ended, until the keeper knows. */
  ending: { readonly token: string; readonly outcome: 'success' | 'failure' | 'neutral'; readonly openUntil: number } | undefined;
}

/** Who has called a tool hears of it so long after: a call may sleep before a retry, and the next one may come soon. */
const LISTEN_MS = 30_000;

export function newCircuitRecord(name: string, gate: Gate): CircuitRecord {
  return {
    name,
    gate,
    known: 0,
    isOpenInFleet: false,
    joined: false,
    adoptedGeneration: -1,
    toldSuccesses: 0,
    toldFailures: 0,
    toldHold: -Infinity,
    listensUntil: -Infinity,
    isAsking: false,
    isResuming: false,
    unsureUntil: -Infinity,
    token: undefined,
    leaseUntil: -Infinity,
    isUsed: false,
    permit: undefined,
    ending: undefined,
  };
}

/** What there is to report; nothing when nothing was called lately and all is closed. */
export function reportOf(record: CircuitRecord, worker: string, sequence: number, clock: number): CircuitReport | undefined {
  const { gate, known, toldSuccesses, toldFailures, toldHold } = record;
  const { breaker } = gate;
  if (breaker.mode !== 'auto') return undefined;
  const now = timeAt(gate, clock);
  const successes = successesOf(record) - toldSuccesses;
  const failures = breaker.counters.transient - toldFailures;
  const state = circuitState(breaker, now);
  const isHeld = breaker.holdUntil > Math.max(now, toldHold);
  if (successes + failures > 0) record.listensUntil = now + LISTEN_MS;
  if (now >= record.listensUntil && state === 'closed' && !isHeld && !record.isOpenInFleet) return undefined;
  const own = state !== 'closed' && breaker.generation === record.adoptedGeneration ? 'half_open' : state;
  return {
    toolName: record.name,
    worker,
    sequence,
    generation: known,
    successes,
    failures,
    state: own,
    ...(own === 'open' ? { openForMs: breaker.openUntil - now } : {}),
    ...(isHeld ? { retryAfterMs: breaker.holdUntil - now } : {}),
  };
}

/** The keeper has answered a report. */
export function told(record: CircuitRecord, report: CircuitReport, hold: number): void {
  record.toldSuccesses += report.successes;
  record.toldFailures += report.failures;
  record.toldHold = hold;
}

/** Whether this worker is, or may be, the fleet's prober. */
function isProber({ isAsking, token, ending, unsureUntil }: CircuitRecord, now: number): boolean {
  return isAsking || token !== undefined || ending !== undefined || now < unsureUntil;
}

/** Takes the fleet's word. Answers what it changed. */
export function hear(record: CircuitRecord, circuit: FleetCircuit, worker: string, clock: number): GateChange | undefined {
  if (isProber(record, clock)) return undefined;
  const isNews = circuit.generation > record.known;
  record.isOpenInFleet = circuit.state !== 'closed';
  if (!isNews) return undefined;
  record.known = circuit.generation;
  const { gate, joined } = record;
  const now = timeAt(gate, clock);
  // Its own gate holds for as long, and a call that waits that out has no open circuit to fail at.
  const isOwnHold = circuit.cause === 'retry_after' && circuit.by?.includes(worker) === true && isHeld(gate.breaker, now);
  record.joined = record.isOpenInFleet && !isOwnHold;
  if (!record.isOpenInFleet) {
    // What was seen before the closing says nothing about what comes after it.
    Object.assign(record, {
      toldSuccesses: successesOf(record),
      toldFailures: gate.breaker.counters.transient,
      toldHold: gate.breaker.holdUntil,
    });
    return joined ? adoptClosing(gate, now) : undefined;
  }
  if (isOwnHold && gate.breaker.state === 'closed') return undefined;
  const change = adoptOpening(gate, circuit.openForMs ?? 0, circuit.state === 'half_open', now);
  if (change.transitions.length > 0) record.adoptedGeneration = gate.breaker.generation;
  return change;
}

/** A permanent error is an answer of the service too. */
function successesOf({ gate }: CircuitRecord): number {
  const { success, permanent } = gate.breaker.counters;
  return success + permanent;
}
