/** A suspended machine, or a blocked event loop: timers that were due fire late and together, and a deadline that has passed takes effect first. */
import type { TurnPlan, TurnResult } from '@holdfast/core';
import { ToolExecutionService } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fail, scripted } from '../../distributed/journal/scenes.ts';

const retry = { initialDelayMs: 200, jitter: 'none', maxTotalTimeMs: 60_000 } as const;
const tools = scripted({
  shaky: { takes: 10, retry, ends: () => fail('ECONNRESET') },
  slow: { takes: 400, concurrency: { limit: 1 } },
  mirrored: { takes: 5_000, effect: 'read', hedge: { afterMs: 300, maxHedges: 1 } },
  last: {},
});

interface Slept {
  readonly turn: TurnResult;
  readonly begun: readonly string[];
}

/** The machine is suspended after 100 ms, a second before the turn's deadline. */
async function asleepFor(sleepMs: number, plan: TurnPlan): Promise<Slept> {
  const system = manualSystem();
  const world = { begun: [], done: [] };
  const service = new ToolExecutionService({ tools: tools(system, world, 1), seed: 'seed', system });
  const turn = service.executeTurn({ turnId: 'turn', timeoutMs: 1_100, ...plan });
  await system.advance(100);
  system.sleep(sleepMs);
  return { turn: await system.until(turn), begun: world.begun };
}

describe('a turn whose machine is suspended past its deadline', () => {
  test.for([
    ['no retry', ['shaky'], { calls: [{ toolName: 'shaky' }] }],
    [
      'no call that waits for another',
      ['slow'],
      {
        calls: [
          { callId: 'A', toolName: 'slow' },
          { toolName: 'last', dependsOn: ['A'] },
        ],
      },
    ],
    ['no call that waits for a slot', ['slow'], { concurrency: 1, calls: [{ toolName: 'slow' }, { toolName: 'last' }] }],
    ['no call that waits for its tool', ['slow'], { calls: [{ toolName: 'slow' }, { toolName: 'slow' }] }],
    ['no hedge', ['mirrored'], { calls: [{ toolName: 'mirrored' }] }],
  ] as const)('starts %s on resuming', async ([, expected, plan]) => {
    const { turn, begun } = await asleepFor(60_000, plan);
    expect(begun).toEqual(expected);
    expect(turn).toMatchObject({ outcome: 'deadline', executionTime: 60_100 });
    expect(turn.results.map(({ status }) => status)).not.toContain('success');
    expect(turn.trace.filter(({ event_type }) => event_type === 'TurnDeadlineReached')).toHaveLength(1);
  });

  test('suspended for a shorter time, it continues with the late timers', async () => {
    const { turn, begun } = await asleepFor(700, {
      calls: [
        { callId: 'A', toolName: 'slow' },
        { toolName: 'last', dependsOn: ['A'] },
      ],
    });
    expect(begun).toEqual(['slow', 'last']);
    expect(turn).toMatchObject({ outcome: 'success', executionTime: 800 });
  });

  test('a caller who aborted meanwhile changes nothing', async () => {
    const system = manualSystem();
    const service = new ToolExecutionService({ tools: tools(system, { begun: [], done: [] }, 1), seed: 'seed', system });
    const cancel = new AbortController();
    const turn = service.executeTurn({ timeoutMs: 1_100, calls: [{ toolName: 'slow' }, { toolName: 'shaky' }] }, { signal: cancel.signal });
    await system.advance(100);
    system.sleep(60_000);
    cancel.abort();
    const { outcome, trace } = await system.until(turn);
    expect(outcome).toBe('deadline');
    expect(trace.map(({ event_type }) => event_type)).not.toContain('TurnCancelled');
  });
});
