/**
 * Owns worlds that nobody has seen: drawn from a seed out of every family of faults, loads, latencies, limits and topologies that the lab knows.
 *
 * 1. The same seed gives the same world.
 * 2. The cost is bounded: at most 100 calls per second, at most 300 seconds.
 */
import type { AgentGroup, Arrivals, Burst, Distribution, Service, World, WorldFault, WorldTool } from '@holdfast/simulate';
import { createDraw, type Draw } from './draw.ts';
import { drawFault } from './fault.ts';

/** Limits of generated worlds. */
export interface Size {
  /** @default 300_000 */
  readonly durationMs?: number;
  /** @default 100 */
  readonly callsPerSecond?: number;
}

/** Smaller worlds of the same families, for many in a short time. */
export const small: Size = { durationMs: 100_000, callsPerSecond: 30 };

export function randomWorld(seed: string, { durationMs: longest = 300_000, callsPerSecond = 100 }: Size = {}): World {
  const draw = createDraw(seed);
  const durationMs = Math.round(draw.uniform(0.7, 1) * longest);
  const latencyMs = draw.weighted(
    [14, draw.logUniform(20, 2_000)],
    [2, draw.logUniform(5_000, 30_000)],
    [1, draw.logUniform(60_000, 600_000)],
  );
  const load = draw.weighted([3, draw.uniform(0.2, 0.7)], [3, draw.uniform(0.7, 0.95)], [1, draw.uniform(0.95, 1.15)]);
  const { service, ratePerSecond } = drawService(draw, latencyMs, load, callsPerSecond);
  const tool = drawTool(draw, latencyMs);
  const hasOther = draw.chance(0.08);
  const twoCalls = draw.chance(0.15);
  const group: AgentGroup = {
    ...drawArrivals(draw, twoCalls ? ratePerSecond / 2 : ratePerSecond, latencyMs),
    turn: twoCalls ? [{ toolName: 'tool' }, { toolName: 'tool', callId: 'then', dependsOn: ['tool-1'] }] : [{ toolName: 'tool' }],
    deadlineMs: drawDeadline(draw, latencyMs),
  };
  const count = draw.weighted([1, 0], [4, 1], [3, 2], [2, 3]);
  const drawn = Array.from({ length: count }, () => drawFault(draw, { durationMs, rate: ratePerSecond, service }));
  const poisoned = draw.chance(0.12) ? [drawPoisoned(draw, group, ratePerSecond)] : [];
  return rounded({
    name: `random ${seed}`,
    durationMs,
    processes: draw.pick([1, 10, 60, 200]),
    agents: [group, ...poisoned],
    services: { service, ...(hasOther && { other: service }) },
    tools: { tool: { ...tool, ...(hasOther && { alternatives: ['other'] }) }, ...(hasOther && { other: { ...tool, service: 'other' } }) },
    faults: [...drawn, ...poisoned.map((): WorldFault => poison(draw, durationMs))],
  });
}

/** Four digits say enough, and can be read. */
function rounded(world: World): World {
  const round = (value: unknown): unknown => {
    if (typeof value === 'number') return Number(value.toPrecision(4));
    if (Array.isArray(value)) return value.map(round);
    return value !== null && typeof value === 'object'
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, round(each)]))
      : value;
  };
  return round(world) as World;
}

/** One caller in its process, or a few in all of them. */
function drawPoisoned(draw: Draw, group: AgentGroup, ratePerSecond: number): AgentGroup {
  const rate = ratePerSecond * draw.logUniform(0.005, 0.2);
  const arrivals = draw.weighted<Arrivals>(
    [1, { kind: 'open', ratePerSecond: rate }],
    [1, { kind: 'closed', think: { kind: 'exponential', meanMs: 1_000 / rate } }],
  );
  return { ...group, count: 1, arrivals };
}

/** Whatever they ask for, the service breaks. */
function poison(draw: Draw, durationMs: number): WorldFault {
  return { service: 'service', fromMs: 0, forMs: durationMs, kind: 'permanent', group: 1, share: 1, status: draw.pick([500, 503, 400]) };
}

function drawLatency(draw: Draw, meanMs: number): Distribution {
  return draw.weighted<() => Distribution>(
    [1, () => ({ kind: 'constant', ms: meanMs })],
    [1, () => ({ kind: 'exponential', meanMs })],
    [4, () => ({ kind: 'lognormal', meanMs, p99Ms: meanMs * draw.uniform(2, 12) })],
  )();
}

/** As many servers as a share of the capacity needs, then the rate that is exactly that share. */
function drawService(
  draw: Draw,
  latencyMs: number,
  load: number,
  most: number,
): { readonly service: Service; readonly ratePerSecond: number } {
  const replicas = draw.weighted([6, 1], [2, 2], [2, 3], [1, 5]);
  const wanted = draw.logUniform(most / 30, most);
  const servers = Math.max(1, Math.round((wanted * latencyMs) / 1_000 / load / replicas));
  const capacity = (servers * replicas * 1_000) / latencyMs;
  const queueS = draw.weighted([1, 0], [4, draw.logUniform(0.5, 30)]);
  return {
    service: { servers, replicas, queue: Math.round((capacity / replicas) * queueS), latency: drawLatency(draw, latencyMs) },
    ratePerSecond: Math.min(most, capacity * load),
  };
}

function drawTool(draw: Draw, latencyMs: number): WorldTool {
  const timeoutMs = draw.chance(0.3) ? Infinity : Math.round(latencyMs * draw.logUniform(3, 60));
  return { service: 'service', effect: draw.weighted([6, 'read' as const], [2, 'idempotent'], [2, 'unsafe']), timeoutMs };
}

function drawDeadline(draw: Draw, latencyMs: number): number {
  const least = latencyMs * 5;
  const all = [5_000, 20_000, 60_000, 60_000, 600_000, 3_600_000].filter((each) => each >= least) as [number, ...number[]];
  return draw.pick(all);
}

function drawArrivals(draw: Draw, ratePerSecond: number, latencyMs: number): { readonly count: number; readonly arrivals: Arrivals } {
  return draw.weighted<() => { readonly count: number; readonly arrivals: Arrivals }>(
    [5, () => ({ count: 200, arrivals: { kind: 'open', ratePerSecond } })],
    [2, () => ({ count: 200, arrivals: { kind: 'open', ratePerSecond, burst: drawBurst(draw, ratePerSecond) } })],
    [
      2,
      () => {
        // An agent that fails at once is back after its think time: at most three times the usual rate.
        const meanMs = Math.max(1_000, latencyMs / 2) * draw.uniform(1, 5);
        return {
          count: Math.max(1, Math.round((ratePerSecond * (meanMs + latencyMs)) / 1_000)),
          arrivals: { kind: 'closed', think: { kind: 'exponential', meanMs } },
        };
      },
    ],
  )();
}

function drawBurst(draw: Draw, ratePerSecond: number): Burst {
  const everyMs = draw.uniform(10_000, 60_000);
  const share = draw.uniform(0.1, 0.4);
  return {
    every: { kind: 'constant', ms: everyMs },
    lasts: { kind: 'constant', ms: everyMs * share },
    ratePerSecond: ratePerSecond * draw.uniform(1.1, Math.min(3, 0.95 / share)),
  };
}
