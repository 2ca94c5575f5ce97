/** Owns creating a silence from a request. */
import { randomUUID } from 'node:crypto';
import type { Silence } from '@holdfast/core/alerts';
import type { SilenceRequest } from '../contract.ts';

export function createSilence({ matchers, starts_at, duration_ms, comment }: SilenceRequest, createdBy: string, nowMs: number): Silence {
  const startsAtEpochMs = starts_at === undefined ? nowMs : Math.max(Date.parse(starts_at), nowMs);
  return {
    id: randomUUID(),
    matchers: matchers.map(({ name, value, is_regex: isRegex = false, is_equal: isEqual = true }) => ({ name, value, isRegex, isEqual })),
    startsAtEpochMs,
    endsAtEpochMs: startsAtEpochMs + duration_ms,
    createdBy,
    comment,
  };
}
