/**
 * Owns the life of one alert: from one evaluation to the next, as Prometheus has it. Does not own what is measured.
 *
 * Invariants
 * 1. Nothing → pending (its condition holds) → firing (has held for `forMs`) → resolved (has not held for `keepFiringForMs`).
 * 2. What waited and never fired is gone without a trace.
 * 3. No time of an alert is later than now.
 * 4. What was resolved is known for 15 minutes more; begun anew, it is a new alert.
 */
import type { Acknowledgement, AlertChange, AlertState } from './alert.ts';
import type { Measurement } from './measure.ts';
import type { AlertRule } from './rule.ts';

/** An alert as the engine keeps it. JSON. */
export interface Instance {
  readonly state: AlertState;
  readonly activeAtEpochMs: number;
  readonly firedAtEpochMs?: number;
  readonly resolvedAtEpochMs?: number;
  /** Since when it fires on without its condition. */
  readonly keptSinceEpochMs?: number;
  /** The last one that was too much. */
  readonly measured: Measurement;
  readonly acknowledged?: Acknowledgement;
}

export interface Step {
  readonly instance?: Instance;
  readonly changes: readonly AlertChange['kind'][];
}

const RESOLVED_KEPT_MS = 15 * 60_000;

/** `measured`: what is too much now; absent when nothing is. */
export function step(rule: AlertRule, before: Instance | undefined, measured: Measurement | undefined, nowEpochMs: number): Step {
  const known = before && before.activeAtEpochMs > nowEpochMs ? setBack(before, nowEpochMs) : before;
  return measured ? goOn(rule, known, measured, nowEpochMs) : cease(rule, known, nowEpochMs);
}

/** The clock was set back behind the beginning: it begins now, or its times would be waited for. */
function setBack(before: Instance, nowEpochMs: number): Instance {
  const { keptSinceEpochMs: _, ...instance } = before;
  const { firedAtEpochMs, resolvedAtEpochMs } = instance;
  return {
    ...instance,
    activeAtEpochMs: nowEpochMs,
    ...(firedAtEpochMs === undefined ? {} : { firedAtEpochMs: nowEpochMs }),
    ...(resolvedAtEpochMs === undefined ? {} : { resolvedAtEpochMs: nowEpochMs }),
  };
}

function goOn({ forMs = 0 }: AlertRule, before: Instance | undefined, measured: Measurement, nowEpochMs: number): Step {
  const { keptSinceEpochMs: _, ...active } =
    before && before.state !== 'resolved' ? before : { state: 'pending' as const, activeAtEpochMs: nowEpochMs, measured };
  const isNew = !before || before.state === 'resolved';
  if (active.state === 'pending' && nowEpochMs - active.activeAtEpochMs >= forMs)
    return { instance: { ...active, measured, state: 'firing', firedAtEpochMs: nowEpochMs }, changes: ['firing'] };
  return { instance: { ...active, measured }, changes: isNew ? ['pending'] : [] };
}

function cease({ keepFiringForMs = 0 }: AlertRule, before: Instance | undefined, nowEpochMs: number): Step {
  if (!before) return { changes: [] };
  if (before.state === 'pending') return { changes: ['withdrawn'] };
  if (before.state === 'resolved')
    return nowEpochMs - (before.resolvedAtEpochMs ?? 0) > RESOLVED_KEPT_MS ? { changes: [] } : { instance: before, changes: [] };
  const kept = { ...before, keptSinceEpochMs: before.keptSinceEpochMs ?? nowEpochMs };
  if (nowEpochMs - kept.keptSinceEpochMs < keepFiringForMs) return { instance: kept, changes: [] };
  return { instance: { ...before, state: 'resolved', resolvedAtEpochMs: nowEpochMs }, changes: ['resolved'] };
}
