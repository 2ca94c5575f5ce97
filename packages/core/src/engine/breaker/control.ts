/**
 * Manual control of a circuit and the reload of its settings.
 *
 * 1. Between `auto` and `shadow` the automatic state continues undisturbed.
 * 2. Entering or leaving `forced_open` or `disabled` makes the permits in flight stale and keeps the rest of the state.
 * 3. Reported changes form a chain: each begins in the state where the one before ended.
 * 4. `reset` clears everything except the statistics, and ends `forced_open`; the other modes stay.
 */
import { checkRule } from '../settings/check.ts';
import { circuitState } from './breaker.ts';
import { endHold } from './hold.ts';
import { useRate } from './rate-detector.ts';
import { completeBreakerSettings } from './settings.ts';
import { closeCircuit, halfOpenCircuit, settleLease, startGeneration } from './transition.ts';
import type { Breaker, BreakerSettings, CircuitCommand, CircuitMode } from './types.ts';

export const circuitModes: readonly unknown[] = ['auto', 'forced_open', 'disabled', 'shadow'] satisfies readonly CircuitMode[];
const circuitCommands = [...(circuitModes as readonly CircuitMode[]), 'reset'];

/**
 * Carries out an operator's command.
 * @throws TypeError | RangeError for an unknown command.
 */
export function control(breaker: Breaker, command: CircuitCommand, now: number): void {
  checkRule(circuitCommands, command, 'circuit command');
  if (isTracking(breaker.mode)) settle(breaker, now);
  const { changes } = breaker;
  const due = changes.length;
  const from = circuitState(breaker, now);
  if (command === 'reset') reset(breaker);
  else changeMode(breaker, command);
  settle(breaker, now);
  // Whatever the command has changed is reported as one change.
  changes.length = due;
  const to = circuitState(breaker, now);
  if (from !== to) changes.push({ from, to, reason: 'manual', failureCount: breaker.failureCount });
}

/**
 * Applies new settings and keeps the state: counts, the running open period and the lease of a probe stay as they are.
 * @throws TypeError or RangeError when a setting is invalid; nothing has changed then.
 */
export function withSettings(breaker: Breaker, settings: Partial<BreakerSettings>): void {
  breaker.settings = completeBreakerSettings(settings);
  useRate(breaker, breaker.settings.rate);
  breaker.openMs = breaker.settings.openMs;
}

/** Applies the state changes that are due by now, so that each reported change begins where the one before it ended. */
function settle(breaker: Breaker, now: number): void {
  settleLease(breaker, now);
  if (breaker.state === 'open' && now >= breaker.openUntil) halfOpenCircuit(breaker);
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
