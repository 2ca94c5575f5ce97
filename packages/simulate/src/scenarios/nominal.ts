/** No fault: a policy must have no visible effect. */
import type { World } from '../world/world.ts';
import { searchWorld } from './base.ts';

export const nominal: World = searchWorld('nominal', 'No fault', []);
