import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { stage } from './support/stage.ts';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';

const flightSearch = { toolName: 'flight_search' };

describe('per-tool timeout', () => {
  test('a tool that runs at t = 25 s is terminated at t = 30 s: "Tool timeout after 30s"', { tags: ['S1-4.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [hangs], { timeoutMs: 30_000, retry: { maxAttempts: 1 } });
    const { service, of } = stage(system, [tool]);
    const call = service.executeTool(flightSearch);
    await system.advance(25_000);
    expect(tool.aborts).toEqual([]);
    expect(of('CallCompleted')).toEqual([]);
    await system.advance(4_999);
    expect(tool.aborts).toEqual([]);
    await system.advance(1);
    expect(tool.aborts).toEqual([30_000]);
    expect(of('CallCompleted')).toHaveLength(1);
    expect(await call).toMatchObject({
      status: 'timeout',
      executionTime: 30_000,
      attempts: 1,
      error: { code: 'TOOL_TIMEOUT', message: 'Tool timeout after 30s', classification: 'transient', category: 'timeout', retryable: true },
    });
  });

  test('it is retried with backoff', { tags: ['S1-4.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [hangs, succeeds('found')]);
    const { service, of } = stage(system, [tool]);
    const result = await system.until(service.executeTool(flightSearch));
    expect(tool.starts).toHaveLength(2);
    expect(tool.aborts).toEqual([30_000]);
    expect(tool.starts[1]).toBeGreaterThanOrEqual(30_090);
    expect(tool.starts[1]).toBeLessThanOrEqual(30_110);
    expect(of('RetryScheduled')).toMatchObject([{ tool_id: 'flight_search', attempt: 2 }]);
    expect(result).toMatchObject({ status: 'success', output: 'found', attempts: 2 });
  });

  test('30 s is the default, and each tool may have its own', { tags: ['S1-4.1'] }, async () => {
    const limitOf = async (timeoutMs?: number): Promise<unknown> => {
      const system = manualSystem();
      const tool = scriptedTool(system, 'flight_search', [hangs], {
        retry: { maxAttempts: 1 },
        ...(timeoutMs === undefined ? {} : { timeoutMs }),
      });
      const { service } = stage(system, [tool]);
      const { error, executionTime } = await system.until(service.executeTool(flightSearch));
      return [error?.message, executionTime];
    };
    expect(await limitOf()).toEqual(['Tool timeout after 30s', 30_000]);
    expect(await limitOf(1_500)).toEqual(['Tool timeout after 1.5s', 1_500]);
  });

  test('a timeout is transient, and decided to be retried for that', { tags: ['S1-4.3'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [hangs, succeeds()], { timeoutMs: 30_000 });
    const { service, of } = stage(system, [tool]);
    await system.until(service.executeTool(flightSearch));
    expect(of('ToolError')).toMatchObject([
      {
        tool_id: 'flight_search',
        error: 'Tool timeout after 30s',
        classification: 'transient',
        category: 'timeout',
        decision: 'retry',
        duration_ms: 30_000,
      },
    ]);
    expect(of('RecoveryDecided')).toMatchObject([
      {
        message: 'Transient error + circuit closed + retries available',
        inputs: { classification: 'transient', failure: 'timeout' },
        decision: { action: 'retry' },
      },
    ]);
  });

  test('the trace has a ToolTimeout entry with tool_id, timeout_ms and timestamp', { tags: ['S1-4.4'] }, async () => {
    // The tool is started 30 s before the moment of the entry.
    const system = manualSystem({ epochMs: Date.parse('2025-11-05T10:30:15Z') });
    const tool = scriptedTool(system, 'flight_search', [hangs], { timeoutMs: 30_000, retry: { maxAttempts: 1 } });
    const { service } = stage(system, [tool]);
    const { trace } = await system.until(service.executeTurn({ calls: [flightSearch] }));
    const [entry, ...more] = trace.filter(({ event_type }) => event_type === 'ToolTimeout');
    expect(more).toEqual([]);
    expect(entry).toMatchObject({ event_type: 'ToolTimeout', tool_id: 'flight_search', timeout_ms: 30_000 });
    expect(entry?.timestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/);
    expect(Date.parse(entry?.timestamp ?? '')).toBe(Date.parse('2025-11-05T10:30:45Z'));
    expect(JSON.parse(JSON.stringify(entry))).toEqual(entry);
  });

  test('every timeout has its entry', { tags: ['S1-4.4'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [hangs, fails('Connection reset'), hangs, succeeds()], {
      timeoutMs: 30_000,
      retry: { maxTotalTimeMs: 300_000 },
    });
    const { service, of } = stage(system, [tool]);
    await system.until(service.executeTool(flightSearch));
    expect(of('ToolTimeout').map(({ attempt, timeout_ms }) => [attempt, timeout_ms])).toEqual([
      [1, 30_000],
      [3, 30_000],
    ]);
  });
});

describe('per-turn timeout', () => {
  /** Tools that may take longer than the turn, as in the condition. */
  const slow = { timeoutMs: 600_000 };
  const plan = { calls: ['flight_search', 'hotel_search', 'activity_search'].map((toolName) => ({ callId: toolName, toolName })) };

  function threeTools() {
    const system = manualSystem();
    const flights = scriptedTool(system, 'flight_search', [succeeds(['LH 400'], 50_000)], slow);
    const hotels = scriptedTool(system, 'hotel_search', [succeeds(['Ritz'], 400_000)], slow);
    const activities = scriptedTool(system, 'activity_search', [hangs], slow);
    return { system, flights, hotels, activities, ...stage(system, [flights, hotels, activities]) };
  }

  test('at t = 300 s the result of tool 1 is collected and tools 2 and 3 are skipped', { tags: ['S1-4.2'] }, async () => {
    const { system, service, of } = threeTools();
    const turn = service.executeTurn(plan);
    await system.advance(50_000);
    expect(of('CallCompleted').map(({ tool_id, status }) => [tool_id, status])).toEqual([['flight_search', 'success']]);
    await system.advance(249_999);
    expect(of('TurnCompleted')).toEqual([]);
    await system.advance(1);
    expect(of('TurnCompleted')).toHaveLength(1);

    const { results, outcome, summary, executionTime } = await turn;
    expect(executionTime).toBe(300_000);
    expect(outcome).toBe('deadline');
    expect(results[0]).toMatchObject({ toolName: 'flight_search', status: 'success', output: ['LH 400'], executionTime: 50_000 });
    for (const [index, toolName] of ['hotel_search', 'activity_search'].entries()) {
      expect(results[index + 1]).toMatchObject({ toolName, status: 'timeout', error: { code: 'TURN_DEADLINE', stoppedBy: 'deadline' } });
      expect(results[index + 1]).not.toHaveProperty('output');
    }
    expect(summary.startsWith('Completed flight search, but hotel search timed out')).toBe(true);
    expect(summary).toBe('Completed flight search, but hotel search timed out, as did activity search');
    expect(of('TurnDeadlineReached')).toMatchObject([{ timeout_ms: 300_000, running: ['activity_search', 'hotel_search'], waiting: [] }]);
  });

  test('with two tools the response is the literal sentence', { tags: ['S1-4.2'] }, async () => {
    const { system, service } = threeTools();
    const { summary } = await system.until(service.executeTurn({ calls: plan.calls.slice(0, 2) }));
    expect(summary).toBe('Completed flight search, but hotel search timed out');
  });

  test('300 s is the default, and a turn may have its own', { tags: ['S1-4.2'] }, async () => {
    const { system, service } = threeTools();
    expect(await system.until(service.executeTurn(plan))).toMatchObject({ executionTime: 300_000 });
    const other = threeTools();
    const turn = await other.system.until(other.service.executeTurn({ ...plan, timeoutMs: 40_000 }));
    expect(turn).toMatchObject({ executionTime: 40_000, outcome: 'deadline' });
    expect(turn.results.map(({ status }) => status)).toEqual(['timeout', 'timeout', 'timeout']);
  });

  test('nothing waits, starts or is retried past the deadline', { tags: ['S1-4.2'] }, async () => {
    const system = manualSystem();
    const flights = scriptedTool(system, 'flight_search', [succeeds('LH 400', 50_000)], slow);
    const hotels = scriptedTool(system, 'hotel_search', [hangs], slow);
    const cars = scriptedTool(system, 'car_search', [fails('Connection reset', 299_950), succeeds()], slow);
    const itinerary = scriptedTool(system, 'create_itinerary', [succeeds()], slow);
    const { service, of } = stage(system, [flights, hotels, cars, itinerary]);
    const calls = [
      { callId: 'flights', toolName: 'flight_search' },
      { callId: 'hotels', toolName: 'hotel_search' },
      { callId: 'cars', toolName: 'car_search' },
      { callId: 'itinerary', toolName: 'create_itinerary', dependsOn: ['flights', 'hotels'] },
    ];
    const { results } = await system.until(service.executeTurn({ calls }));
    await system.advance(900_000);
    expect(results.map(({ status }) => status)).toEqual(['success', 'timeout', 'error', 'timeout']);
    // 50 ms before the deadline there is no time left for a delay of about 100 ms.
    expect(results[2]).toMatchObject({
      attempts: 1,
      executionTime: 299_950,
      error: { message: 'Tool error: Connection reset', stoppedBy: 'deadline' },
    });
    expect(results[3]).toMatchObject({ attempts: 0, error: { code: 'TURN_DEADLINE', stoppedBy: 'deadline' } });
    expect(of('TurnDeadlineReached')).toMatchObject([{ running: ['hotels'], waiting: ['itinerary'] }]);
    expect([cars.starts.length, itinerary.starts.length]).toEqual([1, 0]);
    expect(of('RetryScheduled')).toEqual([]);
  });

  test('running tools are not terminated; their late results are recorded and not delivered', { tags: ['S0-4.2'] }, async () => {
    const { system, service, hotels, activities, of } = threeTools();
    const { results } = await system.until(service.executeTurn(plan));
    const answered = structuredClone(results.map(({ status, output }) => ({ status, output })));
    expect(hotels.aborts).toEqual([]);
    expect(activities.aborts).toEqual([]);
    await system.advance(100_000);
    expect(of('LateResult')).toMatchObject([{ tool_id: 'hotel_search', result: 'late_success', duration_ms: 400_000 }]);
    expect(results.map(({ status, output }) => ({ status, output }))).toEqual(answered);
    // The tool's own limit still applies to work that was left running.
    await system.advance(200_000);
    expect(activities.aborts).toEqual([600_000]);
    expect(of('TurnCompleted')).toHaveLength(1);
  });
});
