/** Retry-After headers that are not true: a policy that believes them for all callers closes a tool that works. */
import type { World } from '../world/world.ts';
import { aboutAMinute, always, searchWorld } from './base.ts';

export const hugeHint: World = searchWorld('huge_hint', 'Outage of about 60 s whose answers say Retry-After: 3600', [
  { service: 'search', ...aboutAMinute, kind: 'outage', retryAfterS: 3_600 },
]);

export const shortHint: World = searchWorld('short_hint', 'Outage of about 60 s whose answers say Retry-After: 2', [
  { service: 'search', ...aboutAMinute, kind: 'outage', retryAfterS: 2 },
]);

export const zeroHint: World = searchWorld('zero_hint', 'Outage of about 60 s whose answers say Retry-After: 0', [
  { service: 'search', ...aboutAMinute, kind: 'outage', retryAfterS: 0 },
]);

export const strayHint: World = searchWorld('stray_hint', 'A healthy service; 1 of 2,000 answers is a 503 with Retry-After: 120', [
  { service: 'search', ...always, kind: 'random_failures', share: 1 / 2_000, retryAfterS: 120 },
]);
