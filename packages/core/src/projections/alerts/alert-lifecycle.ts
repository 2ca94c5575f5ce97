/**
 * Owns the state of one alert from one evaluation to the next, with the semantics of Prometheus. Does not own what is measured.
 *
 * Invariants
 * 1. Nothing → pending (its condition holds) → firing (has held for `forMs`) → resolved (has not held for `keepFiringForMs`).
 * 2. A pending alert that never fires leaves nothing behind.
 * 3. No time of an alert is later than now.
 * 4. A resolved alert is kept for 15 minutes. When its condition holds again, a new alert begins.
 */
import type { Acknowledgement, AlertChange, AlertState } from './alert.ts';
import type { Measurement } from './measure.ts';
import type { AlertRule } from './rule.ts';

/** An alert as the engine stores it. JSON. */
export interface Instance {
  readonly state: AlertState;
  readonly activeAtEpochMs: number;
  readonly firedAtEpochMs?: number;
  readonly resolvedAtEpochMs?: number;
  /** Since when it keeps firing although its condition no longer holds. */
  readonly keptSinceEpochMs?: number;
  /** The latest measurement for which the condition held. */
  readonly measured: Measurement;
  readonly acknowledged?: Acknowledgement;
}

export interface Step {
  readonly instance?: Instance;
  readonly changes: readonly AlertChange['kind'][];
}

const RESOLVED_KEPT_MS = 15 * 60_000;

/** `measured`: the measurement for which the condition holds now; absent when it does not hold. */
export function step(rule: AlertRule, before: Instance | undefined, measured: Measurement | undefined, nowEpochMs: number): Step {
  const known = before && before.activeAtEpochMs > nowEpochMs ? restartTimes(before, nowEpochMs) : before;
  return measured ? activate(rule, known, measured, nowEpochMs) : clear(rule, known, nowEpochMs);
}

/** The clock was set back to before the alert began. All its times become now; otherwise nothing would happen until the clock catches up. */
function restartTimes(before: Instance, nowEpochMs: number): Instance {
  const { keptSinceEpochMs: _, ...instance } = before;
  const { firedAtEpochMs, resolvedAtEpochMs } = instance;
  return {
    ...instance,
    activeAtEpochMs: nowEpochMs,
    ...(firedAtEpochMs === undefined ? {} : { firedAtEpochMs: nowEpochMs }),
    ...(resolvedAtEpochMs === undefined ? {} : { resolvedAtEpochMs: nowEpochMs }),
  };
}

function activate({ forMs = 0 }: AlertRule, before: Instance | undefined, measured: Measurement, nowEpochMs: number): Step {
  const { keptSinceEpochMs: _, ...active } =
    before && before.state !== 'resolved'
      ? before
      : { state: 'pending' as const, activeAtEpochMs: nowEpochMs, measured, ...acknowledgementOf(before) };
  const isNew = !before || before.state === 'resolved';
  if (active.state === 'pending' && nowEpochMs - active.activeAtEpochMs >= forMs)
    return { instance: { ...active, measured, state: 'firing', firedAtEpochMs: nowEpochMs }, changes: ['firing'] };
  return { instance: { ...active, measured }, changes: isNew ? ['pending'] : [] };
}

/** An acknowledgement survives until the alert has been resolved for a while: an alert that flaps is acknowledged once. */
const acknowledgementOf = (before: Instance | undefined): Pick<Instance, 'acknowledged'> =>
  before?.acknowledged === undefined ? {} : { acknowledged: before.acknowledged };

function clear({ keepFiringForMs = 0 }: AlertRule, before: Instance | undefined, nowEpochMs: number): Step {
  if (!before) return { changes: [] };
  if (before.state === 'pending') {
    const { acknowledged } = before;
    return {
      ...(acknowledged ? { instance: { ...before, state: 'resolved', resolvedAtEpochMs: nowEpochMs } } : {}),
      changes: ['withdrawn'],
    };
  }
  if (before.state === 'resolved')
    return nowEpochMs - (before.resolvedAtEpochMs ?? 0) > RESOLVED_KEPT_MS ? { changes: [] } : { instance: before, changes: [] };
  const kept = { ...before, keptSinceEpochMs: before.keptSinceEpochMs ?? nowEpochMs };
  if (nowEpochMs - kept.keptSinceEpochMs < keepFiringForMs) return { instance: kept, changes: [] };
  return { instance: { ...before, state: 'resolved', resolvedAtEpochMs: nowEpochMs }, changes: ['resolved'] };
}
