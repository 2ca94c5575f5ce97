/**
 * Owns which outcomes made a circuit change: the breaker's rules, read backwards. Does not own the breaker (`../../engine/breaker`).
 *
 * A change begins its counts afresh, so nothing from before the change before counts.
 */
import type { CircuitChange, CircuitSample } from './records.ts';

/** What of a circuit's settings says which outcomes it goes by. */
export interface CircuitRule {
  /** Consecutive transient failures that open the circuit. */
  readonly failureThreshold: number;
  /** Consecutive successful probes that close it. */
  readonly successThreshold: number;
  /** Probes in a row answered with a permanent error that close it. */
  readonly permanentProbeLimit: number;
  /** It hears of the last failure of a call only. */
  readonly countsCalls: boolean;
  /** The second detector: its window, and from which duration a call is slow. Absent when it is off. */
  readonly rate?: { readonly windowMs: number; readonly slowCallMs?: number };
}

type Cause = Pick<CircuitChange, 'at' | 'reason' | 'failure_count'>;

/** The samples, the oldest first, that made the change. */
export function tippedBy(
  { at, reason, failure_count: failures }: Cause,
  samples: readonly CircuitSample[],
  rule: CircuitRule | undefined,
): ReadonlySet<CircuitSample> {
  const latestFirst = samples.toReversed();
  switch (reason) {
    case 'failure_threshold':
      return new Set(inARow(latestFirst, 'transient', failures ?? rule?.failureThreshold ?? 1));
    case 'failure_rate':
      return new Set(within(latestFirst, at, rule).filter(({ outcome }) => outcome === 'transient'));
    case 'slow_call_rate': {
      const slowMs = rule?.rate?.slowCallMs ?? Infinity;
      return new Set(within(latestFirst, at, rule).filter(({ duration_ms, outcome }) => outcome !== 'neutral' && duration_ms >= slowMs));
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

/** What is neutral says nothing and ends no row. */
function inARow(latestFirst: readonly CircuitSample[], outcome: CircuitSample['outcome'], most: number): readonly CircuitSample[] {
  const telling = latestFirst.filter((sample) => sample.outcome !== 'neutral');
  const end = telling.findIndex((sample) => sample.outcome !== outcome);
  return telling.slice(0, Math.min(end < 0 ? telling.length : end, most));
}

function probes(latestFirst: readonly CircuitSample[], outcome: CircuitSample['outcome'], most: number): readonly CircuitSample[] {
  return latestFirst.filter((sample) => sample.probe === true && sample.outcome === outcome).slice(0, most);
}

/** Permanent and neutral outcomes are in no share. */
function within(latestFirst: readonly CircuitSample[], at: string, rule: CircuitRule | undefined): readonly CircuitSample[] {
  const since = Date.parse(at) - (rule?.rate?.windowMs ?? Infinity);
  return latestFirst.filter(({ outcome, at: when }) => (outcome === 'transient' || outcome === 'success') && Date.parse(when) >= since);
}
