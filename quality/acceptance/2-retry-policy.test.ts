import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fails, gaps, scriptedTool } from './support/scripted-tool.ts';
import { stage } from './support/stage.ts';

const timeout = 'Connection timeout';
const flightSearch = { toolName: 'flight_search' };

describe('retry policy, in virtual time', () => {
  test('five attempts after 100, 200, 400 and 800 ms, each ± 10 %', { tags: ['S1-2.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails(timeout)]);
    const { service, of } = stage(system, [tool]);
    const result = await system.until(service.executeTool(flightSearch));

    const delays = gaps(tool.starts);
    expect(delays).toHaveLength(4);
    for (const [index, nominal] of [100, 200, 400, 800].entries()) {
      expect(delays[index]).toBeGreaterThanOrEqual(nominal * 0.9);
      expect(delays[index]).toBeLessThanOrEqual(nominal * 1.1);
      expect(of('RetryScheduled')[index]).toMatchObject({ attempt: index + 2 });
      expect(of('RetryScheduled')[index]?.delay_ms).toBeCloseTo(delays[index] ?? 0, 6);
    }
    expect(tool.starts).toHaveLength(5);
    expect(result).toMatchObject({ status: 'error', attempts: 5 });
  });

  test('the total of the delays is 1500 ms ± 150 ms at P95, whatever the seed', { tags: ['S1-2.1'] }, async () => {
    const deviations: number[] = [];
    for (let seed = 0; seed < 100; seed++) {
      const system = manualSystem();
      const tool = scriptedTool(system, 'flight_search', [fails(timeout)]);
      const { service } = stage(system, [tool], { seed });
      await system.until(service.executeTool(flightSearch));
      deviations.push(Math.abs((tool.starts.at(-1) ?? 0) - 1500));
    }
    expect(deviations.toSorted((a, b) => a - b)[94]).toBeLessThanOrEqual(150);
    expect(Math.max(...deviations)).toBeGreaterThan(0);
  });

  test('ten retries of 100 ms: all in [90 ms, 110 ms], at least 80 % unique, mean 100 ms ± 5 ms', { tags: ['S1-2.2'] }, async () => {
    const means: number[] = [];
    for (let seed = 0; seed < 40; seed++) {
      const system = manualSystem();
      const tool = scriptedTool(system, 'flight_search', [fails(timeout)], {
        retry: { strategy: 'constant_backoff', initialDelayMs: 100, maxAttempts: 11, maxTotalTimeMs: 10_000 },
        breaker: false,
      });
      const { service } = stage(system, [tool], { seed });
      await system.until(service.executeTool(flightSearch));
      const delays = gaps(tool.starts);
      expect(delays).toHaveLength(10);
      expect(delays.filter((delay) => delay >= 90 && delay <= 110)).toHaveLength(10);
      expect(new Set(delays).size).toBeGreaterThanOrEqual(8);
      means.push(delays.reduce((sum, delay) => sum + delay, 0) / delays.length);
    }
    // The mean of ten draws from [90, 110] deviates by more than 5 ms about once in 160 times.
    expect(means.filter((mean) => Math.abs(mean - 100) <= 5).length).toBeGreaterThanOrEqual(38);
    // Both ends of the range are reached: a jitter of ± 5 % would never get there.
    expect(Math.max(...means) - Math.min(...means)).toBeGreaterThan(4);
  });

  test('the jitter spreads over the whole range', { tags: ['S1-2.2'] }, async () => {
    const delays: number[] = [];
    for (let seed = 0; seed < 50; seed++) {
      const system = manualSystem();
      const tool = scriptedTool(system, 'flight_search', [fails(timeout)], { retry: { maxAttempts: 2 } });
      const { service } = stage(system, [tool], { seed });
      await system.until(service.executeTool(flightSearch));
      delays.push(...gaps(tool.starts));
    }
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(90);
    expect(Math.min(...delays)).toBeLessThan(92);
    expect(Math.max(...delays)).toBeLessThanOrEqual(110);
    expect(Math.max(...delays)).toBeGreaterThan(108);
  });

  test('after attempt 5 the error is returned and there is no attempt 6', { tags: ['S1-2.3'] }, async () => {
    const system = manualSystem();
    // Without the circuit, which would open at the fifth failure and hide what stopped the retries.
    const tool = scriptedTool(system, 'flight_search', [fails(timeout)], { breaker: false });
    const { service, of } = stage(system, [tool]);
    const result = await system.until(service.executeTool(flightSearch));
    expect(result).toMatchObject({
      status: 'error',
      attempts: 5,
      error: { message: 'Tool error: Connection timeout', stoppedBy: 'attempts' },
    });
    expect(of('RecoveryDecided').map(({ decision }) => decision.action)).toEqual(['retry', 'retry', 'retry', 'retry', 'escalate']);
    expect(of('RecoveryDecided').at(-1)?.message).toBe('Attempts exhausted (5 of 5)');
    await system.advance(3_600_000);
    expect(tool.starts).toHaveLength(5);
  });

  test('with all defaults there are also five attempts', { tags: ['S1-2.3'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails(timeout)]);
    const { service, of } = stage(system, [tool]);
    const result = await system.until(service.executeTool(flightSearch));
    await system.advance(3_600_000);
    expect(tool.starts).toHaveLength(5);
    expect(of('AttemptStarted').map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5]);
    expect(result).toMatchObject({ status: 'error', attempts: 5 });
  });

  /*
   * The clock of the total time starts at the first failure. With attempts of 600 ms and the default delays the attempts begin at about
   * 0, 700, 1500 and 2500 ms; a fifth would begin more than 2000 ms after the first failure at 600 ms.
   */
  test('attempts of 600 ms under a total of 2000 ms: attempt 4 is the last', { tags: ['S1-2.4'] }, async () => {
    for (let seed = 0; seed < 20; seed++) {
      const system = manualSystem();
      const tool = scriptedTool(system, 'flight_search', [fails(timeout, 600)], { retry: { maxTotalTimeMs: 2_000 } });
      const { service, of } = stage(system, [tool], { seed });
      const result = await system.until(service.executeTool(flightSearch));

      expect(tool.starts).toHaveLength(4);
      const firstFailure = 600;
      expect((tool.starts[3] ?? 0) - firstFailure).toBeLessThan(2_000);
      expect(of('RecoveryDecided').at(-1)?.message).toMatch(/^Retry time exhausted \(next attempt at \d+ of 2000 ms\)$/);
      expect(result).toMatchObject({ status: 'error', attempts: 4, error: { stoppedBy: 'budget' } });
      // The delay that no longer fits is not waited for: the error is returned when attempt 4 has failed.
      expect(result.executionTime).toBeCloseTo((tool.starts[3] ?? 0) + 600, 6);
      await system.advance(60_000);
      expect(tool.starts).toHaveLength(4);
    }
  });

  test('2000 ms is also the default, to the millisecond', { tags: ['S1-2.4'] }, async () => {
    const attempts = async (takesMs: number, maxTotalTimeMs?: number): Promise<number> => {
      const system = manualSystem();
      const retry = { jitterPercent: 0, ...(maxTotalTimeMs === undefined ? {} : { maxTotalTimeMs }) };
      const tool = scriptedTool(system, 'flight_search', [fails(timeout, takesMs)], { retry });
      const { service } = stage(system, [tool]);
      await system.until(service.executeTool(flightSearch));
      return tool.starts.length;
    };
    // Attempt 5 would begin 1500 ms of delays and three attempts after the first failure.
    expect(await attempts(166)).toBe(5);
    expect(await attempts(167)).toBe(4);
    expect(await attempts(600)).toBe(4);
    expect(await attempts(600, 5_000)).toBe(5);
  });

  test('initial_delay_ms 50, max_delay_ms 2000, max_attempts 3 replace the defaults', { tags: ['S1-2.5'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'custom_api', [fails(timeout)], { retry: { initialDelayMs: 50, maxDelayMs: 2_000, maxAttempts: 3 } });
    const other = scriptedTool(system, 'flight_search', [fails(timeout)]);
    const { service, of } = stage(system, [tool, other]);
    const result = await system.until(service.executeTool({ toolName: 'custom_api' }));
    const [first = 0, second = 0, ...more] = gaps(tool.starts);
    expect(first).toBeGreaterThanOrEqual(45);
    expect(first).toBeLessThanOrEqual(55);
    expect(second).toBeGreaterThanOrEqual(90);
    expect(second).toBeLessThanOrEqual(110);
    expect(more).toEqual([]);
    expect(result).toMatchObject({ status: 'error', attempts: 3, error: { stoppedBy: 'attempts' } });
    expect(of('RecoveryDecided').at(-1)?.message).toBe('Attempts exhausted (3 of 3)');

    await system.until(service.executeTool(flightSearch));
    expect(other.starts).toHaveLength(5);
  });

  test('without jitter the overridden delays are 50 ms and 100 ms exactly', { tags: ['S1-2.5'] }, async () => {
    const system = manualSystem();
    const retry = { initialDelayMs: 50, maxDelayMs: 2_000, maxAttempts: 3, jitterPercent: 0 };
    const tool = scriptedTool(system, 'custom_api', [fails(timeout)], { retry });
    const { service } = stage(system, [tool]);
    await system.until(service.executeTool({ toolName: 'custom_api' }));
    expect(tool.starts).toEqual([0, 50, 150]);
  });

  test('a raised max_delay_ms lets the delay grow past the default cap', { tags: ['S1-2.5'] }, async () => {
    const delaysUnder = async (maxDelayMs?: number): Promise<readonly number[]> => {
      const system = manualSystem();
      const retry = { jitterPercent: 0, maxAttempts: 7, maxTotalTimeMs: 60_000, ...(maxDelayMs === undefined ? {} : { maxDelayMs }) };
      const tool = scriptedTool(system, 'custom_api', [fails(timeout)], { retry, breaker: false });
      const { service } = stage(system, [tool]);
      await system.until(service.executeTool({ toolName: 'custom_api' }));
      return gaps(tool.starts);
    };
    expect(await delaysUnder()).toEqual([100, 200, 400, 800, 800, 800]);
    expect(await delaysUnder(2_000)).toEqual([100, 200, 400, 800, 1600, 2000]);
  });
});
