import { describe, expect, it } from 'vitest';
import { tune } from '../../src/index.ts';
import { history, smallWorld } from '../whatif/lab-support.ts';

const world = smallWorld([{ service: 'search', fromMs: 0, forMs: 90_000, kind: 'random_failures', share: 0.2 }]);
const { traces } = history(world, { profile: 'spec', policy: { retry: { maxAttempts: 1 }, breaker: false } }, 'tuned');
const few = { toolName: 'search', traces, seeds: 1, maxCandidates: 14, maxTurns: 30 } as const;

const found = tune(few);

describe('tuning a tool that fails at random and has one attempt', () => {
  it('recommends settings with more success, with a reason and a confidence', async () => {
    const { recommended, current, points, fitted } = await found;
    expect(fitted.failureShare).toBeGreaterThan(0.1);
    expect(fitted.failureShare).toBeLessThan(0.3);
    expect(current.words).toEqual([]);
    expect(points).toContain(current);
    expect(recommended?.point.lab.success).toBeGreaterThan(current.lab.success + 0.05);
    expect(recommended?.point.words.join()).toContain('→');
    expect(recommended?.reason).toContain('successful calls');
    expect(recommended?.because.length).toBeGreaterThan(1);
    expect(recommended?.point.onFront).toBe(true);
  });

  it('gives the same result for the same input', async () => {
    expect(await tune(few)).toEqual(await found);
  });

  it('has the undominated points on its front, with their figures on the record', async () => {
    const { points } = await found;
    const front = points.filter(({ onFront }) => onFront);
    expect(front.length).toBeGreaterThan(0);
    for (const { lab, history: figures } of front) {
      expect(figures?.success.low).toBeLessThanOrEqual(figures?.success.high ?? -1);
      expect(
        points.some(
          (other) =>
            other.lab.success > lab.success + 0.01 &&
            other.lab.requestsPerCall < lab.requestsPerCall - 0.02 &&
            other.lab.addedLatencyMs < lab.addedLatencyMs - 10,
        ),
      ).toBe(false);
    }
  });

  it('tries at most the allowed number of candidates, and reports progress', async () => {
    const stages: string[] = [];
    const { points, cancelled } = await tune({
      ...few,
      maxCandidates: 4,
      onProgress: ({ stage, done, total }) => stages.push(`${stage} ${done}/${total}`),
    });
    expect(points).toHaveLength(4);
    expect(cancelled).toBe(false);
    expect(stages.slice(0, 4)).toEqual(['lab 1/4', 'lab 2/4', 'lab 3/4', 'lab 4/4']);
    expect(stages.at(-1)).toMatch(/^history/);
  });

  it('ends when it is cancelled, with the results so far', async () => {
    let checks = 0;
    const { points, cancelled } = await tune({ ...few, isCancelled: () => (checks += 1) > 3 });
    expect(cancelled).toBe(true);
    expect(points.length).toBeGreaterThan(0);
    expect(points.length).toBeLessThan(8);
  });

  it('names the known tools for an unknown one', async () => {
    await expect(tune({ ...few, toolName: 'serach' })).rejects.toThrow(
      "tune: no recorded turn plans a call of 'serach'. Name one of search",
    );
  });
});
