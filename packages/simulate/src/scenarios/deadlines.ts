/** The same outage for agents that wait 5 s, ten minutes or an hour. */
import type { World } from '../world/world.ts';
import { aboutAMinute, searchers, searchWorld } from './base.ts';

const waiting = (name: string, words: string, deadlineMs: number): World =>
  searchWorld(name, `Outage of about 60 s; turns have ${words}`, [{ service: 'search', ...aboutAMinute, kind: 'outage' }], {
    agents: [{ ...searchers, deadlineMs }],
  });

export const hastyTurns: World = waiting('hasty_turns', '5 s', 5_000);
export const longTurns: World = waiting('long_turns', '10 minutes', 600_000);
export const hourTurns: World = waiting('hour_turns', 'an hour', 3_600_000);
