/** Some calls are wrong in themselves; the service is healthy. Nothing they do may cost the others. */
import type { World } from '../world/world.ts';
import { always, searchWorld } from './base.ts';

export const permanent: World = searchWorld('permanent', '20 % of calls can never work (400), service healthy', [
  { service: 'search', ...always, kind: 'permanent', share: 0.2 },
]);
