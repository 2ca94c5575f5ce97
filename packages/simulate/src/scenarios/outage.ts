/** The service is down for about a minute and fails fast. */
import type { World } from '../world/world.ts';
import { aboutAMinute, searchWorld } from './base.ts';

export const outage: World = searchWorld('outage', 'Outage of about 60 s, answers 503 in 20 ms', [
  { service: 'search', ...aboutAMinute, kind: 'outage', status: 503, answerMs: 20 },
]);
