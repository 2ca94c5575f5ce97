/** Owns manual control, saving and restoring of a circuit breaker. They are separate functions, so that bundlers can remove unused ones. */
import { control } from '../engine/breaker/control.ts';
import { restore, save } from '../engine/breaker/snapshot.ts';
import type { CircuitCommand, CircuitSnapshot, ClockReading } from '../engine/breaker/types.ts';
import { refuse } from '../engine/settings/check.ts';
import { internals, type CircuitBreaker, type CircuitInternals } from './circuit-breaker.ts';

/**
 * Controls a circuit manually: `forced_open`, `disabled`, `shadow`, `auto`, or `reset` (closed, without history).
 * @throws TypeError or RangeError for what is no circuit breaker, or an unknown command
 */
export function controlCircuit(breaker: CircuitBreaker, command: CircuitCommand): void {
  const { breaker: circuit, system, report } = internalsOf(breaker);
  control(circuit, command, system.now());
  report();
}

/** Returns the state of a circuit breaker as plain JSON. */
export function saveCircuit(breaker: CircuitBreaker): CircuitSnapshot {
  return save(internalsOf(breaker).breaker, clockOf(breaker));
}

/**
 * Restores a saved state with the current settings; a probe that was running when it was saved is released. Returns false without a change for an invalid snapshot.
 */
export function restoreCircuit(breaker: CircuitBreaker, snapshot: CircuitSnapshot): boolean {
  return restore(internalsOf(breaker).breaker, snapshot, { ...clockOf(breaker), permitsLost: true });
}

function internalsOf(breaker: CircuitBreaker): CircuitInternals {
  const found = (breaker as CircuitBreaker | undefined)?.[internals] as CircuitInternals | undefined;
  return found ?? refuse('breaker', breaker, 'created with circuitBreaker()', '');
}

function clockOf(breaker: CircuitBreaker): ClockReading {
  const { system } = internalsOf(breaker);
  return { now: system.now(), nowEpochMs: system.epochMs() };
}
