/** After a minute without answers the service comes back gradually: if all waiting calls started at once, it would go down again. */
import type { World } from '../world/world.ts';
import { aboutAMinute, searchWorld } from './base.ts';

export const slowRecovery: World = searchWorld('slow_recovery', 'Outage of about 60 s, then capacity grows from 10 % to all in 60 s', [
  // Instances that start one by one: a minute is common.
  { service: 'search', ...aboutAMinute, recoverOverMs: 60_000, kind: 'outage' },
]);

export const stepRecovery: World = searchWorld('step_recovery', 'Outage of about 60 s, then capacity at 10 %, 40 %, 70 % for 20 s each', [
  { service: 'search', ...aboutAMinute, recoverOverMs: 60_000, recoverSteps: 3, kind: 'outage' },
]);

export const coldCache: World = searchWorld('cold_cache', 'Outage of about 60 s, then four times as slow until 3,000 requests are served', [
  { service: 'search', ...aboutAMinute, coldCache: { factor: 4, requests: 3_000 }, kind: 'outage' },
]);
