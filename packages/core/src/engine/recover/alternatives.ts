/**
 * Owns the order in which alternatives are tried: by health where it is learned, else as declared.
 * Does not own the evidence of past outcomes (`past-outcomes.ts`).
 *
 * Invariant: alternatives without numbers keep their declared order, which also breaks every tie.
 */
import { formatDuration } from '../plain/duration.ts';
import type { AlternativeOption } from './decision.ts';

const circuitRank = { closed: 0, half_open: 1, open: 2 } as const;
/** Differences below a tenth of the attempts, or below half of the latency, are chance. */
const SHARE_STEPS = 10;
const LATENCY_STEPS = 2;

/** The healthiest first. */
export function byHealth(alternatives: readonly AlternativeOption[]): readonly AlternativeOption[] {
  return alternatives.length < 2 || !alternatives.some(isMeasured) ? alternatives : alternatives.toSorted(compareHealth);
}

/** Why an alternative comes before those that were declared before it; `undefined` when it is first as declared. */
export function describeHealth(alternatives: readonly AlternativeOption[], chosen: string): string | undefined {
  const [first] = alternatives;
  const option = alternatives.find(({ toolName }) => toolName === chosen);
  // An alternative that is not available was not passed over for its health.
  if (!first?.available || !option || option === first || compareHealth(option, first) >= 0) return undefined;
  return `healthier than ${first.toolName} (${formatHealth(option)} against ${formatHealth(first)})`;
}

function isMeasured({ failureShare, latencyMs }: AlternativeOption): boolean {
  return failureShare !== undefined || latencyMs !== undefined;
}

function compareHealth(one: AlternativeOption, other: AlternativeOption): number {
  return (
    Number(other.available) - Number(one.available) ||
    circuitRank[one.circuit] - circuitRank[other.circuit] ||
    shareStep(one) - shareStep(other) ||
    latencyStep(one) - latencyStep(other)
  );
}

function shareStep({ failureShare = 0 }: AlternativeOption): number {
  return Math.round(failureShare * SHARE_STEPS);
}

/** An alternative that has never answered comes after those that have. */
function latencyStep({ latencyMs }: AlternativeOption): number {
  return latencyMs === undefined ? Number.MAX_SAFE_INTEGER : Math.round(Math.log2(Math.max(latencyMs, 1)) * LATENCY_STEPS);
}

function formatHealth({ circuit, failureShare = 0, latencyMs }: AlternativeOption): string {
  const parts = circuit === 'closed' ? [] : [`circuit ${circuit.replace('_', ' ')}`];
  parts.push(`${Math.round(failureShare * 100)} % failed`, latencyMs === undefined ? 'no latency yet' : formatDuration(latencyMs));
  return parts.join(', ');
}
