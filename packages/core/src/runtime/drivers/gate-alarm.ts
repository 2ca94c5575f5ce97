/**
 * Owns when a gate is looked at though nothing happened there: one timer per gate with waiters whom time alone sets free, and none otherwise.
 * Who goes on is the gate's word.
 */
import type { GateChange } from '../../engine/admission/types.ts';
import { lookAgain } from '../../engine/admission/gate.ts';
import { wakeAt } from '../../engine/admission/wake-waiters.ts';
import type { TimerHandle } from '../../engine/ports/system.ts';
import type { GatedTool } from './tool-runtime.ts';

/** The machine, as far as waiting needs it. A `System` is one. */
export interface WakingMachine {
  /** Reads the clock. */
  now(): number;
  setTimer(delayMs: number, fire: () => void): TimerHandle;
  clearTimer(handle: TimerHandle): void;
  /** Runs a task soon, outside the current step. */
  defer(task: () => void): void;
}

/** Lets those go on who waited at a gate that changed, and sees to it that the others are not forgotten. */
export function wakeWaiters(tool: GatedTool, { woken }: GateChange, machine: WakingMachine, now: number): void {
  for (const ticket of woken) {
    const waiter = tool.waiters.get(ticket);
    tool.waiters.delete(ticket);
    if (waiter) machine.defer(waiter);
  }
  setAlarm(tool, machine, now);
}

/** After every step at the gate. */
export function setAlarm(tool: GatedTool, machine: WakingMachine, now: number): void {
  const { gate, alarm } = tool;
  if (gate.bulkhead.queued === 0 && alarm.set === undefined) return;
  const at = wakeAt(gate, now);
  // One that rings too early finds nothing to do and is set again: cheaper than one more timer for each who comes.
  if (alarm.set !== undefined && at !== undefined && alarm.set.at <= at) return;
  alarm.set?.clear();
  alarm.set = undefined;
  if (at === undefined) return;
  // What is due now has been woken: a gate that says otherwise is asked again, but not in a loop.
  const handle = machine.setTimer(Math.max(at - now, 1), () => {
    alarm.set = undefined;
    const moment = machine.now();
    wakeWaiters(tool, lookAgain(gate, moment), machine, moment);
  });
  alarm.set = { at, clear: () => machine.clearTimer(handle) };
}
