import type { ToolResult } from '@holdfast/core';
import type { ManualSystem } from '@holdfast/core/testing';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import type { ScriptedTool, Step } from './support/scripted-tool.ts';
import { fails, scriptedTool, succeeds } from './support/scripted-tool.ts';
import type { Stage } from './support/stage.ts';
import { stage } from './support/stage.ts';

const flightSearch = { toolName: 'flight_search' };
/** One attempt per call, so that every failure can be checked. */
const once = { ...flightSearch, policy: { retry: { maxAttempts: 1 } } };

interface Scene extends Stage {
  readonly system: ManualSystem;
  readonly tool: ScriptedTool;
  readonly call: () => Promise<ToolResult>;
  readonly circuit: () => string | undefined;
  readonly failures: () => number | undefined;
}

function scene(steps: readonly Step[]): Scene {
  const system = manualSystem();
  const tool = scriptedTool(system, 'flight_search', steps);
  const built = stage(system, [tool]);
  const health = () => built.service.getToolHealth('flight_search');
  return {
    ...built,
    system,
    tool,
    call: () => system.until(built.service.executeTool(once)),
    circuit: () => health()?.circuit,
    failures: () => health()?.failureCount,
  };
}

const fiveFailures: readonly Step[] = Array.from({ length: 5 }, () => fails('Connection timeout'));

/** Five failures at t = 0, then the steps. */
async function openedCircuit(...steps: readonly Step[]): Promise<Scene> {
  const opened = scene([...fiveFailures, ...steps]);
  for (let failure = 0; failure < 5; failure++) await opened.call();
  expect(opened.circuit()).toBe('open');
  expect(opened.system.now()).toBe(0);
  return opened;
}

async function expectRefused({ call, tool, circuit }: Scene, retryAfterMs: number): Promise<void> {
  const before = tool.starts.length;
  expect(circuit()).toBe('open');
  const result = await call();
  expect(result).toMatchObject({
    status: 'error',
    attempts: 0,
    executionTime: 0,
    error: { code: 'CIRCUIT_OPEN', retryable: false, retryAfterMs },
  });
  expect(tool.starts).toHaveLength(before);
}

