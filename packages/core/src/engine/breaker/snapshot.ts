/**
 * Saves a circuit and restores it, here or in another process.
 *
 * 1. What is restored equals what was saved, minus the wall-clock time between; a wall clock that went back counts as no time.
 * 2. Permits issued before the save stay valid after it, unless the breaker has changed since: then all of them are stale.
 * 3. An invalid snapshot changes nothing.
 */
import { circuitModes } from './control.ts';
import { bucketsOf, fillWindow } from './rolling-window.ts';
import { startGeneration } from './transition.ts';
import type { Breaker, CircuitCounters, CircuitSnapshot, CircuitState, ClockReading } from './types.ts';

export function save(breaker: Breaker, clock: ClockReading): CircuitSnapshot {
  const { window } = breaker;
  return {
    version: 1,
    savedAtEpochMs: clock.nowEpochMs,
    mode: breaker.mode,
    state: breaker.state,
    generation: breaker.generation,
    failureCount: breaker.failureCount,
    openLeftMs: breaker.state === 'open' ? milliseconds(breaker.openUntil - clock.now) : 0,
    holdLeftMs: Math.max(0, milliseconds(breaker.holdUntil - clock.now)),
    ...(breaker.holdMs === 0 ? {} : { holdMs: breaker.holdMs }),
    ...(breaker.holdAskedAt === -Infinity ? {} : { holdAskedAgoMs: milliseconds(clock.now - breaker.holdAskedAt) }),
    ...(breaker.probeOut ? { probe: { leaseLeftMs: milliseconds(breaker.leaseUntil - clock.now) } } : {}),
    probeNumber: breaker.probeNumber,
    probeSuccesses: breaker.probeSuccesses,
    permanentProbes: breaker.permanentProbes,
    counters: { ...breaker.counters },
    ...(window === undefined || window.bucketStart === -Infinity
      ? {}
      : { window: { bucketAgeMs: milliseconds(clock.now - window.bucketStart), counts: bucketsOf(window) } }),
    ...(breaker.openMs === breaker.settings.openMs ? {} : { openMs: breaker.openMs }),
  };
}

/** Whether it is in its initial state: there is nothing to save but statistics. */
export function isPristine({ state, failureCount, mode, window, holdAskedAt }: Breaker): boolean {
  return state === 'closed' && failureCount === 0 && mode === 'auto' && window === undefined && holdAskedAt === -Infinity;
}

export interface RestoreOptions extends ClockReading {
  /** Set when the calls in flight at the save can never answer, as after a restart: their probe is returned. @default false */
  readonly permitsLost?: boolean;
}

/** Restores a saved state into `breaker` and keeps its settings. Returns false, and changes nothing, when the snapshot is invalid. */
export function restore(breaker: Breaker, snapshot: CircuitSnapshot, options: RestoreOptions): boolean {
  if (!isCircuitSnapshot(snapshot)) return false;
  const base = options.now - Math.max(0, options.nowEpochMs - snapshot.savedAtEpochMs);
  const { mode, state, failureCount, probeNumber, probeSuccesses, permanentProbes } = snapshot;
  Object.assign(breaker, { mode, state, failureCount, probeNumber, probeSuccesses, permanentProbes });
  startGeneration(breaker, breaker.generation > snapshot.generation ? breaker.generation + 1 : snapshot.generation);
  breaker.openUntil = snapshot.state === 'open' ? base + snapshot.openLeftMs : -Infinity;
  breaker.holdUntil = snapshot.holdLeftMs > 0 ? base + snapshot.holdLeftMs : -Infinity;
  breaker.holdMs = snapshot.holdMs ?? 0;
  breaker.holdAskedAt = snapshot.holdAskedAgoMs === undefined ? -Infinity : base - snapshot.holdAskedAgoMs;
  breaker.probeOut = snapshot.probe !== undefined && options.permitsLost !== true;
  breaker.leaseUntil = snapshot.probe === undefined ? -Infinity : base + snapshot.probe.leaseLeftMs;
  Object.assign(breaker.counters, snapshot.counters);
  breaker.openMs = snapshot.openMs ?? breaker.settings.openMs;
  const { window } = snapshot;
  if (breaker.window) fillWindow(breaker.window, window?.counts ?? [], window ? base - window.bucketAgeMs : -Infinity);
  return true;
}

/** Whether a value from a store is a valid snapshot. */
export function isCircuitSnapshot(value: unknown): value is CircuitSnapshot {
  const snapshot = { holdMs: 0, holdAskedAgoMs: 0, openMs: 1, ...(value as Partial<CircuitSnapshot> | null) };
  const { version, mode, state, probe, counters, window } = snapshot;
  return (
    hasNumbers(snapshot, numberFields) &&
    version === 1 &&
    circuitModes.includes(mode) &&
    circuitStates.includes(state) &&
    (probe === undefined || hasNumbers(probe, ['leaseLeftMs'])) &&
    hasNumbers(counters, counterNames) &&
    (window === undefined || (hasNumbers(window, ['bucketAgeMs']) && isTable(window.counts)))
  );
}

function hasNumbers(value: unknown, names: readonly string[]): boolean {
  return typeof value === 'object' && value !== null && names.every((name) => Number.isFinite((value as Record<string, unknown>)[name]));
}

function isTable(counts: unknown): boolean {
  return (
    Array.isArray(counts) && counts.every((bucket: unknown) => Array.isArray(bucket) && bucket.every((count) => Number.isFinite(count)))
  );
}

const circuitStates: readonly unknown[] = ['closed', 'open', 'half_open'] satisfies readonly CircuitState[];
const counterNames = ['success', 'transient', 'permanent', 'neutral', 'stale', 'opened'] satisfies readonly (keyof CircuitCounters)[];
const numberFields = [
  'savedAtEpochMs',
  'generation',
  'failureCount',
  'openLeftMs',
  'holdLeftMs',
  'probeNumber',
  'probeSuccesses',
  'permanentProbes',
  'holdMs',
  'holdAskedAgoMs',
  'openMs',
] satisfies readonly (keyof CircuitSnapshot)[];

/** Rounded to the microsecond: adding and subtracting a fractional clock then gives the same number again. */
function milliseconds(difference: number): number {
  const rounded = Math.round(difference * 1000) / 1000;
  return rounded === 0 ? 0 : rounded;
}
