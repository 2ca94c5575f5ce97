/** S0, section by section: what its numbered test conditions (S1) do not say. */
import { classify, compileRules, ErrorHandler } from '@holdfast/core';
import type { ToolResult } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { ScriptedToolOptions, Step } from './support/scripted-tool.ts';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import type { StageOptions } from './support/stage-options.ts';
import { stage } from './support/stage.ts';

const flightSearch = { toolName: 'flight_search' };

/** One tool that follows a script, and a call of it on a clock that is advanced as needed. */
function scene(steps: readonly Step[], policy: ScriptedToolOptions = {}, options: StageOptions = {}) {
  const clock = manualSystem();
  const tool = scriptedTool(clock, 'flight_search', steps, policy);
  const staged = stage(clock, [tool], options);
  const call = (): Promise<ToolResult> => clock.until(staged.service.executeTool(flightSearch));
  return { ...staged, clock, tool, call, health: () => staged.service.getToolHealth('flight_search') };
}

describe('error classification', () => {
  test('the example of a transient error: retried with backoff', { tags: ['S0-1.1'] }, async () => {
    const { call, tool, of } = scene([fails('Connection timeout after 30s'), succeeds()]);
    expect(await call()).toMatchObject({ status: 'success', attempts: 2 });
    expect(gaps(tool.starts)[0]).toBeGreaterThanOrEqual(90);
    expect(of('ToolError')).toMatchObject([{ tool_id: 'flight_search', classification: 'transient', decision: 'retry' }]);
  });

  test('the example of a permanent error: escalated, or an alternative is used', { tags: ['S0-1.2'] }, async () => {
    const invalid = fails('Invalid airport code: XYZ');
    const { call, of, tool } = scene([invalid]);
    expect(await call()).toMatchObject({ status: 'error', attempts: 1, error: { classification: 'permanent' } });
    expect(of('Escalated')).toMatchObject([{ tool_id: 'flight_search', user_message: expect.stringContaining('flight search') }]);
    expect(tool.starts).toHaveLength(1);

    const clock = manualSystem();
    const backup = scriptedTool(clock, 'flight_search_backup', [succeeds('LH 400')]);
    const primary = scriptedTool(clock, 'flight_search', [invalid], { alternatives: ['flight_search_backup'] });
    const { service } = stage(clock, [primary, backup]);
    expect(await clock.until(service.executeTool(flightSearch))).toMatchObject({ status: 'success', servedBy: 'flight_search_backup' });
    expect(primary.starts).toHaveLength(1);
  });

  test.each([
    [429, 'transient'],
    [503, 'transient'],
    [400, 'permanent'],
    [401, 'permanent'],
    [403, 'permanent'],
    [404, 'permanent'],
  ] as const)('step 1 of the algorithm: status %d is %s', { tags: ['S0-1.3'] }, (status, classification) => {
    // The code decides, whatever the words say.
    for (const words of ['Request failed', 'Invalid input', 'Connection timeout'])
      expect(classify(Object.assign(new Error(words), { status }), { nowEpochMs: 0 }).classification, words).toBe(classification);
  });

  test.each([
    ['ETIMEDOUT', 'transient'],
    ['ECONNRESET', 'transient'],
  ] as const)('step 1 of the algorithm: code %s is %s', { tags: ['S0-1.3'] }, (code, classification) => {
    expect(classify(Object.assign(new Error('Request failed'), { code }), { nowEpochMs: 0 }).classification).toBe(classification);
  });

  test('what nothing is known about is transient', { tags: ['S0-1.3'] }, async () => {
    expect(classify(new Error('Hm'), { nowEpochMs: 0 })).toMatchObject({ classification: 'transient', category: 'unknown' });
    const { call } = scene([fails('Hm'), succeeds()]);
    expect(await call()).toMatchObject({ status: 'success', attempts: 2 });
  });

  test('step 2: the manifest overrides step 1, in both directions', { tags: ['S0-1.3'] }, () => {
    const classOf = (status: number, as: 'transient' | 'permanent'): string =>
      classify(Object.assign(new Error('Request failed'), { status }), { nowEpochMs: 0, overrides: compileRules([{ status, as }]) })
        .classification;
    expect(classOf(503, 'permanent')).toBe('permanent');
    expect(classOf(404, 'transient')).toBe('transient');
    // A rule speaks about what it names only.
    const other = compileRules([{ status: 500, as: 'permanent' }]);
    expect(classify(Object.assign(new Error('Request failed'), { status: 503 }), { nowEpochMs: 0, overrides: other })).toMatchObject({
      classification: 'transient',
      rule: expect.not.stringContaining('override'),
    });
  });
});

