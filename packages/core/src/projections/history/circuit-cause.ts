/**
 * Owns which outcomes caused a circuit change: the breaker's rules in reverse. Does not own the breaker (`../../engine/breaker`).
 *
 * Every change resets the counts, so samples from before the previous change do not count.
 */
import type { CircuitChange, CircuitSample } from './records.ts';

/** The settings of a circuit that determine which outcomes change it. */
export interface CircuitRule {
  /** Consecutive transient failures that open the circuit. */
  readonly failureThreshold: number;
  /** Consecutive successful probes that close it. */
  readonly successThreshold: number;
  /** Probes in a row answered with a permanent error that close it. */
  readonly permanentProbeLimit: number;
  /** The circuit counts only the last failure of each call. */
  readonly countsCalls: boolean;
  /** The rate detector: its window, and the duration from which a call is slow. Absent when it is off. */
  readonly rate?: { readonly windowMs: number; readonly slowCallMs?: number };
}

type Cause = Pick<CircuitChange, 'at' | 'reason' | 'failure_count'>;

/** Returns the samples that caused the change. `samples`: oldest first. */
export function causingSamples(
  { at, reason, failure_count: failures }: Cause,
  samples: readonly CircuitSample[],
  rule: CircuitRule | undefined,
): ReadonlySet<CircuitSample> {
  const latestFirst = samples.toReversed();
  switch (reason) {
    case 'failure_threshold':
      return new Set(consecutive(latestFirst, 'transient', failures ?? rule?.failureThreshold ?? 1));
    case 'failure_rate':
      return new Set(inWindow(latestFirst, at, rule).filter(({ outcome }) => outcome === 'transient'));
    case 'slow_call_rate': {
      const slowMs = rule?.rate?.slowCallMs ?? Infinity;
      return new Set(inWindow(latestFirst, at, rule).filter(({ duration_ms, outcome }) => outcome !== 'neutral' && duration_ms >= slowMs));
    }
    case 'probe_failed':
      return new Set(probes(latestFirst, 'transient', 1));
    case 'probe_succeeded':
      return new Set(probes(latestFirst, 'success', rule?.successThreshold ?? 1));
    case 'permanent_probes':
      return new Set(probes(latestFirst, 'permanent', rule?.permanentProbeLimit ?? 1));
    default:
      return new Set();
  }
}

/** Neutral outcomes neither count nor interrupt a series. */
function consecutive(latestFirst: readonly CircuitSample[], outcome: CircuitSample['outcome'], max: number): readonly CircuitSample[] {
  const relevant = latestFirst.filter((sample) => sample.outcome !== 'neutral');
  const end = relevant.findIndex((sample) => sample.outcome !== outcome);
  return relevant.slice(0, Math.min(end < 0 ? relevant.length : end, max));
}

function probes(latestFirst: readonly CircuitSample[], outcome: CircuitSample['outcome'], max: number): readonly CircuitSample[] {
  return latestFirst.filter((sample) => sample.probe === true && sample.outcome === outcome).slice(0, max);
}

/** The samples of the rate window; permanent and neutral outcomes do not count. */
function inWindow(latestFirst: readonly CircuitSample[], at: string, rule: CircuitRule | undefined): readonly CircuitSample[] {
  const since = Date.parse(at) - (rule?.rate?.windowMs ?? Infinity);
  return latestFirst.filter(({ outcome, at: when }) => (outcome === 'transient' || outcome === 'success') && Date.parse(when) >= since);
}
