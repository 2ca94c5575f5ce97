import { describe, expect, it } from 'vitest';
import { missedIn, patience } from './judged.ts';

describe('adaptive, while the service is up', patience, () => {
  it('random failures', () => expect(missedIn('random_failures', 'p-retry')).toEqual([]));
  it('brownout', () => expect(missedIn('brownout', 'cockatiel', 'polly')).toEqual([]));
  it('rate limit', () => expect(missedIn('rate_limit', 'openai-sdk')).toEqual([]));
  it('permanent errors', () => expect(missedIn('permanent', 'none')).toEqual([]));
});
