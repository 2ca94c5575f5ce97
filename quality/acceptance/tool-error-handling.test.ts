/** Conditions of the tool error handling specification besides the numbered ones. */
import type { Decision, DecisionInputs } from '@holdfast/core';
import { classify, decide, defineTool } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fails, gaps, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import type { ScriptedToolOptions } from './support/scripted-tool.ts';
import { eventsOf, stage } from './support/stage.ts';
import { timeoutNotice } from './support/timeout-notice.ts';

const flightSearch = { toolName: 'flight_search' };

describe('kinds of errors', () => {
  const classOf = (error: unknown): string => classify(error, { nowEpochMs: 0 }).classification;
  const status = (code: number): unknown => Object.assign(new Error('Request failed'), { status: code });
  const system = (code: string): unknown => Object.assign(new Error('Request failed'), { code });

  test.each([
    ['network timeout', [new Error('Network timeout'), system('ETIMEDOUT'), status(504)]],
    ['rate limit exceeded', [new Error('Rate limit exceeded'), status(429)]],
    ['temporary service unavailable', [new Error('Temporary service unavailable'), status(503)]],
    ['connection reset', [new Error('Connection reset'), system('ECONNRESET')]],
    ['unknown', [new Error('Hm'), 'a text', undefined, { odd: true }]],
  ])('transient: %s', { tags: ['S0-1.1'] }, (_, errors) => {
    expect(errors.map(classOf)).toEqual(errors.map(() => 'transient'));
  });

  test.each([
    ['invalid input', [new Error('Invalid input'), status(400)]],
    ['authentication failure', [new Error('Authentication failure'), status(401), status(403)]],
    ['not found', [new Error('Not found'), status(404)]],
    ['unsupported operation', [new Error('Unsupported operation'), status(405)]],
    ['schema validation failure', [new Error('Schema validation failed')]],
  ])('permanent: %s', { tags: ['S0-1.2'] }, (_, errors) => {
    expect(errors.map(classOf)).toEqual(errors.map(() => 'permanent'));
  });

  test('permanent: a response that breaks its schema, a tool that does not exist or is disabled', { tags: ['S0-1.2'] }, async () => {
    const clock = manualSystem();
    const strange = defineTool({ name: 'strange', output: { type: 'string' }, run: (): unknown => 7 });
    const disabled = defineTool({ name: 'disabled', enabled: false, run: () => 'never' });
    const { service } = stage(clock, [strange, disabled]);
    const results = await service.executeToolBatch(['strange', 'nowhere', 'disabled'].map((toolName) => ({ toolName })));
    expect(results.map(({ error }) => [error?.code, error?.classification])).toEqual([
      ['INVALID_OUTPUT', 'permanent'],
      ['UNKNOWN_TOOL', 'permanent'],
      ['TOOL_DISABLED', 'permanent'],
    ]);
  });

  test('partial results before a timeout are a transient failure, unless they are accepted', { tags: ['S0-1.1'] }, async () => {
    const run = async (acceptPartial: boolean) => {
      const clock = manualSystem();
      const tool = scriptedTool(clock, 'flight_search', [{ does: 'hang', partial: ['LH 400'] }, succeeds('all')], { acceptPartial });
      const { service } = stage(clock, [tool]);
      return clock.until(service.executeTool(flightSearch));
    };
    expect(await run(false)).toMatchObject({ status: 'success', output: 'all', attempts: 2 });
    expect(await run(true)).toMatchObject({ status: 'success', output: ['LH 400'], partial: true, attempts: 1, executionTime: 30_000 });
  });
});

describe('retry policy of a tool', () => {
  const delays = async (retry: ScriptedToolOptions['retry'], takesMs = 0): Promise<readonly number[]> => {
    const clock = manualSystem();
    const tool = scriptedTool(clock, 'flight_search', [fails('Connection reset', takesMs)], { retry, breaker: false });
    const { service } = stage(clock, [tool]);
    await clock.until(service.executeTool(flightSearch));
    return gaps(tool.starts);
  };
  const exact = { jitterPercent: 0 };

  test('initial delay, cap, multiplier, attempts, total time, strategy', { tags: ['S0-2.2'] }, async () => {
    expect(await delays(exact)).toEqual([100, 200, 400, 800]);
    expect(await delays({ ...exact, initialDelayMs: 50 })).toEqual([50, 100, 200, 400]);
    expect(await delays({ ...exact, maxDelayMs: 300 })).toEqual([100, 200, 300, 300]);
    expect(await delays({ ...exact, multiplier: 3, maxDelayMs: 2_000, maxTotalTimeMs: 5_000 })).toEqual([100, 300, 900, 2_000]);
    expect(await delays({ ...exact, maxAttempts: 3 })).toEqual([100, 200]);
    expect(await delays({ ...exact, maxTotalTimeMs: 700 })).toEqual([100, 200]);
    expect(await delays({ ...exact, maxTotalTimeMs: 701 })).toEqual([100, 200, 400]);
    expect(await delays({ ...exact, strategy: 'constant_backoff' })).toEqual([100, 100, 100, 100]);
    expect(await delays({ ...exact, strategy: 'linear_backoff' })).toEqual([100, 200, 300, 400]);
  });

  test('jitter percent', { tags: ['S0-2.2'] }, async () => {
    const firsts: number[] = [];
    for (let seed = 0; seed < 60; seed++) {
      const clock = manualSystem();
      const tool = scriptedTool(clock, 'flight_search', [fails('Connection reset')], { retry: { jitterPercent: 15, maxAttempts: 2 } });
      const { service } = stage(clock, [tool], { seed });
      await clock.until(service.executeTool(flightSearch));
      firsts.push(...gaps(tool.starts));
    }
    expect(Math.min(...firsts)).toBeGreaterThanOrEqual(85);
    expect(Math.min(...firsts)).toBeLessThan(90);
    expect(Math.max(...firsts)).toBeLessThanOrEqual(115);
    expect(Math.max(...firsts)).toBeGreaterThan(110);
  });
});

