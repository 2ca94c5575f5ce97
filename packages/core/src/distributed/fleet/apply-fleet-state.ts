/**
 * Owns applying the fleet's circuit state to a local gate. Does not own receiving it (`circuit-exchange.ts`).
 *
 * 1. A circuit under manual control does not change.
 * 2. An adopted open period is the fleet's, but never shorter than a hold of this worker's gate.
 * 3. A period that is the lease of another worker's probe is marked as such, since waiting calls need not expect all of it.
 */
import type { GateChange } from '../../engine/admission/types.ts';
import { isAdaptive, type Gate } from '../../engine/admission/gate-state.ts';
import { comeBack } from '../../engine/admission/adaptive/adaptive.ts';
import { changeOf, isProbeOut } from '../../engine/admission/gate.ts';
import { isHeld } from '../../engine/breaker/breaker.ts';
import { closeCircuit, openCircuit } from '../../engine/breaker/transition.ts';

/** @param isProbed another worker is probing, and `openForMs` is its lease */
export function adoptOpening(gate: Gate, openForMs: number, isProbed: boolean, now: number): GateChange {
  const { breaker } = gate;
  if (breaker.mode !== 'auto') return changeOf(gate, now);
  const until = Math.max(now + openForMs, breaker.holdUntil);
  if (breaker.state === 'open') breaker.openUntil = until;
  else openCircuit(breaker, 'fleet', now, until);
  gate.probedElsewhereUntil = isProbed && !isHeld(breaker, now) ? until : -Infinity;
  return changeOf(gate, now);
}

/** Without a coordinator the outcome of another worker's probe stays unknown: the circuit continues with its local open period. */
export function adoptCoordinatorLoss(gate: Gate, now: number): GateChange | undefined {
  const { breaker } = gate;
  if (!isProbeOut(gate, now) || breaker.state !== 'open' || breaker.openUntil <= now + breaker.openMs) return undefined;
  return adoptOpening(gate, breaker.openMs, false, now);
}

export function adoptClosing(gate: Gate, now: number): GateChange {
  const { breaker } = gate;
  if (breaker.mode === 'auto' && breaker.state !== 'closed') {
    if (isAdaptive(gate)) comeBack(gate, now);
    closeCircuit(breaker, 'fleet');
  }
  return changeOf(gate, now);
}
