/** Nothing goes wrong: a policy must not be noticed. */
import type { World } from '../world/world.ts';
import { searchWorld } from './base.ts';

export const nominal: World = searchWorld('nominal', 'No fault', []);
