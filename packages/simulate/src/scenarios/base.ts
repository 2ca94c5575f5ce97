/** Owns the world that most scenarios share: 200 agents, one service, and spare capacity until a fault begins. */
import type { AgentGroup, Service, World } from '../world/world.ts';
import type { Drawn, WorldFault } from '../world/fault.ts';

/** Long enough for a fault of two minutes, the time before it and its aftermath. */
export const DURATION_MS = 350_000;

/** 30 servers with 200 ms each serve 150 requests per second: 1.5 times the demand. */
export const searchService: Service = {
  servers: 30,
  // At 150 per second a full queue takes 13 s: far longer than any caller waits for an answer.
  queue: 2_000,
  // Skewed like real services: the slowest percent takes nearly three times the mean.
  latency: { kind: 'lognormal', meanMs: 200, p99Ms: 550 },
};

/** 100 calls per second, one per turn. Callers wait at most a minute for a turn. */
export const searchers: AgentGroup = {
  count: 200,
  arrivals: { kind: 'open', ratePerSecond: 100 },
  turn: [{ toolName: 'search' }],
  deadlineMs: 60_000,
};

interface Span {
  readonly fromMs: Drawn;
  readonly forMs: Drawn;
}

/** Drawn per seed, so that no policy's timing matches it by chance. */
export const aboutAMinute: Span = { fromMs: [100_000, 120_000], forMs: [54_000, 66_000] };
export const aboutTwoMinutes: Span = { fromMs: [100_000, 120_000], forMs: [108_000, 132_000] };
/** The whole time, including calls at the very end. */
export const always: Span = { fromMs: 0, forMs: DURATION_MS + 60_000 };

export function searchWorld(name: string, description: string, faults: readonly WorldFault[], changes: Partial<World> = {}): World {
  return {
    name,
    description,
    durationMs: DURATION_MS,
    agents: [searchers],
    services: { search: searchService },
    // The engine's own time limit is 30 s; clients of services that answer in 200 ms wait 5 s.
    tools: { search: { service: 'search', effect: 'read', timeoutMs: 5_000 } },
    faults,
    ...changes,
  };
}
