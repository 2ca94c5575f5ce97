/** Agents that call again after thinking: what fails at once comes back sooner, and what waits does less work. */
import type { AgentGroup, World } from '../world/world.ts';
import { aboutAMinute, aboutTwoMinutes, searchWorld } from './base.ts';

/** 200 agents with a call of 200 ms every 2 s: 100 per second. */
const loops: AgentGroup = {
  count: 200,
  arrivals: { kind: 'closed', think: { kind: 'exponential', meanMs: 1_800 } },
  turn: [{ toolName: 'search' }],
  deadlineMs: 60_000,
};

export const closedOutage: World = searchWorld(
  'closed_outage',
  'Agents that call again after thinking; outage of about 60 s',
  [{ service: 'search', ...aboutAMinute, kind: 'outage' }],
  { agents: [loops] },
);

export const closedOverload: World = searchWorld(
  'closed_overload',
  'Agents that call again after thinking; capacity at 15 % for about 120 s',
  [{ service: 'search', ...aboutTwoMinutes, kind: 'brownout', capacity: 0.15 }],
  // 22 per second: when all 200 wait, the last of them waits for 9 s.
  { agents: [loops] },
);
