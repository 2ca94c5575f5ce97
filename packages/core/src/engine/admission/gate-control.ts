/**
 * Owns changes to a gate that do not come from a call: an operator's command, a snapshot from a store, a server's Retry-After.
 *
 * 1. Every function returns the waiters it wakes; none may be dropped.
 * 2. New settings keep all state: counts, open period, hold, slots and queue.
 * 3. A gate without a breaker stays without one: only forcing it open has an effect.
 */
import { holdUntil as holdCircuit } from '../breaker/breaker.ts';
import { control as controlCircuit, withSettings as withBreakerSettings } from '../breaker/control.ts';
import { restore as restoreCircuit, save as saveCircuit, type RestoreOptions } from '../breaker/snapshot.ts';
import type { CircuitCommand, CircuitSnapshot, ClockReading } from '../breaker/types.ts';
import { limitSlots, turnAllAway } from './bulkhead.ts';
import { comeBack, isUp } from './adaptive/adaptive.ts';
import { Adaptive } from './adaptive/state.ts';
import { endRun } from './adaptive/failed-calls.ts';
import { changeOf, timeAt, unchanged } from './gate.ts';
import { limiterFor } from './rate-limiter.ts';
import { budgetFor } from './retry-budget.ts';
import type { GateChange, GateSettings } from './types.ts';
import { checkGateSettings, isAdaptive, type Gate } from './gate-state.ts';

/** @throws TypeError for an unknown command. */
export function control(gate: Gate, command: CircuitCommand, now: number): GateChange {
  const time = timeAt(gate, now);
  const wasUp = isUp(gate);
  const hasBreaker = gate.settings.breaker !== false;
  controlCircuit(gate.breaker, !hasBreaker && (command === 'auto' || command === 'shadow') ? 'disabled' : command, time);
  if (command === 'reset' && isAdaptive(gate)) {
    if (wasUp) endRun(gate.adaptive.failed);
    else comeBack(gate, time);
  }
  if (command === 'reset' && !hasBreaker) controlCircuit(gate.breaker, 'disabled', time);
  return changeOf(gate, time);
}

/** A server asked for a wait until `until` (monotonic): holds calls as `../breaker/hold.ts` says. Does not open the circuit. */
export function holdUntil(gate: Gate, until: number, now: number, askedAt: number = now): GateChange {
  const time = timeAt(gate, now);
  holdCircuit(gate.breaker, until, time, askedAt);
  return changeOf(gate, time);
}

/**
 * Puts new settings in force and keeps the state.
 * @throws TypeError or RangeError when a setting is invalid; nothing has changed then.
 */
export function withSettings(gate: Gate, settings: GateSettings, now: number): GateChange {
  checkGateSettings(settings);
  const time = timeAt(gate, now);
  const hadBreaker = gate.settings.breaker !== false;
  gate.settings = settings;
  limitSlots(gate.bulkhead, settings.concurrency);
  gate.limiter = limiterFor(settings.rateLimit, gate.limiter);
  gate.budget = budgetFor(settings.retryBudget, gate.budget);
  if (settings.breaker !== false) withBreakerSettings(gate.breaker, settings.breaker);
  // A gate that starts or stops to let calls wait for recovery begins with nothing learned, and turns its waiters away.
  const isSwitched = (settings.waitForRecovery === true) !== isAdaptive(gate);
  if (isSwitched) gate.adaptive = settings.waitForRecovery ? new Adaptive() : undefined;
  const leaving = isSwitched ? turnAllAway(gate.bulkhead) : [];
  const hasBreaker = settings.breaker !== false;
  if (hadBreaker !== hasBreaker && gate.breaker.mode !== 'forced_open')
    controlCircuit(gate.breaker, hasBreaker ? 'auto' : 'disabled', time);
  const { transitions, woken } = changeOf(gate, time);
  return { transitions, woken: [...leaving, ...woken] };
}

/** The circuit's state. Slots, queue, rate limit and budget belong to the process and are not saved. */
export function save(gate: Gate, clock: ClockReading): CircuitSnapshot {
  const { breaker, fleet } = gate;
  const { joined } = fleet;
  const adopted = fleet.adoptedGeneration === breaker.generation;
  const saved = saveCircuit(breaker, { ...clock, now: timeAt(gate, clock.now) });
  return joined || adopted ? { ...saved, fleet: { joined, adopted } } : saved;
}

/** Restores a saved circuit; an invalid snapshot changes nothing. */
export function restore(gate: Gate, snapshot: CircuitSnapshot, options: RestoreOptions): GateChange {
  const now = timeAt(gate, options.now);
  const { breaker, fleet } = gate;
  if (!restoreCircuit(breaker, snapshot, { ...options, now })) return unchanged;
  fleet.joined = snapshot.fleet?.joined === true;
  fleet.adoptedGeneration = snapshot.fleet?.adopted === true ? breaker.generation : -1;
  fleet.successes = breaker.counters.success + breaker.counters.permanent;
  fleet.failures = breaker.counters.transient;
  if (gate.settings.breaker === false && gate.breaker.mode !== 'forced_open') gate.breaker.mode = 'disabled';
  return changeOf(gate, now);
}