describe('retry policy', () => {
  test('the default: immediately, then 100, 200, 400 and 800 ms, each ± 10 %, within 2 s', { tags: ['S0-2.1'] }, async () => {
    const { call, tool, service } = scene([fails('Connection reset')]);
    const { executionTime } = await call();
    expect(tool.starts[0]).toBe(0);
    const ratios = gaps(tool.starts).map((gap, index) => gap / (100 * 2 ** index));
    expect(ratios).toHaveLength(4);
    for (const ratio of ratios) expect(Math.abs(ratio - 1)).toBeLessThanOrEqual(0.1);
    expect(ratios.some((ratio) => ratio !== 1)).toBe(true);
    expect(executionTime).toBeLessThan(2_000);
    expect(service.getToolSettings('flight_search')?.retry).toMatchObject({
      strategy: 'exponential_backoff',
      initialDelayMs: 100,
      maxDelayMs: 800,
      multiplier: 2,
      jitterPercent: 10,
      maxAttempts: 5,
      maxTotalTimeMs: 2_000,
    });
  });

  test('tools that fail at the same moment do not retry at the same moment', { tags: ['S0-2.1'] }, async () => {
    const clock = manualSystem();
    const names = Array.from({ length: 20 }, (_, index) => `tool_${index}`);
    const tools = names.map((name) => scriptedTool(clock, name, [fails('Connection reset'), succeeds()]));
    const { service } = stage(clock, tools);
    await clock.until(service.executeToolBatch(names.map((toolName) => ({ toolName }))));
    expect(new Set(tools.map(({ starts }) => starts[1])).size).toBe(20);
  });

  test('a retry needs an attempt and time that are left, in this order; then the circuit', { tags: ['S0-2.3'] }, async () => {
    const noJitter = { jitterPercent: 0 };
    const both = scene([fails('Connection reset')], { retry: { ...noJitter, maxAttempts: 2, maxTotalTimeMs: 150 }, breaker: false });
    expect(await both.call()).toMatchObject({ attempts: 2, error: { stoppedBy: 'attempts' } });
    const time = scene([fails('Connection reset')], { retry: { ...noJitter, maxAttempts: 9, maxTotalTimeMs: 150 }, breaker: false });
    expect(await time.call()).toMatchObject({ attempts: 2, error: { stoppedBy: 'budget' } });
    const guards = time.of('RecoveryDecided')[0]?.decision.guards.map(({ guard }) => guard) ?? [];
    expect(guards.indexOf('attempts_left')).toBeGreaterThanOrEqual(0);
    expect(guards.indexOf('attempts_left')).toBeLessThan(guards.indexOf('retry_time_left'));
    // Whatever ended it, the failures were counted by the circuit.
    const counted = scene([fails('Connection reset')], { retry: { maxAttempts: 2 } });
    await counted.call();
    expect(counted.health()).toMatchObject({ circuit: 'closed', failureCount: 2 });
  });

  test('delay = min(initial · multiplier ^ (retry − 1), max), then jitter; then it is waited for', { tags: ['S0-2.3'] }, async () => {
    const retry = { initialDelayMs: 10, multiplier: 3, maxDelayMs: 50, jitterPercent: 0, maxAttempts: 5 };
    const exact = scene([fails('Connection reset')], { retry });
    await exact.call();
    expect(gaps(exact.tool.starts)).toEqual([10, 30, 50, 50]);

    // Jitter comes after the cap: a delay may pass it.
    const capped = { strategy: 'constant_backoff', initialDelayMs: 100, maxDelayMs: 50, maxAttempts: 40, maxTotalTimeMs: 60_000 } as const;
    const jittered = scene([fails('Connection reset')], { retry: capped, breaker: false });
    await jittered.call();
    expect(Math.max(...gaps(jittered.tool.starts))).toBeGreaterThan(53);
    expect(Math.max(...gaps(jittered.tool.starts))).toBeLessThanOrEqual(55);
  });
});