describe('circuit breaker', () => {
  test('the fifth failure opens it; attempt 6 returns an error immediately', { tags: ['S1-3.1'] }, async () => {
    const { call, circuit, failures, tool, of, system } = scene([fails('Connection timeout')]);
    expect(circuit()).toBe('closed');
    for (const failure of [1, 2, 3, 4]) {
      await call();
      expect([failure, circuit(), failures()]).toEqual([failure, 'closed', failure]);
      expect(of('CircuitBreakerOpened')).toEqual([]);
    }
    await call();
    expect(circuit()).toBe('open');
    expect(of('CircuitBreakerOpened')).toHaveLength(1);
    expect(of('CircuitBreakerOpened')[0]).toMatchObject({
      tool_id: 'flight_search',
      message: 'Circuit breaker opened for flight_search',
      failure_count: 5,
    });

    const sixth = await call();
    expect(sixth).toMatchObject({ status: 'error', attempts: 0, executionTime: 0, error: { code: 'CIRCUIT_OPEN', retryable: false } });
    expect(tool.starts).toHaveLength(5);
    expect(of('RetryScheduled')).toEqual([]);
    expect(of('CallRefused')).toMatchObject([{ tool_id: 'flight_search', code: 'CIRCUIT_OPEN', circuit_breaker_state: 'open' }]);
    await system.advance(29_000);
    expect(tool.starts).toHaveLength(5);
  });

  test('the attempts of one call count too, and the one that opens it is not retried', { tags: ['S1-3.1'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Connection timeout')], {
      retry: { maxAttempts: 10, maxTotalTimeMs: 60_000 },
    });
    const { service, messages, of } = stage(system, [tool]);
    const result = await system.until(service.executeTool(flightSearch));
    expect(tool.starts).toHaveLength(5);
    expect(of('RetryScheduled')).toHaveLength(4);
    expect(result).toMatchObject({
      status: 'error',
      attempts: 5,
      error: { stoppedBy: 'circuit', message: 'Tool error: Connection timeout' },
    });
    expect(of('RecoveryDecided').at(-1)).toMatchObject({ message: 'Circuit open', decision: { action: 'escalate' } });
    expect(messages()).toContain('Circuit breaker opened for flight_search');
  });

  test('a success in between resets the count: the failures have to be consecutive', { tags: ['S1-3.1'] }, async () => {
    const down = fails('Connection timeout');
    const { call, circuit, failures } = scene([down, down, down, down, succeeds(), down, down, down, down, down]);
    for (let index = 0; index < 9; index++) await call();
    expect([circuit(), failures()]).toEqual(['closed', 4]);
    await call();
    expect(circuit()).toBe('open');
  });

  test('open at t = 0 and t = 15 s, half-open at t = 30 s by state query', { tags: ['S1-3.2'] }, async () => {
    const opened = await openedCircuit(succeeds());
    const { system, circuit } = opened;
    await expectRefused(opened, 30_000);
    await system.advance(15_000);
    await expectRefused(opened, 15_000);
    await system.advance(14_999);
    await expectRefused(opened, 1);
    await system.advance(1);
    expect(system.now()).toBe(30_000);
    expect(circuit()).toBe('half_open');
  });

  test(
    'exactly one of many requests at t = 30 s is let through, the others are blocked until it completes',
    { tags: ['S1-3.2'] },
    async () => {
      const { system, service, tool, circuit } = await openedCircuit(succeeds('found', 40), succeeds('next'));
      await system.advance(30_000);
      const calls = Array.from({ length: 6 }, () => service.executeTool(once));
      await system.settle();
      expect(tool.starts).toHaveLength(6);
      expect(circuit()).toBe('half_open');

      await system.advance(20);
      const during = await service.executeTool(once);
      expect(during).toMatchObject({ status: 'error', attempts: 0, error: { code: 'CIRCUIT_OPEN' } });
      expect(tool.starts).toHaveLength(6);

      await system.advance(20);
      const results = await Promise.all(calls);
      expect(results.map(({ status }) => status)).toEqual(['success', 'error', 'error', 'error', 'error', 'error']);
      for (const { attempts, error } of results.slice(1)) expect([attempts, error?.code]).toEqual([0, 'CIRCUIT_OPEN']);
      expect(tool.starts).toHaveLength(6);
      expect(circuit()).toBe('closed');
      expect(await service.executeTool(once)).toMatchObject({ status: 'success', output: 'next' });
    },
  );

  test('when that request succeeds the circuit is closed within 50 ms', { tags: ['S1-3.2'] }, async () => {
    const { system, service, circuit, of } = await openedCircuit(succeeds('found', 1_000));
    await system.advance(30_000);
    const probe = service.executeTool(once);
    await system.advance(999);
    expect(circuit()).toBe('half_open');
    await system.advance(1);
    expect(circuit()).toBe('closed');
    expect(await probe).toMatchObject({ status: 'success', executionTime: 1_000 });
    const [closed] = of('CircuitBreakerClosed');
    const [succeeded] = of('ToolSucceeded');
    expect(Date.parse(closed?.timestamp ?? '') - Date.parse(succeeded?.timestamp ?? '')).toBeLessThanOrEqual(50);
    expect(of('AttemptStarted').at(-1)).toMatchObject({ probe: true, circuit_breaker_state: 'half_open' });
  });

  test('when that request fails the circuit is open within 50 ms, and its timer starts again', { tags: ['S1-3.2'] }, async () => {
    const opened = await openedCircuit(fails('Connection timeout', 1_000), succeeds());
    const { system, service, circuit, tool, of } = opened;
    await system.advance(30_000);
    const probe = service.executeTool(flightSearch);
    await system.advance(1_000);
    expect(circuit()).toBe('open');
    expect(of('CircuitBreakerOpened')).toHaveLength(2);
    // One retry attempt is allowed, so the probe itself is not retried.
    expect(await probe).toMatchObject({ status: 'error', attempts: 1, executionTime: 1_000, error: { stoppedBy: 'circuit' } });
    expect(of('RecoveryDecided').at(-1)).toMatchObject({ message: 'Probe failed', inputs: { probe: true, circuit_breaker_state: 'open' } });

    await expectRefused(opened, 30_000);
    await system.advance(29_999);
    await expectRefused(opened, 1);
    await system.advance(1);
    expect(circuit()).toBe('half_open');
    expect(tool.starts).toHaveLength(6);
    expect((await opened.call()).status).toBe('success');
    expect(circuit()).toBe('closed');
  });

  test('one success in half-open closes it and resets the failure counter to 0', { tags: ['S1-3.3'] }, async () => {
    const { system, call, circuit, failures, messages } = await openedCircuit(succeeds('found'));
    await system.advance(30_000);
    expect(circuit()).toBe('half_open');
    expect(await call()).toMatchObject({ status: 'success', output: 'found' });
    expect([circuit(), failures()]).toEqual(['closed', 0]);
    expect(messages()).toContain('Circuit breaker closed for flight_search');
  });

  test('then normal operation resumes: many calls at once, and five new failures to open it', { tags: ['S1-3.3'] }, async () => {
    const down = fails('Connection timeout');
    const { system, service, call, circuit, failures } = await openedCircuit(succeeds(), succeeds('a'), succeeds('b'), succeeds('c'), down);
    await system.advance(30_000);
    await call();
    const together = await system.until(Promise.all([1, 2, 3].map(() => service.executeTool(once))));
    expect(together.map(({ output }) => output)).toEqual(['a', 'b', 'c']);
    for (const failure of [1, 2, 3, 4]) {
      await call();
      expect([circuit(), failures()]).toEqual(['closed', failure]);
    }
    await call();
    expect(circuit()).toBe('open');
  });

  test('five permanent errors, and five more, leave it closed with a counter of 0', { tags: ['S1-3.4'] }, async () => {
    const errors = ['Invalid input', 'Auth failure', 'Not found', 'Invalid input', 'Auth failure'];
    const { call, circuit, failures, of, tool } = scene([...errors, ...errors].map((message) => fails(message)));
    for (const _ of [...errors, ...errors]) {
      expect(await call()).toMatchObject({ status: 'error', attempts: 1, error: { classification: 'permanent', retryable: false } });
      expect([circuit(), failures()]).toEqual(['closed', 0]);
    }
    expect(of('CircuitBreakerOpened')).toEqual([]);
    expect(of('ToolError').map(({ classification }) => classification)).toEqual(Array.from({ length: 10 }, () => 'permanent'));
    expect(of('CallRefused')).toEqual([]);
    expect(tool.starts).toHaveLength(10);
  });

  test('a permanent error in half-open neither closes the circuit nor opens it again', { tags: ['S1-3.4', 'S0-3.4'] }, async () => {
    const { system, call, circuit, tool } = await openedCircuit(fails('Invalid airport code: XYZ'), succeeds());
    await system.advance(30_000);
    await call();
    expect(circuit()).toBe('half_open');
    expect(await call()).toMatchObject({ status: 'success' });
    expect([circuit(), tool.starts.length]).toEqual(['closed', 7]);
  });

  test('a call that began before the circuit opened does not close it by its success', { tags: ['S1-3.3', 'S0-3.1'] }, async () => {
    const { system, service, call, circuit } = scene([succeeds('late', 30_000), ...fiveFailures, fails('Connection timeout')]);
    const slow = service.executeTool({ ...flightSearch, policy: { timeoutMs: 60_000 } });
    for (let failure = 0; failure < 5; failure++) await call();
    await system.advance(30_000);
    expect(await slow).toMatchObject({ status: 'success' });
    expect(circuit()).toBe('half_open');
  });

  test('five transient errors of any kind open it, with a counter of 5', { tags: ['S1-3.5'] }, async () => {
    const errors = ['Timeout', 'Rate limit', 'Connection reset', 'Timeout', 'Rate limit'];
    const { call, circuit, failures, of } = scene(errors.map((message) => fails(message)));
    for (const [index, message] of errors.entries()) {
      expect([circuit(), failures()]).toEqual(['closed', index]);
      expect(await call()).toMatchObject({ error: { message: `Tool error: ${message}`, classification: 'transient' } });
    }
    expect([circuit(), failures()]).toEqual(['open', 5]);
    expect(of('ToolError').map(({ category }) => category)).toEqual(['timeout', 'rate_limit', 'network', 'timeout', 'rate_limit']);
    expect(of('CircuitBreakerOpened')).toMatchObject([{ failure_count: 5, reason: 'failure_threshold' }]);
  });

  test('time limits of ours count like errors of the tool', { tags: ['S1-3.5'] }, async () => {
    const { call, circuit, failures, of } = scene([{ does: 'hang' }]);
    for (let failure = 0; failure < 5; failure++) expect((await call()).status).toBe('timeout');
    expect([circuit(), failures()]).toEqual(['open', 5]);
    expect(of('ToolTimeout')).toHaveLength(5);
  });
});
