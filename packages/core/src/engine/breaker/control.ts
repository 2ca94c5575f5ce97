/**
 * Manual control of a circuit and the reload of its settings.
 *
 * 1. Between `auto` and `shadow` the automatic state continues undisturbed.
 * 2. Entering or leaving `forced_open` or `disabled` makes the permits in flight stale and keeps the rest of the state.
 * 3. Reported changes form a chain: each begins in the state where the one before ended.
 * 4. `reset` clears everything except the statistics, and ends `forced_open`; the other modes stay.
 */
import { circuitState } from './breaker.ts';
import { endHold } from './hold.ts';
import { detectorFor, windowFor } from './rate-detector.ts';
import { resizeWindow } from './rolling-window.ts';
import { completeBreakerSettings } from './settings.ts';
import { closeCircuit, halfOpenCircuit, settleLease, startGeneration } from './transition.ts';
import type { Breaker, BreakerSettings, CircuitCommand, CircuitMode, CircuitTransition } from './types.ts';

export const circuitModes: readonly unknown[] = ['auto', 'forced_open', 'disabled', 'shadow'] satisfies readonly CircuitMode[];

/**
 * Carries out an operator's command. Returns the transitions to report.
 * @throws TypeError for an unknown command.
 */
export function control(breaker: Breaker, command: CircuitCommand, now: number): readonly CircuitTransition[] {
  if (command !== 'reset' && !circuitModes.includes(command)) {
    throw new TypeError(`circuit command is "${String(command)}": use auto, forced_open, disabled, shadow or reset`);
  }
  const transitions = isTracking(breaker.mode) ? settle(breaker, now) : [];
  const from = circuitState(breaker, now);
  if (command === 'reset') reset(breaker);
  else changeMode(breaker, command);
  settle(breaker, now);
  const to = circuitState(breaker, now);
  if (from !== to) transitions.push({ from, to, reason: 'manual', failureCount: breaker.failureCount });
  return transitions;
}

/**
 * Applies new settings and keeps the state: counts, the running open period and the lease of a probe stay as they are.
 * @throws TypeError or RangeError when a setting is invalid; nothing has changed then.
 */
export function withSettings(breaker: Breaker, settings: Partial<BreakerSettings>): Breaker {
  const complete = completeBreakerSettings(settings);
  breaker.settings = complete;
  const { rate } = complete;
  if (rate && breaker.window) resizeWindow(breaker.window, rate.windowMs);
  else breaker.window = rate && windowFor(rate);
  breaker.detect = detectorFor(complete);
  breaker.openMs = complete.openMs;
  return breaker;
}

/** Applies the state changes that are due by now, so that each reported change begins where the one before it ended. */
function settle(breaker: Breaker, now: number): CircuitTransition[] {
  const transitions: CircuitTransition[] = [];
  const expired = settleLease(breaker, now);
  if (expired !== undefined) transitions.push(expired);
  if (breaker.state === 'open' && now >= breaker.openUntil) transitions.push(halfOpenCircuit(breaker));
  return transitions;
}

function changeMode(breaker: Breaker, mode: CircuitMode): void {
  if (mode === breaker.mode) return;
  const undisturbed = isTracking(breaker.mode) && isTracking(mode);
  breaker.mode = mode;
  if (!undisturbed) startGeneration(breaker);
}

function reset(breaker: Breaker): void {
  if (breaker.mode === 'forced_open') breaker.mode = 'auto';
  endHold(breaker);
  closeCircuit(breaker, 'manual');
}

function isTracking(mode: CircuitMode): boolean {
  return mode === 'auto' || mode === 'shadow';
}