describe('circuit', () => {
  const down = Array.from({ length: 5 }, () => fails('Connection reset'));

  test('closed → open → half_open → closed, or open again', { tags: ['S0-3.1'] }, async () => {
    const { call, clock, health, of } = scene([...down, fails('Connection reset'), succeeds()]);
    expect(health()?.circuit).toBe('closed');
    await call();
    expect(health()?.circuit).toBe('open');
    await clock.advance(30_000);
    expect(health()?.circuit).toBe('half_open');
    await call();
    expect(health()?.circuit).toBe('open');
    await clock.advance(30_000);
    expect(health()?.circuit).toBe('half_open');
    await call();
    expect(health()?.circuit).toBe('closed');
    expect(of('CircuitBreakerOpened').map(({ reason }) => reason)).toEqual(['failure_threshold', 'probe_failed']);
    expect(of('CircuitBreakerClosed').map(({ reason }) => reason)).toEqual(['probe_succeeded']);
  });

  test('5 failures, one success, 30 s: each can be set', { tags: ['S0-3.2'] }, async () => {
    const { service } = scene([]);
    expect(service.getToolSettings('flight_search')?.breaker).toMatchObject({ failureThreshold: 5, successThreshold: 1, openMs: 30_000 });
    const own = scene([fails('Connection reset')], { breaker: { failureThreshold: 2, openMs: 1_000 } });
    expect(await own.call()).toMatchObject({ attempts: 2, error: { stoppedBy: 'circuit' } });
    expect(own.health()?.circuit).toBe('open');
    await own.clock.advance(999);
    expect(own.health()?.circuit).toBe('open');
    await own.clock.advance(1);
    expect(own.health()?.circuit).toBe('half_open');
  });

  test('steps 1 and 2: the failure that reaches the threshold opens the circuit and is not retried', { tags: ['S0-3.3'] }, async () => {
    const { call, tool, messages, health } = scene([fails('Connection reset')], { retry: { maxAttempts: 9, maxTotalTimeMs: 60_000 } });
    expect(await call()).toMatchObject({ attempts: 5, error: { stoppedBy: 'circuit' } });
    expect(tool.starts).toHaveLength(5);
    expect(messages()).toContain('Circuit breaker opened for flight_search');
    expect(health()).toMatchObject({ circuit: 'open', failureCount: 5 });
  });

  test('steps 3 and 4: at once while open; one attempt when half-open, whatever attempts are left', { tags: ['S0-3.3'] }, async () => {
    const { call, clock, tool, health } = scene([...down, fails('Connection reset'), succeeds()]);
    await call();
    expect(await call()).toMatchObject({
      attempts: 0,
      executionTime: 0,
      error: { code: 'CIRCUIT_OPEN', classification: 'neutral', retryable: false },
    });
    await clock.advance(30_000);
    expect(await call()).toMatchObject({ status: 'error', attempts: 1 });
    expect(tool.starts).toHaveLength(6);
    // Its failure restarted the timeout.
    await clock.advance(29_999);
    expect(await call()).toMatchObject({ attempts: 0, error: { code: 'CIRCUIT_OPEN' } });
    await clock.advance(1);
    expect(await call()).toMatchObject({ status: 'success', attempts: 1 });
    expect(health()).toMatchObject({ circuit: 'closed', failureCount: 0 });
  });

  test('a permanent error is neither retried nor counted, and is escalated at once', { tags: ['S0-3.4'] }, async () => {
    const { call, health, of, clock } = scene([fails('Invalid input')]);
    await call();
    expect(clock.now()).toBe(0);
    expect(health()).toMatchObject({ circuit: 'closed', failureCount: 0 });
    expect(of('RecoveryDecided')).toMatchObject([{ decision: { action: 'escalate' }, message: 'Permanent error (no retry)' }]);
  });

  test('a transient error is retried when closed, refused when open, tried once when half-open', { tags: ['S0-3.4'] }, async () => {
    const { call, clock, of } = scene([fails('Connection reset')]);
    expect(await call()).toMatchObject({ attempts: 5 });
    expect(await call()).toMatchObject({ attempts: 0 });
    await clock.advance(30_000);
    expect(await call()).toMatchObject({ attempts: 1 });
    expect(of('ToolError').map(({ circuit_breaker_state }) => circuit_breaker_state)).toEqual([
      'closed',
      'closed',
      'closed',
      'closed',
      'open',
      'open',
    ]);
  });
});

