/** The service is down for about a minute and never answers: every request takes its whole time limit. */
import type { World } from '../world/world.ts';
import { aboutAMinute, searchWorld } from './base.ts';

export const blackHole: World = searchWorld('black_hole', 'Outage of about 60 s, never answers (time limit 5 s)', [
  { service: 'search', ...aboutAMinute, kind: 'black_hole' },
]);
