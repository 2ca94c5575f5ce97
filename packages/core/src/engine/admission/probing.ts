/**
 * Owns how a gate probes for recovery: how long the circuit stays open, how many probes run at once, and when the next may be woken.
 * Owns the measure of demand that this depends on. The circuit's states are the breaker's.
 *
 * 1. At most `probes` run at once, except in shadow mode, each counted until it is recorded or returned; one at a time is reserved for a waiter.
 * 2. Consecutive open periods grow by `openGrowth` up to `maxOpenMs`, and less far at high demand: probes stay a small share of it.
 * 3. A probe that is slow to answer loses its place to the next one, but its success still closes the circuit.
 */
import { closeCircuit } from '../breaker/transition.ts';
import type { Breaker, BreakerSettings, CircuitPermit, CircuitTransition, Observation } from '../breaker/types.ts';
import type { Gate, GateSettings, Probing } from './types.ts';

/** At most one probe per this many calls, at any demand. */
const GAPS_PER_PROBE = 2;
/** Smoothing of the mean gap, over about the last twenty calls. */
const GAP_SMOOTHING = 0.05;

export function createProbing(): Probing {
  return {
    out: 0,
    kept: false,
    notBefore: -Infinity,
    meanGapMs: undefined,
    lastAskedAt: -Infinity,
    openings: 0,
    openForMs: 0,
    openedBy: 0,
    closedIn: -1,
    answers: 0,
  };
}

/** Whether the settings ask for more than a plain circuit. */
export function probesForRecovery({ breaker }: GateSettings): boolean {
  return breaker !== false && (breaker.falseAlarmRate !== undefined || (breaker.openGrowth ?? 1) > 1 || (breaker.probes ?? 1) > 1);
}

/** Notes a call's first admission request. */
export function noteDemand(probing: Probing, now: number): void {
  const gap = now - probing.lastAskedAt;
  probing.lastAskedAt = now;
  if (gap === Infinity) return;
  probing.meanGapMs = probing.meanGapMs === undefined ? gap : probing.meanGapMs + (gap - probing.meanGapMs) * GAP_SMOOTHING;
}

/** Sets how long the next open period lasts: the initial length after a circuit was closed, and longer after each one that did not help. */
export function followOpenings(probing: Probing, breaker: Breaker, queued: number, now: number): void {
  const { settings, counters, state } = breaker;
  if (counters.opened !== probing.openings) {
    probing.openings = counters.opened;
    probing.openForMs = breaker.openMs;
    breaker.openMs = grownOpenMs(settings, breaker.openMs, demandGapMs(probing, queued, now));
  }
  if (state !== 'closed') return;
  breaker.openMs = settings.openMs;
  probing.closedIn = breaker.generation;
}

/** Mean time between two calls. Agents that all wait make no further calls, so the time since the last one counts too, and for less when many wait. */
function demandGapMs({ meanGapMs = Infinity, lastAskedAt }: Probing, queued: number, now: number): number {
  return Math.max(meanGapMs, (now - lastAskedAt) / Math.max(queued, 1));
}

function grownOpenMs({ openMs: first, openGrowth = 1, maxOpenMs = 10_000 }: BreakerSettings, openMs: number, gapMs: number): number {
  if (openGrowth <= 1) return first;
  return Math.max(first, Math.min(openMs * openGrowth, GAPS_PER_PROBE * gapMs, maxOpenMs));
}

/** The maximum number of probes is running. A single probe is the circuit's concern: its lease may be over. */
export function hasMaxProbes({ out }: Probing, settings: GateSettings): boolean {
  const most = maxProbes(settings);
  return most > 1 && out >= most;
}

function maxProbes({ breaker }: GateSettings): number {
  return breaker === false ? 1 : (breaker.probes ?? 1);
}

/**
 * A probe has started. Where several are allowed, it keeps the next one away for the length of an open period or for the baseline latency; longer, the more
 * probes hang, so that one always remains available.
 */
export function probeStarted({ probing, breaker, adaptiveLimit, settings }: Gate, leastLeaseMs: number, now: number): void {
  probing.out += 1;
  const most = maxProbes(settings);
  if (most === 1) return;
  const apartMs = Math.max(probing.openForMs, adaptiveLimit?.baselineMs ?? 0, (leastLeaseMs * probing.out) / most ** 2);
  const leaseMs = Math.min(apartMs, leastLeaseMs);
  breaker.leaseUntil = now + leaseMs;
  // This much of the open period that follows a lost place is over already.
  breaker.openAfterLeaseMs = Math.max(breaker.openMs - leaseMs, 0);
}

/** The latest probe succeeds after its lease has ended, and no call has asked since: that is an ordinary success and opens nothing. */
export function extendLease(breaker: Breaker, { probe, generation, probeNumber }: CircuitPermit, now: number): void {
  const isLatest = probe && breaker.probeOut && generation === breaker.generation && probeNumber === breaker.probeNumber;
  if (isLatest && (breaker.settings.probes ?? 1) > 1 && breaker.leaseUntil <= now) breaker.leaseUntil = now + 1;
}

/** The success of a probe that had lost its place: the service answers. A probe of an earlier outage shows nothing about this one. */
export function lateSuccess({ breaker, probing }: Gate, permit: CircuitPermit, { outcome }: Observation): CircuitTransition | undefined {
  const { probes = 1, successThreshold } = breaker.settings;
  const isLate = permit.probe && permit.generation > probing.closedIn && breaker.state !== 'closed';
  const counts = isLate && outcome === 'success' && probes > 1 && successThreshold === 1;
  const follows = breaker.mode === 'auto' || breaker.mode === 'shadow';
  return counts && follows ? closeCircuit(breaker, 'probe_succeeded') : undefined;
}
