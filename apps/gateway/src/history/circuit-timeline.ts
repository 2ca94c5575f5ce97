/** Owns the timeline of a circuit over a range, and its rule as a sentence. */
import type { CircuitRule, CircuitSample, KeptHistory } from '@holdfast/core/history';
import type { ToolSettings } from '@holdfast/core';
import type { CircuitTimeline, HistoryRange } from '../contract.ts';
import { toIso } from '../plain/iso-time.ts';
import { stepsOf } from './ranges.ts';

type Breaker = ToolSettings['breaker'];

export interface TimelineParts {
  readonly kept: KeptHistory;
  readonly samples: readonly CircuitSample[];
  readonly breaker: Breaker | undefined;
  readonly now: number;
  /** When this process started, milliseconds since 1970. */
  readonly startedAt: number;
}

export async function circuitTimeline(
  tool: string,
  range: HistoryRange,
  { kept, samples, breaker, now, startedAt }: TimelineParts,
): Promise<CircuitTimeline> {
  const { since, stepMs } = stepsOf(range, now);
  const base = { tool_id: tool, range, since: toIso(since), until: toIso(now), rule: describeRule(breaker) };
  if (breaker === undefined || breaker === false) return { ...base, state: null, known_since: toIso(now), changes: [], samples: [] };
  const [changes, before, series] = await Promise.all([
    kept.circuitChanges(tool, since),
    kept.circuitChangeBefore(tool, since),
    kept.series(tool, { since, until: now, stepMs }),
  ]);
  const state = changes[0]?.from ?? before?.to ?? 'closed';
  const firstSeen = Math.min(startedAt, Date.parse(changes[0]?.at ?? '') || Infinity, ...series.keys());
  const knownSince = before ? since : Math.min(now, Math.max(since, firstSeen));
  return { ...base, state, known_since: toIso(knownSince), changes, samples };
}

/** Returns the settings of a circuit that the fold needs. */
export function circuitRule(breaker: Breaker | undefined): CircuitRule | undefined {
  if (breaker === undefined || breaker === false) return undefined;
  const { failureThreshold, successThreshold, permanentProbeLimit, count, rate } = breaker;
  const { windowMs, slowCallMs } = rate ?? {};
  return {
    failureThreshold,
    successThreshold,
    permanentProbeLimit,
    countsCalls: count === 'call',
    ...(windowMs === undefined ? {} : { rate: { windowMs, ...(slowCallMs === undefined ? {} : { slowCallMs }) } }),
  };
}

function describeRule(breaker: Breaker | undefined): string {
  if (breaker === undefined || breaker === false) return 'It has no circuit breaker.';
  const { failureThreshold, openMs, successThreshold, count, rate } = breaker;
  const what = count === 'call' ? 'calls that fail in the end' : 'failed attempts';
  const row =
    failureThreshold === 1
      ? `It opens after one of its ${what} with a transient error`
      : `It opens after ${failureThreshold} ${what} in a row with transient errors`;
  const share = rate
    ? `, or when ${percent(rate.failureRate)} of at least ${rate.minimumCalls} calls fail within ${time(rate.windowMs)}`
    : '';
  const slow =
    rate?.slowCallMs === undefined ? '' : `, or when ${percent(rate.slowCallRate ?? 1)} of them take ${time(rate.slowCallMs)} or more`;
  const stays = openMs >= 2 ** 51 ? 'stays open until it is reset' : `stays open for ${time(openMs)}`;
  const closes =
    successThreshold === 1 ? 'closes after one successful probe' : `closes after ${successThreshold} successful probes in a row`;
  return `${row}${share}${slow}, ${stays}, and ${closes}.`;
}

const percent = (share: number): string => `${Math.round(share * 1_000) / 10} %`;

function time(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 120_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} minutes`;
}
