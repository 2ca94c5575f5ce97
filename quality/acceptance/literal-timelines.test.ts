/**
 * What happens under the timelines of the specifications to the letter, where they disagree with each other: the figures of `docs/specification.md`
 * ("Literal timelines").
 */
import type { ToolResult } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { expect, test } from 'vitest';
import type { ScriptedToolOptions, Step } from './support/scripted-tool.ts';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const exact = { jitterPercent: 0 } as const;

async function timeline(steps: readonly Step[], policy: ScriptedToolOptions): Promise<{ starts: readonly number[]; result: ToolResult }> {
  const clock = manualSystem();
  const tool = scriptedTool(clock, 'flight_search', steps, policy);
  const { service } = stage(clock, [tool]);
  return { result: await clock.until(service.executeTool({ toolName: 'flight_search' })), starts: tool.starts };
}

test('S1 2.4: delays of 600 ms give the literal timeline, 0, 600, 1200, 1800, and a total of 1800 ms', { tags: ['S1-2.4'] }, async () => {
  const retry = { ...exact, strategy: 'constant_backoff', initialDelayMs: 600, maxTotalTimeMs: 2_000 } as const;
  const { starts, result } = await timeline([fails('Connection timeout')], { retry });
  expect(starts).toEqual([0, 600, 1_200, 1_800]);
  expect(result).toMatchObject({ attempts: 4, executionTime: 1_800, error: { stoppedBy: 'budget' } });
});

test('S1 2.4: attempts of 600 ms and the default delays are four, at 0, 700, 1500 and 2500', { tags: ['S1-2.4'] }, async () => {
  const { starts, result } = await timeline([fails('Connection timeout', 600)], { retry: exact });
  expect(starts).toEqual([0, 700, 1_500, 2_500]);
  expect(result).toMatchObject({ attempts: 4, executionTime: 3_100, error: { stoppedBy: 'budget' } });
});

test('S1 2.4: attempts of 600 ms without delays are five with 2000 ms, and four with 1400 ms', { tags: ['S1-2.4'] }, async () => {
  const retry = { ...exact, initialDelayMs: 0 };
  const five = await timeline([fails('Connection timeout', 600)], { retry, breaker: false });
  expect(five.starts).toEqual([0, 600, 1_200, 1_800, 2_400]);
  const four = await timeline([fails('Connection timeout', 600)], { retry: { ...retry, maxTotalTimeMs: 1_400 }, breaker: false });
  expect(four.starts).toEqual([0, 600, 1_200, 1_800]);
});

test('S0 4.1: under the defaults a tool that hangs is started twice; five times with time for retries', { tags: ['S0-4.1'] }, async () => {
  const byDefault = await timeline([hangs], { retry: exact });
  expect(byDefault.starts).toEqual([0, 30_100]);
  expect(byDefault.result).toMatchObject({ status: 'timeout', attempts: 2, executionTime: 60_100, error: { stoppedBy: 'budget' } });
  const { starts, result } = await timeline([hangs], { retry: { ...exact, maxTotalTimeMs: 300_000 } });
  expect(starts).toEqual([0, 30_100, 60_300, 90_700, 121_500]);
  expect(result).toMatchObject({ status: 'timeout', attempts: 5, error: { stoppedBy: 'circuit' } });
});

test(
  'S1 7.4: with 30 s for the tool, attempt 2 ends at 55 s; by default a running attempt is left running at 60 s',
  { tags: ['S1-7.4'] },
  async () => {
    const clock = manualSystem();
    const retry = { initialDelayMs: 0, maxTotalTimeMs: 300_000 };
    const tool = scriptedTool(clock, 'flight_search', [fails('Connection reset', 25_000), hangs], { timeoutMs: 30_000, retry });
    const hotels = scriptedTool(clock, 'hotel_search', [succeeds('Ritz')]);
    const { service } = stage(clock, [tool, hotels]);
    const calls = [{ toolName: 'flight_search' }, { toolName: 'hotel_search' }];
    const { outcome, executionTime, results } = await clock.until(service.executeTurn({ timeoutMs: 60_000, calls }));
    expect([outcome, executionTime]).toEqual(['deadline', 60_000]);
    expect(tool.starts).toEqual([0, 25_000, 55_000]);
    expect(tool.aborts).toEqual([55_000]);
    expect(results).toMatchObject([{ status: 'timeout', attempts: 3, error: { code: 'TURN_DEADLINE' } }, { status: 'success' }]);
    // Attempt 3 has its own 30 s, and its result would no longer be delivered.
    await clock.advance(25_000);
    expect(tool.aborts).toEqual([55_000, 85_000]);
    expect(tool.starts).toHaveLength(3);
  },
);