describe('time limits', () => {
  test('a tool is ended at its limit, retried with backoff, and escalated when no retry helped', { tags: ['S0-4.1'] }, async () => {
    const { call, tool, of } = scene([hangs], { retry: { maxAttempts: 3, maxTotalTimeMs: 300_000 } });
    expect(await call()).toMatchObject({ status: 'timeout', attempts: 3, error: { message: 'Tool timeout after 30s' } });
    expect(tool.aborts).toHaveLength(3);
    expect(tool.aborts[0]).toBe(30_000);
    for (const [index, gap] of gaps(tool.starts).entries()) expect(gap).toBeGreaterThanOrEqual(30_000 + 90 * 2 ** index);
    expect(of('Escalated')).toMatchObject([{ tool_id: 'flight_search', code: 'TOOL_TIMEOUT' }]);
  });

  test(
    '"up to circuit breaker limits": with time for retries, the fifth timeout opens the circuit and is the last',
    { tags: ['S0-4.1'] },
    async () => {
      const limited = scene([hangs], { retry: { maxAttempts: 20, maxTotalTimeMs: 600_000 } });
      expect(await limited.call()).toMatchObject({ status: 'timeout', attempts: 5, error: { stoppedBy: 'circuit' } });
      expect(limited.health()).toMatchObject({ circuit: 'open', failureCount: 5 });
      // With the default 2 s for retries the second timeout is the last: the first retry starts in time, and no other one could.
      const byDefault = scene([hangs]);
      expect(await byDefault.call()).toMatchObject({ status: 'timeout', attempts: 2, error: { stoppedBy: 'budget' } });
      expect(byDefault.health()).toMatchObject({ circuit: 'closed', failureCount: 2 });
    },
  );

  test('scenario 1: a retry that succeeds before the turn ends', { tags: ['S0-4.3'] }, async () => {
    const { clock, service } = scene([hangs, succeeds('LH 400')]);
    expect(await clock.until(service.executeTurn({ calls: [flightSearch] }))).toMatchObject({
      outcome: 'success',
      results: [{ status: 'success', attempts: 2 }],
    });
  });

  test('scenario 1: retries that fail before the turn ends are escalated', { tags: ['S0-4.3'] }, async () => {
    const { clock, service, of } = scene([hangs]);
    const { results, executionTime } = await clock.until(service.executeTurn({ calls: [flightSearch] }));
    expect(results).toMatchObject([{ status: 'timeout', error: { code: 'TOOL_TIMEOUT' } }]);
    expect(executionTime).toBeLessThan(300_000);
    expect(of('Escalated')).toHaveLength(1);
  });

  test('scenario 1 and 2: at the limit of the turn, what is there is collected and the rest is skipped', { tags: ['S0-4.3'] }, async () => {
    const clock = manualSystem();
    const flights = scriptedTool(clock, 'flight_search', [hangs], { retry: { maxTotalTimeMs: 300_000 } });
    const hotels = scriptedTool(clock, 'hotel_search', [succeeds('Ritz')]);
    const { service } = stage(clock, [flights, hotels]);
    const calls = [flightSearch, { toolName: 'hotel_search' }];
    const turn = await clock.until(service.executeTurn({ timeoutMs: 45_000, calls }));
    expect(turn).toMatchObject({
      outcome: 'deadline',
      executionTime: 45_000,
      results: [
        { status: 'timeout', attempts: 2, error: { code: 'TURN_DEADLINE' } },
        { status: 'success', output: 'Ritz' },
      ],
      summary: 'Completed hotel search, but flight search timed out',
    });
  });
});

describe('error handler', () => {
  test('the executor notifies it of each failure, and carries its decision out', { tags: ['S0-6.1'] }, async () => {
    const errorHandler = new ErrorHandler({ recoveryRules: [{ name: 'no retries', deny: 'retry' }] });
    const clock = manualSystem();
    const tool = scriptedTool(clock, 'flight_search', [fails('Connection reset'), succeeds()], { alternatives: ['flight_search_backup'] });
    const backup = scriptedTool(clock, 'flight_search_backup', [fails('Connection reset'), succeeds()]);
    const { service } = stage(clock, [tool, backup], { errorHandler });
    const decided: string[] = [];
    errorHandler.subscribe(({ toolName }, { decision }) => void decided.push(`${toolName}: ${decision.action}`));
    const result = await clock.until(service.executeTool(flightSearch));
    expect(decided).toEqual(['flight_search: use_alternative', 'flight_search_backup: escalate']);
    expect(errorHandler.inbox).toMatchObject([
      { toolName: 'flight_search', attempt: 1, message: 'Connection reset', facts: { classification: 'transient', circuit: 'closed' } },
      { toolName: 'flight_search_backup', attempt: 2 },
    ]);
    expect(result).toMatchObject({ status: 'error', attempts: 2, error: { stoppedBy: 'policy' } });
    expect(tool.starts).toHaveLength(1);
  });
});

describe('other systems', () => {
  test('the trace records every decision; policies and episodic memory take part in them', { tags: ['S0-9'] }, async () => {
    const { call, of, service } = scene([fails('Connection reset')], { retry: { maxAttempts: 2 }, breaker: false }, { useMemory: true });
    for (let index = 0; index < 12; index++) await call();
    const decided = of('RecoveryDecided');
    expect(decided).toHaveLength(service.errorHandler.inbox.length);
    expect(decided[0]?.inputs.evidence).toEqual([]);
    // What earlier retries have taught stands beside the decision, and changes it.
    const learned = decided.find(({ message }) => message === 'Retries skipped: 0 of 10 earlier retries helped');
    expect(learned).toMatchObject({
      inputs: { evidence: [{ strategy: 'retry', tried: 10, succeeded: 0 }] },
      decision: { action: 'escalate', stopped_by: 'policy' },
    });
  });
});
