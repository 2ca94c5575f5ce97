import { describe, expect, it } from 'vitest';
import { missedIn, patience } from './judged.ts';

describe('adaptive, when a service is gone', patience, () => {
  it('outage', () => expect(missedIn('outage', 'none', 'naive5')).toEqual([]));
  it('black hole', () => expect(missedIn('black_hole', 'none', 'finagle')).toEqual([]));
  it('flapping', () => expect(missedIn('flapping', 'none', 'naive5')).toEqual([]));
});
