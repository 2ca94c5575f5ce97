import { describe, expect, it } from 'vitest';
import { missedIn, patience } from './judged.ts';

describe('adaptive, while the service is down', patience, () => {
  it('outage', () => expect(missedIn('outage', 'none', 'naive5')).toEqual([]));
  it('black hole', () => expect(missedIn('black_hole', 'none', 'finagle')).toEqual([]));
  it('flapping', () => expect(missedIn('flapping', 'none', 'naive5')).toEqual([]));
});
