/** Owns what recorded attempts of a tool tell about it, and the worlds of the lab that are made of that. */
import type { ToolSettings } from '@holdfast/core';
import type { SeenAttempt } from '../whatif/observed.ts';
import type { ReadTurn } from '../whatif/read-turns.ts';
import type { Fault } from '../world/fault.ts';
import type { World } from '../world/world.ts';
import type { FittedTool } from './types.ts';

export interface Fit {
  readonly fitted: FittedTool;
  readonly worlds: readonly World[];
  /** Of attempts that succeeded. */
  readonly meanMs: number;
  readonly failures: number;
}

/** In order of their begin, on one clock. */
interface TimedAttempt {
  readonly at: number;
  readonly tookMs: number;
  readonly ok: boolean;
  readonly timedOut: boolean;
}

/** More calls per second tell nothing more, and take longer. */
const mostPerSecond = 10;
const callsPerRun = 500;

export function fitTool(turns: readonly ReadTurn[], tool: string, settings: ToolSettings): Fit {
  const attempts = timed(turns, tool);
  const calls = turns.reduce(
    (total, { recording }) => total + recording.graph.nodes.filter(({ call }) => call.toolName === tool).length,
    0,
  );
  const succeeded = attempts.filter(({ ok }) => ok).map(({ tookMs }) => tookMs);
  const latencies = succeeded.toSorted((one, other) => one - other);
  const outages = outagesOf(attempts);
  const usual = attempts.filter(({ at }) => !outages.some(({ from, to }) => at >= from && at <= to));
  const failures = attempts.filter(({ ok }) => !ok).length;
  const usualFailures = usual.filter(({ ok, timedOut }) => !ok && !timedOut).length;
  const activeMs = activeTime(attempts);
  const fitted: Omit<FittedTool, 'worlds'> = {
    calls,
    attempts: attempts.length,
    callsPerSecond: activeMs === 0 ? 0 : calls / (activeMs / 1_000),
    failureShare: usual.length === 0 ? 0 : usualFailures / usual.length,
    timeoutShare: attempts.length === 0 ? 0 : attempts.filter(({ timedOut }) => timedOut).length / attempts.length,
    p50Ms: quantile(latencies, 0.5),
    p95Ms: quantile(latencies, 0.95),
    p99Ms: quantile(latencies, 0.99),
    longestOutageMs: outages.reduce((longest, { from, to }) => Math.max(longest, to - from), 0),
  };
  const meanMs = latencies.length === 0 ? 0 : latencies.reduce((total, each) => total + each, 0) / latencies.length;
  const worlds = worldsOf({ ...fitted, worlds: [] }, latencies, tool, settings);
  return { fitted: { worlds: worlds.map(({ name }) => name), ...fitted }, worlds, meanMs, failures };
}

function timed(turns: readonly ReadTurn[], tool: string): readonly TimedAttempt[] {
  const found = turns.flatMap(({ beganAtEpochMs, seen }) =>
    seen
      .filter((each) => each.toolName === tool && isKnown(each))
      .map((each) => ({
        at: beganAtEpochMs + each.startedAt,
        tookMs: each.endedAt - each.startedAt,
        ok: each.outcome?.ok ?? false,
        timedOut: each.outcome === undefined,
      })),
  );
  return found.toSorted((one, other) => one.at - other.at);
}

/** One that was given up for another reason than its time limit tells nothing. */
const isKnown = ({ outcome, stressed }: SeenAttempt): boolean => outcome !== undefined || stressed;

const quietMs = 60_000;

/** Without the hours in which nobody called. */
function activeTime(attempts: readonly TimedAttempt[]): number {
  let active = 0;
  for (const [index, { at }] of attempts.entries()) {
    const before = attempts[index - 1];
    if (before) active += Math.min(at - before.at, quietMs);
  }
  return active;
}

const fewestInOutage = 5;

/** Runs of failures, at least five in a row. */
function outagesOf(attempts: readonly TimedAttempt[]): readonly { readonly from: number; readonly to: number }[] {
  const found: { from: number; to: number }[] = [];
  let run: TimedAttempt[] = [];
  const end = (): void => {
    const [first, last] = [run[0], run.at(-1)];
    if (run.length >= fewestInOutage && first && last) found.push({ from: first.at, to: last.at + last.tookMs });
    run = [];
  };
  for (const attempt of attempts) {
    if (attempt.ok) end();
    else run.push(attempt);
  }
  end();
  return found;
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

const steps = 100;

function worldsOf(fitted: FittedTool, latencies: readonly number[], tool: string, { effect, timeoutMs }: ToolSettings): readonly World[] {
  const ratePerSecond = Math.min(mostPerSecond, Math.max(0.05, fitted.callsPerSecond));
  const durationMs = Math.max(60_000, Math.round((callsPerRun / ratePerSecond) * 1_000));
  const valuesMs =
    latencies.length === 0 ? [100] : Array.from({ length: steps }, (_, index) => Math.max(1, quantile(latencies, (index + 0.5) / steps)));
  const busy = (ratePerSecond * Math.max(...valuesMs)) / 1_000;
  const world = (name: string, description: string, faults: readonly Fault[]): World => ({
    name,
    description,
    durationMs,
    agents: [{ count: 50, arrivals: { kind: 'open', ratePerSecond }, turn: [{ tool }], deadlineMs: 60_000 }],
    services: { [tool]: { servers: Math.max(10, Math.ceil(busy * 3)), latency: { kind: 'measured', valuesMs } } },
    tools: { [tool]: { service: tool, timeoutMs, ...(effect === undefined ? {} : { effect }) } },
    faults,
  });
  const always = { service: tool, fromMs: 0, forMs: durationMs + 60_000 } as const;
  const chance: readonly Fault[] =
    fitted.failureShare > 0 ? [{ ...always, kind: 'random_failures', share: Math.min(0.95, fitted.failureShare) }] : [];
  const downMs = Math.min(durationMs / 3, Math.max(fitted.longestOutageMs, 20_000));
  const down = { service: tool, fromMs: [durationMs / 4, durationMs / 3], forMs: downMs } as const;
  return [
    world('as usual', 'Failures by chance as often as recorded', chance),
    world('outage', 'As usual, and an outage as long as the longest recorded, or 20 s', [...chance, { ...down, kind: 'outage' }]),
    ...(fitted.timeoutShare > 0
      ? [world('silence', 'As usual, and no answers for a while', [...chance, { ...down, kind: 'black_hole' }])]
      : []),
  ];
}
