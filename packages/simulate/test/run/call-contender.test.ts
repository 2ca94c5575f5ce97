import { describe, expect, it } from 'vitest';
import type { LabCall, World } from '../../src/index.ts';
import { callContender, scenarios, simulate } from '../../src/index.ts';

/** One agent, turns of `a`, then `b` and `c`, then `d`; `c` is optional. Services answer in 100 ms. */
const world: World = {
  ...scenarios.cascade,
  durationMs: 1_000,
  agents: [
    {
      count: 1,
      arrivals: { kind: 'closed', think: { kind: 'constant', ms: 10_000 } },
      turn: [
        { toolName: 'locate', callId: 'a' },
        { toolName: 'locate', callId: 'b', dependsOn: ['a'] },
        { toolName: 'locate', callId: 'c', dependsOn: ['a'], optional: true },
        { toolName: 'locate', callId: 'd', dependsOn: ['b'] },
      ],
      deadlineMs: 1_000,
    },
  ],
};

// The first turn begins within the think time, so the world is made longer by it.
const long = { ...world, durationMs: 10_000 };

function play(fails: readonly string[], hangs: readonly string[] = []) {
  const log: string[] = [];
  let begunAt = 0;
  const contender = callContender({
    name: 'log',
    start: (run) => (call: LabCall, turn, done) => {
      begunAt = turn.startedAt;
      const note = (what: string): void => void log.push(`${call.plan.id} ${what} ${Math.round(run.now() - begunAt)}`);
      note('begins');
      if (hangs.includes(call.plan.id)) return () => note('is given up');
      run.setTimer(100, () => done(!fails.includes(call.plan.id)));
      return undefined;
    },
  });
  return { metrics: simulate(long, contender, '1'), log };
}

describe('a turn of single calls', () => {
  it('begins each call when its dependencies have succeeded', () => {
    const { metrics, log } = play([]);
    expect(log).toEqual(['a begins 0', 'b begins 100', 'c begins 100', 'd begins 200']);
    expect(metrics.success).toBe(1);
    expect(metrics.meanMs).toBeCloseTo(300);
  });

  it('does not run the dependants of a failure', () => {
    const { metrics, log } = play(['b']);
    expect(log).toEqual(['a begins 0', 'b begins 100', 'c begins 100']);
    expect([metrics.success, metrics.partialTurns, metrics.callSuccess]).toEqual([0, 1, 0.5]);
    expect(play(['a']).metrics.partialTurns).toBe(0);
  });

  it('succeeds without optional calls', () => {
    expect(play(['c']).metrics.success).toBe(1);
  });

  it('is aborted at its deadline', () => {
    const { metrics, log } = play([], ['b']);
    expect(log).toEqual(['a begins 0', 'b begins 100', 'c begins 100', 'b is given up 1000']);
    expect(metrics.failedWaitMs).toBeCloseTo(1_000);
  });
});