describe('circuit', () => {
  test('with success_threshold 2 the second success in a row closes it', { tags: ['S0-3.2'] }, async () => {
    const clock = manualSystem();
    const down = Array.from({ length: 5 }, () => fails('Connection reset'));
    const breaker = { failureThreshold: 5, successThreshold: 2, openMs: 30_000 };
    const tool = scriptedTool(clock, 'flight_search', [...down, succeeds('first', 10), succeeds('second', 10)], { breaker });
    const { service } = stage(clock, [tool]);
    const circuit = (): unknown => service.getToolHealth('flight_search')?.circuit;
    await clock.until(service.executeTool(flightSearch));
    await clock.advance(30_000);
    expect(await clock.until(service.executeTool(flightSearch))).toMatchObject({ status: 'success', output: 'first' });
    expect(circuit()).toBe('half_open');
    expect(await clock.until(service.executeTool(flightSearch))).toMatchObject({ status: 'success', output: 'second' });
    expect(circuit()).toBe('closed');
  });

  test('its state persists across retries, calls and turns', { tags: ['S0-7.3'] }, async () => {
    const clock = manualSystem();
    const tool = scriptedTool(clock, 'flight_search', [fails('Connection reset')], { retry: { maxAttempts: 3 } });
    const { service } = stage(clock, [tool]);
    const turn = () => clock.until(service.executeTurn({ calls: [flightSearch] }));
    await turn();
    expect(service.getToolHealth('flight_search')).toMatchObject({ circuit: 'closed', failureCount: 3 });
    const second = await turn();
    expect(tool.starts).toHaveLength(5);
    expect(second.results).toMatchObject([{ attempts: 2, error: { stoppedBy: 'circuit' } }]);
    expect(service.getToolHealth('flight_search')).toMatchObject({ circuit: 'open', failureCount: 5 });
    const third = await turn();
    expect(third.results).toMatchObject([{ attempts: 0, error: { code: 'CIRCUIT_OPEN' } }]);
    expect(third.trace[0]).toMatchObject({ event_type: 'TurnStarted', circuits: { flight_search: { state: 'open' } } });
  });
});

