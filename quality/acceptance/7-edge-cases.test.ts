import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf, stage } from './support/stage.ts';

const flightSearch = { callId: 'flights', toolName: 'flight_search' };

describe('rapid failures', () => {
  test('two calls that could fail ten times: five are retried, five never happen', { tags: ['S1-7.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Connection timeout')]);
    const { service, of } = stage(system, [tool]);
    const first = await system.until(service.executeTool({ ...flightSearch, callId: 'first' }));
    const second = await system.until(service.executeTool({ ...flightSearch, callId: 'second' }));

    expect(of('ToolError').map(({ call_id, decision }) => [call_id, decision])).toEqual([
      ['first', 'retry'],
      ['first', 'retry'],
      ['first', 'retry'],
      ['first', 'retry'],
      ['first', 'escalate'],
    ]);
    for (const [index, gap] of gaps(tool.starts).entries()) expect(gap).toBeGreaterThanOrEqual(90 * 2 ** index);
    expect(first).toMatchObject({ status: 'error', attempts: 5 });
    expect(second).toMatchObject({ status: 'error', attempts: 0, executionTime: 0, error: { code: 'CIRCUIT_OPEN' } });
    expect(tool.starts).toHaveLength(5);
    expect(service.getToolHealth('flight_search')).toMatchObject({ circuit: 'open', failureCount: 5 });
  });

  test('ten calls of one attempt: after five the circuit is open and no tool is run', { tags: ['S1-7.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Connection timeout')], { retry: { maxAttempts: 1 } });
    const { service } = stage(system, [tool]);
    const codes: (string | undefined)[] = [];
    for (let call = 0; call < 10; call++) codes.push((await service.executeTool(flightSearch)).error?.code);
    expect(codes).toEqual([...Array.from({ length: 5 }, () => 'TIMEOUT'), ...Array.from({ length: 5 }, () => 'CIRCUIT_OPEN')]);
    expect(tool.starts).toHaveLength(5);
    expect(service.getToolHealth('flight_search')?.circuit).toBe('open');
  });

  test('two concurrent calls share the count, and both stop when it is reached', { tags: ['S1-7.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Connection timeout')]);
    const { service, of } = stage(system, [tool]);
    const results = await system.until(service.executeToolBatch([{ toolName: 'flight_search' }, { toolName: 'flight_search' }]));
    expect(tool.starts).toHaveLength(5);
    for (const { error } of results) expect(error).toMatchObject({ stoppedBy: 'circuit', message: 'Tool error: Connection timeout' });
    expect(of('CircuitBreakerOpened')).toHaveLength(1);
    await system.advance(29_000);
    expect(tool.starts).toHaveLength(5);
  });
});

