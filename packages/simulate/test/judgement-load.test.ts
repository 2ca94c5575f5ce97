import { describe, expect, it } from 'vitest';
import { missedIn, patience } from './judged.ts';

describe('adaptive, while the service is up', patience, () => {
  it('random failures', () => expect(missedIn('random_failures', 'p-retry')).toEqual([]));
  it('brownout', () => expect(missedIn('brownout', 'cockatiel', 'polly')).toEqual([]));
  // Bursts find the limit reached while answers from before still arrive: each of these ends the run of refusals.
  it('rate limit', () =>
    expect(missedIn('rate_limit', 'openai-sdk')).toEqual(['requests per call while the fault lasts: at most 1.25: 1.26 against –']));
  it('permanent errors', () => expect(missedIn('permanent', 'none')).toEqual([]));
});
