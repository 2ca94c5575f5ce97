/**
 * Owns the hold: how long a server's Retry-After keeps the other calls of a tool away. The call that received it waits for all of it, by its own retry.
 *
 * 1. A hold lasts as long as the server asked for, but at most `FIRST_HOLD_MS`. Then calls may ask again.
 * 2. If the answer to a later request repeats the Retry-After when the hold has ended, the next hold may last twice as long as the one before.
 * 3. A success or a permanent error ends the hold and its growth; a transient answer without a Retry-After ends the growth. Only requests that were sent after
 *    the refused one count: those sent earlier show nothing about the time since then.
 */
import type { Breaker, Observation } from './types.ts';
import { waitMs } from './wait.ts';

/**
 * One answer proves little about a tool: a stray `Retry-After: 3600` would stop a healthy one for an hour. If the server means it, one process that asks
 * again after 10 s, 30 s, 70 s and so on adds no significant load.
 */
export const FIRST_HOLD_MS = 10_000;
/** Of requests sent within a millisecond, none is the later one: sums of clock readings are not exact, and networks reorder. */
const LATER_MS = 1;

/**
 * The server asked callers to wait until then: an open circuit stays open at least as long as the hold; a closed one does not open for it.
 * @param until end of the wait that the server asked for
 * @param askedAt when the request was sent
 */
export function holdUntil(breaker: Breaker, until: number, now: number, askedAt: number = now): void {
  const askedMs = until - now;
  if (!(askedMs > 0) || !Number.isFinite(until)) return;
  const isRepeated = now >= breaker.holdUntil && isLater(breaker, askedAt);
  const holdMs = Math.min(askedMs, Math.max(FIRST_HOLD_MS, isRepeated ? 2 * breaker.holdMs : 0));
  const end = now + holdMs;
  breaker.holdAskedAt = Math.max(breaker.holdAskedAt, askedAt);
  if (end <= breaker.holdUntil) return;
  breaker.holdMs = holdMs;
  breaker.holdUntil = end;
  if (breaker.state === 'open' && now < breaker.openUntil && end > breaker.openUntil) breaker.openUntil = end;
}

/** Applies what an outcome shows about the hold. A `retryAfterMs` of 0 changes nothing. */
export function observeHold(breaker: Breaker, { outcome, durationMs, retryAfterMs, timedOut }: Observation, now: number): void {
  if (outcome === 'neutral' || timedOut === true) return;
  const askedAt = now - durationMs;
  if (retryAfterMs !== undefined) return holdUntil(breaker, now + retryAfterMs, now, askedAt);
  if (!isLater(breaker, askedAt)) return;
  if (outcome === 'transient') breaker.holdMs = 0;
  else endHold(breaker);
}

/** Whether the request was sent after all that got a Retry-After. */
function isLater({ holdAskedAt }: Breaker, askedAt: number): boolean {
  return askedAt >= holdAskedAt + LATER_MS;
}

/** Another process of the fleet got a Retry-After: if this one gets it again, its hold may last twice as long. */
export function followHold(breaker: Breaker, holdMs: number, now: number): void {
  breaker.holdMs = Math.max(breaker.holdMs, holdMs);
  breaker.holdAskedAt = now;
}

export function endHold(breaker: Breaker): void {
  breaker.holdMs = 0;
  breaker.holdUntil = breaker.holdAskedAt = -Infinity;
}

/** Whether a hold is active. A circuit in shadow mode only observes, so it holds no calls. */
export function isHeld(breaker: Breaker, now: number): boolean {
  return now < breaker.holdUntil && breaker.mode !== 'shadow';
}

/** Remaining time of the active hold; undefined when there is none. */
export function heldMs(breaker: Breaker, now: number): number | undefined {
  return isHeld(breaker, now) ? waitMs(breaker.holdUntil, now) : undefined;
}