describe('mixed errors', () => {
  test('transient: retried, permanent: escalated, transient: retried; the counter is 1', { tags: ['S1-7.2'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Timeout'), fails('Invalid input'), fails('Rate limit'), succeeds()]);
    const { service, of } = stage(system, [tool]);
    const count = (): number | undefined => service.getToolHealth('flight_search')?.failureCount;

    const first = service.executeTool({ ...flightSearch, callId: 'first' });
    await system.settle();
    expect(count()).toBe(1);
    await system.advance(110);
    expect(await first).toMatchObject({ status: 'error', attempts: 2, error: { classification: 'permanent' } });

    const second = service.executeTool({ ...flightSearch, callId: 'second' });
    await system.settle();
    expect(tool.starts).toHaveLength(3);
    expect(count()).toBe(1);
    expect(service.getToolHealth('flight_search')?.circuit).toBe('closed');
    await system.advance(110);
    expect(await second).toMatchObject({ status: 'success', attempts: 2 });
    expect(of('ToolError').map(({ classification, decision }) => [classification, decision])).toEqual([
      ['transient', 'retry'],
      ['permanent', 'escalate'],
      ['transient', 'retry'],
    ]);
    expect(count()).toBe(0);
  });
});

describe('timeouts during a retry', () => {
  /** As in the conditions, the retry begins at once, at t = 25 s. */
  const immediately = { initialDelayMs: 0, maxTotalTimeMs: 300_000 };
  const turn = { timeoutMs: 60_000, calls: [flightSearch, { callId: 'hotels', toolName: 'hotel_search' }] };

  test('attempt 2, started at t = 25 s, is terminated at t = 55 s, and the turn ends at t = 60 s', { tags: ['S1-7.3'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Connection reset', 25_000), hangs], {
      timeoutMs: 30_000,
      retry: immediately,
    });
    const hotels = scriptedTool(system, 'hotel_search', [succeeds('Ritz')]);
    const { service, of } = stage(system, [tool, hotels]);
    const running = service.executeTurn(turn);
    await system.advance(25_000);
    expect(tool.starts).toEqual([0, 25_000]);
    await system.advance(29_999);
    expect(tool.aborts).toEqual([]);
    await system.advance(1);
    expect(tool.aborts).toEqual([55_000]);

    expect(of('ToolTimeout')).toMatchObject([{ attempt: 2, elapsed_ms: 55_000, timeout_ms: 30_000 }]);
    expect(of('ToolError').map(({ error, classification, decision }) => [error, classification, decision])).toEqual([
      ['Connection reset', 'transient', 'retry'],
      ['Tool timeout after 30s', 'transient', 'retry'],
    ]);
    // Retries are available, so one is scheduled; the turn's time limit is still active.
    expect(of('RetryScheduled').map(({ attempt }) => attempt)).toEqual([2, 3]);
    expect(tool.starts).toEqual([0, 25_000, 55_000]);
    await system.advance(4_999);
    expect(of('TurnCompleted')).toEqual([]);
    await system.advance(1);
    expect(await running).toMatchObject({
      executionTime: 60_000,
      outcome: 'deadline',
      results: [{ status: 'timeout' }, { status: 'success' }],
    });
  });

  test('if the retry time is used up, the timeout at t = 55 s is the result', { tags: ['S1-7.3'] }, async () => {
    const system = manualSystem();
    // The default 2 s, from the first failure at t = 25 s.
    const tool = scriptedTool(system, 'flight_search', [fails('Connection reset', 25_000), hangs], { retry: { initialDelayMs: 0 } });
    const { service, of } = stage(system, [tool]);
    const { results, executionTime } = await system.until(service.executeTurn({ timeoutMs: 60_000, calls: [flightSearch] }));
    expect(executionTime).toBe(55_000);
    expect(results).toMatchObject([
      { status: 'timeout', attempts: 2, error: { message: 'Tool timeout after 30s', classification: 'transient', stoppedBy: 'budget' } },
    ]);
    expect(of('RetryScheduled')).toHaveLength(1);
  });

  test('attempt 2, started at t = 25 s, is interrupted at t = 60 s and not retried', { tags: ['S1-7.4'] }, async () => {
    const system = manualSystem();
    // With 30 s for the tool, attempt 2 would end at t = 55 s, as in 7.3; the tool has 40 s, so that it is running at t = 60 s.
    const tool = scriptedTool(system, 'flight_search', [fails('Connection reset', 25_000), hangs], {
      timeoutMs: 40_000,
      retry: immediately,
    });
    const hotels = scriptedTool(system, 'hotel_search', [succeeds('Ritz')]);
    const { service, of } = stage(system, [tool, hotels]);
    const running = service.executeTurn({ ...turn, onDeadline: 'abort' });
    await system.advance(59_999);
    expect(of('TurnCompleted')).toEqual([]);
    await system.advance(1);
    const { results, summary, outcome, executionTime } = await running;
    expect(executionTime).toBe(60_000);
    expect(outcome).toBe('deadline');
    expect(results).toMatchObject([
      { status: 'timeout', attempts: 2, error: { code: 'TURN_DEADLINE', stoppedBy: 'deadline' } },
      { status: 'success', output: 'Ritz' },
    ]);
    expect(summary).toBe('Completed hotel search, but flight search timed out');
    expect(tool.aborts).toEqual([60_000]);
    await system.advance(300_000);
    expect(tool.starts).toEqual([0, 25_000]);
    expect(of('RetryScheduled')).toHaveLength(1);
    expect(of('ToolTimeout')).toEqual([]);
  });

  test('with 30 s for the tool it is attempt 3 that is interrupted at t = 60 s', { tags: ['S1-7.4'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Connection reset', 25_000), hangs], {
      timeoutMs: 30_000,
      retry: immediately,
    });
    const hotels = scriptedTool(system, 'hotel_search', [succeeds('Ritz')]);
    const { service } = stage(system, [tool, hotels]);
    const { results, trace } = await system.until(service.executeTurn({ ...turn, onDeadline: 'abort' }));
    expect(tool.aborts).toEqual([55_000, 60_000]);
    expect(results).toMatchObject([{ status: 'timeout', attempts: 3, error: { code: 'TURN_DEADLINE' } }, { status: 'success' }]);
    await system.advance(300_000);
    expect(tool.starts).toHaveLength(3);
    expect(eventsOf(trace, 'TurnDeadlineReached')).toMatchObject([{ elapsed_ms: 60_000, running: ['flights'] }]);
  });

  test('the partial output of the interrupted attempt is delivered if it is accepted', { tags: ['S1-7.4'] }, async () => {
    const system = manualSystem();
    const partly = { does: 'hang', partial: ['LH 400'] } as const;
    const policy = { timeoutMs: 40_000, retry: immediately, acceptPartial: true };
    const tool = scriptedTool(system, 'flight_search', [fails('Connection reset', 25_000), partly], policy);
    const { service } = stage(system, [tool]);
    const { results, executionTime } = await system.until(service.executeTurn({ timeoutMs: 60_000, calls: [flightSearch] }));
    expect(executionTime).toBe(60_000);
    expect(results).toMatchObject([{ status: 'success', partial: true, output: ['LH 400'], attempts: 2 }]);
  });
});
