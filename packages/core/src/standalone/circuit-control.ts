/** Owns what a person or a store does to a circuit breaker from outside. Functions of their own, so that who needs none of them ships none of them. */
import { control } from '../engine/breaker/control.ts';
import { restore, save } from '../engine/breaker/snapshot.ts';
import type { CircuitCommand, CircuitSnapshot, ClockReading } from '../engine/breaker/types.ts';
import { inside, type CircuitBreaker, type Inside } from './circuit-breaker.ts';

/**
 * Obeys a person: `forced_open`, `disabled`, `shadow`, `auto`, or `reset` (closed, with nothing remembered).
 * @throws TypeError when the command is none.
 */
export function controlCircuit(breaker: CircuitBreaker, command: CircuitCommand): void {
  const { breaker: circuit, system, tell } = insideOf(breaker);
  for (const transition of control(circuit, command, system.now())) tell(transition);
}

/** The state of a circuit breaker as JSON. */
export function saveCircuit(breaker: CircuitBreaker): CircuitSnapshot {
  return save(insideOf(breaker).breaker, clockOf(breaker));
}

/**
 * Brings a saved state back, with the settings as they are now; a probe that was out at the save has been given back. Answers false, with nothing
 * changed, when the snapshot is not usable.
 */
export function restoreCircuit(breaker: CircuitBreaker, snapshot: CircuitSnapshot): boolean {
  return restore(insideOf(breaker).breaker, snapshot, { ...clockOf(breaker), permitsLost: true });
}

function insideOf(breaker: CircuitBreaker): Inside {
  return breaker[inside] as Inside;
}

function clockOf(breaker: CircuitBreaker): ClockReading {
  const { system } = insideOf(breaker);
  return { now: system.now(), nowEpochMs: system.epochMs() };
}
