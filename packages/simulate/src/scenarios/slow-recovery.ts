/** After a minute without answers the service comes back gradually: if all waiting calls started at once, it would go down again. */
import type { World } from '../world/world.ts';
import { aboutAMinute, searchWorld } from './base.ts';

export const slowRecovery: World = searchWorld('slow_recovery', 'Outage of about 60 s, then capacity grows from 10 % to all in 60 s', [
  // Cold caches and instances that start one by one: a minute is common.
  { service: 'search', ...aboutAMinute, recoverOverMs: 60_000, kind: 'outage' },
]);
