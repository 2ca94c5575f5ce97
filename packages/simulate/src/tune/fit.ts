/** Owns what recorded attempts of a tool show about it, and the lab worlds built from that. */
import type { ToolSettings } from '@holdfast/core';
import type { ReadTurn } from '@holdfast/what-if';
import type { WorldFault } from '../world/fault.ts';
import type { RateLimit } from '../world/limit-types.ts';
import type { World } from '../world/world.ts';
import { activeTime, limitOf, outagesOf, timedAttempts } from './attempts.ts';
import type { FittedTool } from './types.ts';

export interface Fit {
  readonly fitted: FittedTool;
  readonly worlds: readonly World[];
  /** The worlds with an outage that was not recorded. */
  readonly assumed: ReadonlySet<World>;
  /** Durations of attempts that succeeded. */
  readonly meanMs: number;
  readonly failures: number;
}

/** More calls per second add no information, and take longer. */
const maxPerSecond = 10;
const callsPerRun = 500;

export function fitTool(turns: readonly ReadTurn[], tool: string, settings: ToolSettings): Fit {
  const attempts = timedAttempts(turns, tool);
  const calls = turns.reduce(
    (total, { recording }) => total + recording.graph.nodes.filter(({ call }) => call.toolName === tool).length,
    0,
  );
  const succeeded = attempts.filter(({ ok }) => ok).map(({ tookMs }) => tookMs);
  const latencies = succeeded.toSorted((one, other) => one - other);
  const outages = outagesOf(attempts);
  const usual = attempts.filter(({ at }) => !outages.some(({ from, to }) => at >= from && at <= to));
  const failures = attempts.filter(({ ok }) => !ok).length;
  const usualFailures = usual.filter(({ ok, timedOut, throttled }) => !ok && !timedOut && !throttled).length;
  const activeMs = activeTime(attempts);
  const share = (of: 'timedOut' | 'throttled'): number =>
    attempts.length === 0 ? 0 : attempts.filter((each) => each[of]).length / attempts.length;
  const fitted: Omit<FittedTool, 'worlds'> = {
    calls,
    attempts: attempts.length,
    callsPerSecond: activeMs === 0 ? 0 : calls / (activeMs / 1_000),
    failureShare: usual.length === 0 ? 0 : usualFailures / usual.length,
    timeoutShare: share('timedOut'),
    throttledShare: share('throttled'),
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
    p99Ms: quantile(latencies, 0.99),
    longestOutageMs: outages.reduce((longest, { from, to }) => Math.max(longest, to - from), 0),
  };
  const meanMs = latencies.length === 0 ? 0 : latencies.reduce((total, each) => total + each, 0) / latencies.length;
  const worlds = worldsOf({ ...fitted, worlds: [] }, { tool, settings, latencies, limit: limitOf(attempts) });
  const assumed = new Set(outages.length > 0 ? [] : worlds.filter(({ name }) => name === 'outage'));
  return { fitted: { worlds: worlds.map(({ name }) => name), ...fitted }, worlds, assumed, meanMs, failures };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

const steps = 100;

interface Known {
  readonly tool: string;
  readonly settings: ToolSettings;
  /** Durations of attempts that succeeded, sorted. */
  readonly latencies: readonly number[];
  readonly limit: RateLimit | undefined;
}

/** Of the fitted turns. */
const deadlineMs = 60_000;
/** Assumed when none was recorded. */
const assumedOutageMs = 20_000;

function worldsOf(fitted: FittedTool, { tool, settings: { effect, timeoutMs }, latencies, limit }: Known): readonly World[] {
  const ratePerSecond = Math.min(maxPerSecond, Math.max(0.05, fitted.callsPerSecond));
  const durationMs = Math.max(60_000, Math.round((callsPerRun / ratePerSecond) * 1_000));
  const valuesMs =
    latencies.length === 0 ? [100] : Array.from({ length: steps }, (_, index) => Math.max(1, quantile(latencies, (index + 0.5) / steps)));
  const busy = (ratePerSecond * Math.max(...valuesMs)) / 1_000;
  // With fewer calls in the lab than in the record, the limit is lowered in proportion.
  const scale = fitted.callsPerSecond > maxPerSecond ? maxPerSecond / fitted.callsPerSecond : 1;
  const rateLimit = limit && { limit: Math.max(1, Math.round(limit.limit * scale)), windowMs: limit.windowMs };
  const servers = Math.max(10, Math.ceil(busy * 3));
  const world = (name: string, description: string, faults: readonly WorldFault[]): World => ({
    name,
    description,
    durationMs,
    agents: [{ count: 50, arrivals: { kind: 'open', ratePerSecond }, turn: [{ toolName: tool }], deadlineMs }],
    services: { [tool]: { servers, latency: { kind: 'measured', valuesMs }, ...(rateLimit && { rateLimit }) } },
    // Without a limit of its own, that of the turn ends an attempt.
    tools: { [tool]: { service: tool, timeoutMs: Math.min(timeoutMs, deadlineMs), ...(effect === undefined ? {} : { effect }) } },
    faults,
  });
  const always = { service: tool, fromMs: 0, forMs: durationMs + 60_000 } as const;
  const chance: readonly WorldFault[] =
    fitted.failureShare > 0 ? [{ ...always, kind: 'random_failures', share: Math.min(0.95, fitted.failureShare) }] : [];
  const downMs = Math.min(durationMs / 3, fitted.longestOutageMs || assumedOutageMs);
  const down = { service: tool, fromMs: [durationMs / 4, durationMs / 3], forMs: downMs } as const;
  return [
    world('as usual', 'Failures by chance as often as recorded, and the limit of requests, where there is one', chance),
    world('outage', 'As usual, and an outage as long as the longest recorded; of 20 s where none was', [
      ...chance,
      { ...down, kind: 'outage' },
    ]),
    ...(fitted.timeoutShare > 0
      ? [world('silence', 'As usual, and no answers for a while', [...chance, { ...down, kind: 'black_hole' }])]
      : []),
  ];
}
