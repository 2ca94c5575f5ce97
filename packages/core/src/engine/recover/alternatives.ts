/**
 * Owns the order in which alternatives are tried: by health where it is learned, else as declared. Does not own what memory favours (`evidence.ts`).
 *
 * Invariant: alternatives without numbers keep their declared order, which also breaks every tie.
 */
import { sayDuration } from '../plain/duration.ts';
import type { AlternativeOption } from './decision.ts';

const circuitRank = { closed: 0, half_open: 1, open: 2 } as const;
/** Differences below a tenth of the attempts, or below half of the latency, are chance. */
const SHARE_STEPS = 10;
const LATENCY_STEPS = 2;

/** The healthiest first. */
export function byHealth(alternatives: readonly AlternativeOption[]): readonly AlternativeOption[] {
  return alternatives.length < 2 || !alternatives.some(isMeasured) ? alternatives : alternatives.toSorted(compareHealth);
}

/** What speaks for an alternative before those that were declared before it; `undefined` when it is first as declared. */
export function sayHealth(alternatives: readonly AlternativeOption[], chosen: string): string | undefined {
  const [first] = alternatives;
  const option = alternatives.find(({ tool_id }) => tool_id === chosen);
  // One that is not available was not passed over for its health.
  if (!first?.available || !option || option === first || compareHealth(option, first) >= 0) return undefined;
  return `healthier than ${first.tool_id} (${sayNumbers(option)} against ${sayNumbers(first)})`;
}

function isMeasured({ failure_share, latency_ms }: AlternativeOption): boolean {
  return failure_share !== undefined || latency_ms !== undefined;
}

function compareHealth(one: AlternativeOption, other: AlternativeOption): number {
  return (
    Number(other.available) - Number(one.available) ||
    circuitRank[one.circuit_breaker_state] - circuitRank[other.circuit_breaker_state] ||
    shareStep(one) - shareStep(other) ||
    latencyStep(one) - latencyStep(other)
  );
}

function shareStep({ failure_share = 0 }: AlternativeOption): number {
  return Math.round(failure_share * SHARE_STEPS);
}

/** One that has never answered comes after those that have. */
function latencyStep({ latency_ms }: AlternativeOption): number {
  return latency_ms === undefined ? Number.MAX_SAFE_INTEGER : Math.round(Math.log2(Math.max(latency_ms, 1)) * LATENCY_STEPS);
}

function sayNumbers({ circuit_breaker_state, failure_share = 0, latency_ms }: AlternativeOption): string {
  const said = circuit_breaker_state === 'closed' ? [] : [`circuit ${circuit_breaker_state.replace('_', ' ')}`];
  said.push(`${Math.round(failure_share * 100)} % failed`, latency_ms === undefined ? 'no latency yet' : sayDuration(latency_ms));
  return said.join(', ');
}