describe('decisions', () => {
  const decideWith = (facts: Partial<DecisionInputs>): Decision =>
    decide({ ...timeoutNotice().facts, recoveryRules: [], evidence: [], ...facts });
  const backup = { toolName: 'flight_search_backup', circuit: 'closed', available: true } as const;
  const permanent = { classification: 'permanent', category: 'invalid_input', failure: 'error', ambiguous: false } as const;

  test('retry, alternative, default, partial success, escalate, fail gracefully: each in its case', { tags: ['S0-6.1'] }, () => {
    expect(decideWith({}).action).toBe('retry');
    expect(decideWith({ ...permanent, alternatives: [backup] })).toMatchObject({
      action: 'use_alternative',
      alternative: 'flight_search_backup',
    });
    expect(decideWith({ ...permanent, fallbackAvailable: true }).action).toBe('use_default');
    expect(decideWith({ partialAvailable: true, acceptPartial: true }).action).toBe('accept_partial');
    expect(decideWith(permanent).action).toBe('escalate');
    expect(decideWith({ ...permanent, optional: true }).action).toBe('fail');
  });

  test.each<readonly [string, Partial<DecisionInputs>, Partial<Decision>]>([
    ['error classification', permanent, { action: 'escalate', reason: 'Permanent error (no retry)' }],
    ['circuit breaker state', { circuit: 'open' }, { action: 'escalate', stoppedBy: 'circuit' }],
    ['retry count', { attempts: 5, retryCount: 4 }, { action: 'escalate', stoppedBy: 'attempts' }],
    ['time remaining in the turn', { turnTimeLeftMs: 100 }, { action: 'escalate', stoppedBy: 'deadline' }],
    ['time remaining for retries', { retryElapsedMs: 1_900 }, { action: 'escalate', stoppedBy: 'budget' }],
    ['alternative tools', { attempts: 5, alternatives: [backup] }, { action: 'use_alternative' }],
    ['alternative that is not available', { attempts: 5, alternatives: [{ ...backup, available: false }] }, { action: 'escalate' }],
    [
      'error handling policies',
      { recoveryRules: [{ rule: 'no retries here', effect: 'deny', strategy: 'retry' }] },
      { action: 'escalate', stoppedBy: 'policy' },
    ],
    [
      'episodic memory',
      { evidence: [{ strategy: 'retry', tried: 40, succeeded: 0 }] },
      { action: 'escalate', reason: 'Retries skipped: 0 of 40 earlier retries helped' },
    ],
  ])('%s', { tags: ['S0-6.2'] }, (_, facts, expected) => {
    expect(decideWith({})).toMatchObject({ action: 'retry' });
    expect(decideWith(facts)).toMatchObject(expected);
  });

  test('nine failed retries are too few to stop retrying', { tags: ['S0-6.2'] }, () => {
    expect(decideWith({ evidence: [{ strategy: 'retry', tried: 9, succeeded: 0 }] }).action).toBe('retry');
  });

  test('all of them are in the trace with the decision', { tags: ['S0-6.2'] }, async () => {
    const clock = manualSystem();
    const primary = scriptedTool(clock, 'flight_search', [fails('Connection reset', 1_000), succeeds()], {
      alternatives: ['flight_search_backup'],
    });
    const { service } = stage(clock, [primary, scriptedTool(clock, 'flight_search_backup', [succeeds()])], {
      recoveryRules: [{ name: 'prefer what we asked for', when: { tool: ['flight_search'] }, allow: ['retry'] }],
    });
    const { trace } = await clock.until(service.executeTurn({ timeoutMs: 60_000, calls: [flightSearch] }));
    expect(eventsOf(trace, 'RecoveryDecided')[0]?.inputs).toMatchObject({
      classification: 'transient',
      circuit_breaker_state: 'closed',
      retry_count: 0,
      turn_time_left_ms: 59_000,
      alternatives: [{ tool_id: 'flight_search_backup', circuit_breaker_state: 'closed', available: true }],
      recovery_rules: [{ rule: 'prefer what we asked for', effect: 'allow', strategy: 'retry' }],
      evidence: [],
    });
  });
});

describe('observability', () => {
  test('error metrics of a tool', { tags: ['S0-8.1'] }, async () => {
    const clock = manualSystem();
    const reset = fails('Connection reset');
    // Five calls: one with success, one retried with success, one permanent, one that times out and is then retried until the circuit opens, one refused.
    const script = [succeeds(), reset, succeeds(), fails('Invalid input'), hangs, reset, reset, reset, reset];
    const { service } = stage(clock, [scriptedTool(clock, 'flight_search', script), scriptedTool(clock, 'hotel_search', [succeeds()])]);
    for (let call = 0; call < 5; call++) await clock.until(service.executeTool(flightSearch));
    expect(service.getToolMetrics('flight_search')).toMatchObject({
      attempts: {
        errorCount: 7,
        transientErrorCount: 6,
        permanentErrorCount: 1,
        retryCount: 5,
        retrySuccessRate: 0.2,
        circuitBreakerOpens: 1,
        timeoutCount: 1,
      },
    });
    expect(service.getToolMetrics('hotel_search')).toMatchObject({ attempts: { errorCount: 0, retryCount: 0, circuitBreakerOpens: 0 } });
    expect([...service.getToolMetrics().keys()]).toEqual(['flight_search']);
  });

  test('a ToolError entry has the keys and values of the example', { tags: ['S0-8.2'] }, async () => {
    const clock = manualSystem({ epochMs: Date.parse('2025-11-05T10:30:45Z') });
    const retry = { initialDelayMs: 0 };
    const tool = scriptedTool(clock, 'flight_search', [...Array.from({ length: 3 }, () => fails('Connection timeout')), succeeds()], {
      retry,
    });
    const { service } = stage(clock, [tool]);
    const { trace } = await clock.until(service.executeTurn({ calls: [flightSearch] }));
    const third = eventsOf(trace, 'ToolError')[2];
    expect(third).toMatchObject({
      event_type: 'ToolError',
      tool_id: 'flight_search',
      error: 'Connection timeout',
      classification: 'transient',
      circuit_breaker_state: 'closed',
      retry_count: 2,
      decision: 'retry',
    });
    expect(Date.parse(third?.timestamp ?? '')).toBe(Date.parse('2025-11-05T10:30:45Z'));
    expect(JSON.parse(JSON.stringify(trace))).toEqual(trace);
  });
});
