/** Owns the check of what `backoffDelayMs` is given outside of the engine. */
import { backoffDelayMs as delayOf, type BackoffRequest } from '../engine/backoff/backoff.ts';
import { suggestRetryField } from '../engine/plain/suggest.ts';
import { checkFields } from '../engine/settings/check.ts';
import { count, delay, retryFields } from '../engine/settings/fields.ts';

/**
 * The delay before retry number `retry`, in milliseconds (docs/specification.md#s1-2-1, #s1-2-2).
 * @throws TypeError or RangeError for an invalid field
 */
export function backoffDelayMs(request: BackoffRequest): number {
  checkFields(
    {
      settings: (value, field, guess) => checkFields(retryFields, value, field, guess, needed),
      retry: count,
      random: ['a number, 0 or more and below 1', 0, 1],
      previousDelayMs: delay,
      retryAfterMs: delay,
    },
    request,
    'backoffDelayMs',
    suggestRetryField,
    ['settings', 'retry', 'random'],
  );
  return delayOf(request);
}

const needed: readonly string[] = ['strategy', 'initialDelayMs', 'maxDelayMs', 'multiplier', 'stepMs', 'jitter', 'jitterPercent'];
