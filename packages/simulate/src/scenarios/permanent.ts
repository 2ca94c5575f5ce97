/** Some calls are invalid; the service is healthy. They must not affect the other calls. */
import type { World } from '../world/world.ts';
import { always, searchWorld } from './base.ts';

export const permanent: World = searchWorld('permanent', '20 % of calls can never work (400), service healthy', [
  { service: 'search', ...always, kind: 'permanent', share: 0.2 },
]);
