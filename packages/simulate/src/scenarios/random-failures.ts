/** The service is up, but many requests fail by chance: opening a circuit would cost more than the fault. */
import type { World } from '../world/world.ts';
import { always, searchWorld } from './base.ts';

export const randomFailures: World = searchWorld('random_failures', '30 % of requests fail at random (503), all the time', [
  { service: 'search', ...always, kind: 'random_failures', share: 0.3, status: 503, answerMs: 20 },
]);
