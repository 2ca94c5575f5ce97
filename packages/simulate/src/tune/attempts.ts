/** Owns what recorded attempts of one tool show about it, merged in order of time: when it was down, and its rate limit. */
import type { ReadTurn, SeenAttempt } from '@holdfast/what-if';
import type { RateLimit } from '../world/limit-types.ts';

/** A recorded attempt; lists are ordered by start time. */
export interface TimedAttempt {
  readonly at: number;
  readonly tookMs: number;
  readonly ok: boolean;
  readonly timedOut: boolean;
  /** Refused because of the number of requests. */
  readonly throttled: boolean;
  /** The Retry-After of the refusal; 0 if there was none. */
  readonly retryAfterMs: number;
}

export function timedAttempts(turns: readonly ReadTurn[], tool: string): readonly TimedAttempt[] {
  const found = turns.flatMap(({ beganAtEpochMs, seen }) =>
    seen.filter((each) => each.toolName === tool && isKnown(each)).map((each) => toTimedAttempt(each, beganAtEpochMs)),
  );
  return found.toSorted((one, other) => one.at - other.at);
}

/** Whether the outcome is known: an attempt that was given up for another reason than its time limit shows nothing. */
const isKnown = ({ outcome, stressed }: SeenAttempt): boolean => outcome !== undefined || stressed;

function toTimedAttempt({ startedAt, endedAt, outcome }: SeenAttempt, beganAtEpochMs: number): TimedAttempt {
  const classification = outcome === undefined || outcome.ok ? undefined : outcome.fault.classification;
  return {
    at: beganAtEpochMs + startedAt,
    tookMs: endedAt - startedAt,
    ok: outcome?.ok ?? false,
    timedOut: outcome === undefined,
    throttled: classification?.category === 'rate_limit',
    retryAfterMs: classification?.retryAfterMs ?? 0,
  };
}

const maxGapMs = 60_000;

/** Time with calls: long gaps between them are excluded. */
export function activeTime(attempts: readonly TimedAttempt[]): number {
  let active = 0;
  for (const [index, { at }] of attempts.entries()) {
    const before = attempts[index - 1];
    if (before) active += Math.min(at - before.at, maxGapMs);
  }
  return active;
}

export interface Outage {
  readonly from: number;
  readonly to: number;
}

const minOutageFailures = 5;

/** Runs of at least five consecutive failures. A rate-limited attempt shows that the tool works. */
export function outagesOf(attempts: readonly TimedAttempt[]): readonly Outage[] {
  const found: Outage[] = [];
  let run: TimedAttempt[] = [];
  const end = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    if (run.length >= minOutageFailures && first && last) found.push({ from: first.at, to: last.at + last.tookMs });
    run = [];
  };
  for (const attempt of attempts) {
    if (attempt.ok || attempt.throttled) end();
    else run.push(attempt);
  }
  end();
  return found;
}

/** The window of a tool that sends no Retry-After. */
const usualWindowMs = 10_000;
/** Other callers may have used a part of a window: the lower quartile of the counts is taken as the limit. */
const quartile = 0.25;

/** The rate limit, estimated from the refused requests; `undefined` if there are none. */
export function limitOf(attempts: readonly TimedAttempt[]): RateLimit | undefined {
  const throttled = attempts.filter((each) => each.throttled);
  if (throttled.length === 0) return undefined;
  const windowMs = throttled.reduce((longest, { retryAfterMs }) => Math.max(longest, retryAfterMs), 0) || usualWindowMs;
  const accepted = throttled.map(({ at }) => acceptedBetween(attempts, at - windowMs, at)).toSorted((one, other) => one - other);
  return { windowMs, limit: Math.max(1, accepted[Math.floor(quartile * accepted.length)] ?? 1) };
}

const acceptedBetween = (attempts: readonly TimedAttempt[], from: number, to: number): number =>
  attempts.reduce((total, { at, throttled }) => total + (!throttled && at > from && at <= to ? 1 : 0), 0);
