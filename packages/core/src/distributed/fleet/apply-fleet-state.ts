/**
 * Owns what the fleet's word changes at a local gate. Does not own whose word it is (`circuit-exchange.ts`).
 *
 * 1. A circuit that a person controls is left alone, whatever the fleet says.
 * 2. An adopted period is the fleet's, not the local one's, but never shorter than a wait that a server asked this worker for.
 * 3. A period that is only as long as another worker's probe may take is known for that: anyone who may wait does not reckon with all of it.
 */
import type { CircuitTransition, Gate, GateChange } from '../../engine/admission/types.ts';
import { isProbeOut } from '../../engine/admission/gate.ts';
import { wakeWaiters } from '../../engine/admission/wake-waiters.ts';
import { isHeld } from '../../engine/breaker/breaker.ts';
import { closeCircuit, openCircuit } from '../../engine/breaker/transition.ts';
import { waitMs } from '../../engine/breaker/wait.ts';

/** `isProbed`: another worker's probe is out, and `openForMs` is its lease. */
export function adoptOpening(gate: Gate, openForMs: number, isProbed: boolean, now: number): GateChange {
  const { breaker } = gate;
  if (breaker.mode !== 'auto') return change(gate, undefined, now);
  const until = Math.max(now + openForMs, breaker.holdUntil);
  const transition = breaker.state === 'open' ? undefined : openCircuit(breaker, 'fleet', now);
  breaker.openUntil = until;
  gate.probedElsewhereUntil = isProbed && !isHeld(breaker, now) ? until : -Infinity;
  return change(gate, transition && { ...transition, openForMs: waitMs(until, now) }, now);
}

/** Nobody tells any more what becomes of another worker's probe: the circuit goes on as its own would. */
export function adoptSilence(gate: Gate, now: number): GateChange | undefined {
  const { breaker } = gate;
  if (!isProbeOut(gate, now) || breaker.state !== 'open' || breaker.openUntil <= now + breaker.openMs) return undefined;
  return adoptOpening(gate, breaker.openMs, false, now);
}

export function adoptClosing(gate: Gate, now: number): GateChange {
  const { breaker } = gate;
  const isOpen = breaker.mode === 'auto' && breaker.state !== 'closed';
  return change(gate, isOpen ? closeCircuit(breaker, 'fleet') : undefined, now);
}

function change(gate: Gate, transition: CircuitTransition | undefined, now: number): GateChange {
  return { transitions: transition === undefined ? [] : [transition], woken: wakeWaiters(gate, now) };
}
