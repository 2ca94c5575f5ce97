/** Owns what recorded attempts of one tool tell of it, one after the other on one clock: when nothing worked, and how many it takes. */
import type { ReadTurn, SeenAttempt } from '@holdfast/what-if';
import type { RateLimit } from '../world/world.ts';

/** In order of their begin. */
export interface TimedAttempt {
  readonly at: number;
  readonly tookMs: number;
  readonly ok: boolean;
  readonly timedOut: boolean;
  /** Turned away for the number of requests. */
  readonly throttled: boolean;
  /** When it was told to come back; 0 where it was not. */
  readonly retryAfterMs: number;
}

export function timedAttempts(turns: readonly ReadTurn[], tool: string): readonly TimedAttempt[] {
  const found = turns.flatMap(({ beganAtEpochMs, seen }) =>
    seen.filter((each) => each.toolName === tool && isKnown(each)).map((each) => toTimedAttempt(each, beganAtEpochMs)),
  );
  return found.toSorted((one, other) => one.at - other.at);
}

/** One that was given up for another reason than its time limit tells nothing. */
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

const quietMs = 60_000;

/** Without the hours in which nobody called. */
export function activeTime(attempts: readonly TimedAttempt[]): number {
  let active = 0;
  for (const [index, { at }] of attempts.entries()) {
    const before = attempts[index - 1];
    if (before) active += Math.min(at - before.at, quietMs);
  }
  return active;
}

export interface Outage {
  readonly from: number;
  readonly to: number;
}

const fewestInOutage = 5;

/** Runs of failures, at least five in a row. Who is turned away for the number of requests meets a tool that works. */
export function outagesOf(attempts: readonly TimedAttempt[]): readonly Outage[] {
  const found: Outage[] = [];
  let run: TimedAttempt[] = [];
  const end = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    if (run.length >= fewestInOutage && first && last) found.push({ from: first.at, to: last.at + last.tookMs });
    run = [];
  };
  for (const attempt of attempts) {
    if (attempt.ok || attempt.throttled) end();
    else run.push(attempt);
  }
  end();
  return found;
}

/** Of a tool that does not say when to come back. */
const usualWindowMs = 10_000;
/** Others may have used up a part of a window: what three of four let through is believed. */
const believed = 0.25;

/** How many it takes in which time, by those it turned away; `undefined` where there are none. */
export function limitOf(attempts: readonly TimedAttempt[]): RateLimit | undefined {
  const throttled = attempts.filter((each) => each.throttled);
  if (throttled.length === 0) return undefined;
  const windowMs = throttled.reduce((longest, { retryAfterMs }) => Math.max(longest, retryAfterMs), 0) || usualWindowMs;
  const taken = throttled.map(({ at }) => takenBetween(attempts, at - windowMs, at)).toSorted((one, other) => one - other);
  return { windowMs, limit: Math.max(1, taken[Math.floor(believed * taken.length)] ?? 1) };
}

const takenBetween = (attempts: readonly TimedAttempt[], from: number, to: number): number =>
  attempts.reduce((total, { at, throttled }) => total + (!throttled && at > from && at <= to ? 1 : 0), 0);
