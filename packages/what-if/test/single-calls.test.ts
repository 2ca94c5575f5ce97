/** Single calls, as MCP clients make them: recorded by a real service, and evaluated like turns. */
import { beforeAll, describe, expect, it } from 'vitest';
import { defineTool, ToolExecutionService, type ToolExecutionServiceOptions, type TraceEvent } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { whatIf } from '../src/index.ts';

type Traces = readonly (readonly TraceEvent[])[];

let runs = 0;

/** Calls one second apart; each fails once, and every fifth one twice. */
async function record(options: Partial<ToolExecutionServiceOptions> = {}): Promise<Traces> {
  const system = manualSystem();
  const search = defineTool({
    name: 'search',
    breaker: false,
    retry: { maxAttempts: 3, jitter: 'none' },
    run: (_args: unknown, { callId, attempt }) => {
      runs += 1;
      if (attempt <= (Number(callId) % 5 === 0 ? 2 : 1)) throw Object.assign(new Error('HTTP 503'), { status: 503 });
      return 'found';
    },
  });
  const service = new ToolExecutionService({ tools: [search], system, seed: 'seed', ...options });
  const traces = new Map<string, TraceEvent[]>();
  service.subscribe((event) => void traces.set(event.turn_id, [...(traces.get(event.turn_id) ?? []), event]));
  for (let index = 0; index < 10; index++) {
    await system.until(service.executeTool({ toolName: 'search', callId: String(index) }));
    await system.advance(1_000);
  }
  return [...traces.values()].map((events) => JSON.parse(JSON.stringify(events)) as readonly TraceEvent[]);
}

let traces: Traces;
beforeAll(async () => {
  traces = await record();
});

it('no tool runs', () => {
  const before = runs;
  expect(whatIf(traces, { policy: { retry: { maxAttempts: 9 } } }).total.calls).toBe(10);
  expect([before > 0, runs - before]).toEqual([true, 0]);
});

describe('a what-if over single calls', () => {
  it('gives the recorded figures for the recorded settings', () => {
    const { total, whole, leftOut } = whatIf(traces, { policy: { retry: { maxAttempts: 3 } } });
    expect(leftOut).toEqual([]);
    expect(total).toMatchObject({ calls: 10, observedShare: 1, recorded: { succeeded: 10, requests: 22, retries: 12 } });
    expect(total.changed).toMatchObject({ succeeded: { low: 10, high: 10 }, requests: { low: 22, high: 22 } });
    expect(whole).toMatchObject({ recorded: 10, changed: { low: 10, high: 10 } });
  });

  it('is exact for fewer attempts, and a range for more', async () => {
    const two = whatIf(traces, { tools: { search: { retry: { maxAttempts: 2 } } } });
    expect(two.total.changed).toMatchObject({ succeeded: { low: 8, high: 8 }, requests: { low: 20, high: 20 } });
    const failed = await record({ tools: [] });
    expect(whatIf(failed, { policy: { timeoutMs: 5 } }).total.changed.failed).toEqual({ low: 10, high: 10 });
    const once = whatIf(traces, { policy: { timeoutMs: 1 } });
    expect(once.total.calls).toBe(10);
  });

  it('does not know what a new alternative does that no record names', async () => {
    const failed = await record({
      tools: [defineTool({ name: 'search', retry: { maxAttempts: 1 }, run: () => Promise.reject(new Error('down')) })],
    });
    const { total } = whatIf(failed, { tools: { search: { alternatives: ['backup'] } } });
    expect(total.recorded.succeeded).toBe(0);
    expect(total.changed.succeeded).toEqual({ low: 0, high: 10 });
    const unchanged = whatIf(failed, { tools: { search: { timeoutMs: 1_000 } } });
    expect(unchanged.total.changed.succeeded).toEqual({ low: 0, high: 0 });
  });

  it('says that settings of turns do not change them', () => {
    const { assumptions, total } = whatIf(traces, { turn: { timeoutMs: 1 } });
    expect(total.changed.succeeded).toEqual({ low: 10, high: 10 });
    expect(assumptions.at(-1)).toBe('The time limit and the concurrency of turns do not change the 10 single calls.');
    expect(whatIf(traces, { turn: { concurrency: 1 } }).assumptions).toEqual(assumptions);
    expect(whatIf(traces, { turn: { maxRetries: 1 } }).total.changed.succeeded).toEqual({ low: 8, high: 8 });
  });

  it('leaves out one that never ended', () => {
    const [first = []] = traces;
    expect(whatIf([first.slice(0, -1)], {}).leftOut).toMatchObject([{ reason: 'interrupted' }]);
  });
});
