/**
 * Owns the timer of a gate: one per gate whose waiters are due at a known time, otherwise none. The gate decides which waiters continue. Owns also which delays
 * before retries an opening circuit ends.
 */
import type { CircuitTransition, GateChange } from '../../engine/admission/types.ts';
import { wakeAt, wakeDueWaiters } from '../../engine/admission/gate.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { ToolGate } from './tool-runtime.ts';

/** The part of the system that waiting needs. A `System` has all of it. */
export interface AlarmSystem {
  /** Reads the clock. */
  now(): number;
  setTimer(delayMs: number, fire: () => void): TimerHandle;
  clearTimer(handle: TimerHandle): void;
  /** Runs a task soon, outside the current step. */
  defer(task: () => void): void;
}

/** Resumes the waiters that a change woke, and sets the timer for the others. */
export function wakeWaiters(tool: ToolGate, { woken }: GateChange, machine: AlarmSystem, now: number): void {
  for (const ticket of woken) {
    const waiter = tool.waiters.get(ticket);
    tool.waiters.delete(ticket);
    if (waiter) machine.defer(waiter);
  }
  setAlarm(tool, machine, now);
}

/**
 * When the circuit opens, ends the delays before retries: the retries would be refused, or wait at the gate. A call that would wait there waits for its own
 * Retry-After first, unless an operator opened the circuit.
 */
export function endDelays({ delayedCalls }: ToolGate, { to, reason }: CircuitTransition, defer: (task: () => void) => void): void {
  if (to !== 'open') return;
  for (const [{ state }, wake] of delayedCalls) {
    const waits = state.target.settings.waitForRecovery && state.lastFault?.classification.retryAfterMs !== undefined;
    if (!waits || reason === 'manual') defer(wake);
  }
}

/** Call this after every step at the gate. */
export function setAlarm(tool: ToolGate, machine: AlarmSystem, now: number): void {
  const { gate, alarm } = tool;
  if (gate.bulkhead.queued === 0 && alarm.set === undefined) return;
  const at = wakeAt(gate, now);
  // A timer that fires too early is set again: cheaper than a new timer for every waiter.
  if (alarm.set !== undefined && at !== undefined && alarm.set.at <= at) return;
  alarm.set?.clear();
  alarm.set = undefined;
  if (at === undefined) return;
  // Everything due now has been woken: if the gate disagrees, it is asked again later, not in a loop.
  const handle = machine.setTimer(Math.max(at - now, 1), () => {
    alarm.set = undefined;
    const moment = machine.now();
    wakeWaiters(tool, wakeDueWaiters(gate, moment), machine, moment);
  });
  alarm.set = { at, clear: () => machine.clearTimer(handle) };
}
