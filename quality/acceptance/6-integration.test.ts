import type { DecisionInputs, FailureNotice } from '@holdfast/core';
import { ErrorHandler } from '@holdfast/core';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { fails, hangs, scriptedTool, succeeds } from './support/scripted-tool.ts';
import { eventsOf, stage } from './support/stage.ts';
import { timeoutNotice } from './support/timeout-notice.ts';

const flightSearch = { callId: 'flights', toolName: 'flight_search' };

describe('error handler', () => {
  test('it is notified of each failure, with error, tool, attempt and turn', { tags: ['S1-6.1'] }, async () => {
    const system = manualSystem();
    const error = new Error('Connection reset');
    const tool = scriptedTool(system, 'flight_search', [fails(error), fails('Rate limit exceeded (429)'), succeeds()]);
    const notices: FailureNotice[] = [];
    const { service } = stage(system, [tool], {
      advisor: (notice) => {
        notices.push(notice);
        return undefined;
      },
    });
    const { results } = await system.until(service.executeTurn({ turnId: 'turn-7', timeoutMs: 60_000, calls: [flightSearch] }));
    expect(results[0]?.status).toBe('success');
    expect(notices).toHaveLength(2);
    const [first, second] = notices;
    // Error details
    expect(first).toMatchObject({
      code: 'NETWORK_ERROR',
      message: 'Connection reset',
      facts: { classification: 'transient', category: 'network' },
    });
    expect(first?.error).toBe(error);
    expect(second).toMatchObject({ code: 'RATE_LIMITED', facts: { classification: 'transient', category: 'rate_limit' } });
    // Tool id
    expect(first).toMatchObject({ toolName: 'flight_search', facts: { toolName: 'flight_search' } });
    // Attempt count
    expect(first).toMatchObject({ attempt: 1, facts: { attempts: 1, maxAttempts: 5, retryCount: 0 } });
    expect(second).toMatchObject({ attempt: 2, facts: { attempts: 2, retryCount: 1 } });
    // Turn context
    expect(first).toMatchObject({
      turnId: 'turn-7',
      callId: 'flights',
      facts: { turnTimeLeftMs: 60_000, circuit: 'closed' },
    });
  });

  test('it keeps them in its inbox and returns a decision', { tags: ['S1-6.1'] }, () => {
    const handler = new ErrorHandler();
    const answer = handler.handle(timeoutNotice());
    expect(handler.inbox).toEqual([timeoutNotice()]);
    expect(answer).toMatchObject({ decidedBy: 'built_in', decision: { action: 'retry' } });
  });

  test("a service's inbox can be read and subscribed to, and a handler can be handed in", { tags: ['S1-6.1'] }, async () => {
    const system = manualSystem();
    const { service } = stage(system, [scriptedTool(system, 'flight_search', [hangs, succeeds()])]);
    const heard: string[] = [];
    service.errorHandler.subscribe(({ toolName, attempt }, { decision }) => heard.push(`${toolName} ${attempt} ${decision.action}`));
    await system.until(service.executeTool(flightSearch));
    expect(service.errorHandler.inbox).toMatchObject([{ toolName: 'flight_search', attempt: 1, code: 'TOOL_TIMEOUT' }]);
    expect(heard).toEqual(['flight_search 1 retry']);

    const errorHandler = new ErrorHandler({ recoveryRules: [{ name: 'never', deny: 'retry' }] });
    const given = stage(system, [scriptedTool(system, 'flight_search', [hangs, succeeds()])], { errorHandler });
    const result = await system.until(given.service.executeTool(flightSearch));
    expect(result).toMatchObject({ status: 'timeout', attempts: 1 });
    expect(given.service.errorHandler).toBe(errorHandler);
    expect(errorHandler.inbox).toHaveLength(1);
  });

  test('a tool that succeeds does not reach the error handler', { tags: ['S1-6.1'] }, async () => {
    const system = manualSystem();
    let asked = 0;
    const { service } = stage(system, [scriptedTool(system, 'flight_search', [succeeds()])], {
      advisor: () => void (asked += 1) as undefined,
    });
    await system.until(service.executeTool(flightSearch));
    expect(asked).toBe(0);
  });

  test('transient error + circuit closed + retries available: retry', { tags: ['S1-6.2'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [hangs, succeeds()]);
    const { service, of } = stage(system, [tool]);
    await system.until(service.executeTool(flightSearch));
    expect(of('RecoveryDecided')).toHaveLength(1);
    expect(of('RecoveryDecided')[0]).toMatchObject({
      tool_id: 'flight_search',
      inputs: { classification: 'transient', category: 'timeout', circuit_breaker_state: 'closed', retry_count: 0 },
      decision: { action: 'retry', reason: 'Transient error + circuit closed + retries available' },
      decided_by: 'built_in',
      message: 'Transient error + circuit closed + retries available',
    });
    const { decision } = new ErrorHandler().handle(timeoutNotice());
    expect(decision).toMatchObject({ action: 'retry', reason: 'Transient error + circuit closed + retries available' });
  });

  test('if any of the three is missing there is no retry', { tags: ['S1-6.2'] }, () => {
    const decideWith = (facts: Partial<DecisionInputs>) => new ErrorHandler().handle(timeoutNotice(facts)).decision;
    expect(decideWith({ classification: 'permanent' })).toMatchObject({ action: 'escalate', reason: 'Permanent error (no retry)' });
    expect(decideWith({ circuit: 'open' })).toMatchObject({
      action: 'escalate',
      reason: 'Circuit open',
      stoppedBy: 'circuit',
    });
    expect(decideWith({ attempts: 5 })).toMatchObject({
      action: 'escalate',
      reason: 'Attempts exhausted (5 of 5)',
      stoppedBy: 'attempts',
    });
  });
});

describe('recovery', () => {
  test('attempt 1 times out, attempt 2 succeeds: "Tool succeeded on retry 2"', { tags: ['S1-6.3'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [hangs, succeeds(['LH 400'])]);
    const { service } = stage(system, [tool]);
    const { results, trace, outcome } = await system.until(service.executeTurn({ calls: [flightSearch] }));
    expect(results).toMatchObject([{ status: 'success', output: ['LH 400'], attempts: 2, servedBy: 'flight_search' }]);
    expect(outcome).toBe('success');
    expect(eventsOf(trace, 'RecoveryDecided')).toMatchObject([{ attempt: 1, decision: { action: 'retry' } }]);
    expect(eventsOf(trace, 'ToolSucceeded')).toMatchObject([
      { tool_id: 'flight_search', attempt: 2, message: 'Tool succeeded on retry 2' },
    ]);
  });

  test('a success on the first attempt is not reported as a success on retry', { tags: ['S1-6.3'] }, async () => {
    const system = manualSystem();
    const { service, of, messages } = stage(system, [scriptedTool(system, 'flight_search', [succeeds()])]);
    await system.until(service.executeTool(flightSearch));
    expect(of('ToolSucceeded')).toHaveLength(1);
    expect(messages().filter((message) => message.includes('on retry'))).toEqual([]);
  });

  test('the primary fails permanently, the alternative answers: "Used alternative tool"', { tags: ['S1-6.4'] }, async () => {
    const system = manualSystem();
    const primary = scriptedTool(system, 'flight_search', [fails('Invalid airport code: XYZ')], { alternatives: ['flight_search_backup'] });
    const backup = scriptedTool(system, 'flight_search_backup', [succeeds(['LH 401'])]);
    const { service } = stage(system, [primary, backup]);
    const { results, trace } = await system.until(service.executeTurn({ calls: [{ ...flightSearch, arguments: { to: 'XYZ' } }] }));
    expect(primary.starts).toHaveLength(1);
    expect(backup.received).toEqual([{ to: 'XYZ' }]);
    expect(results).toMatchObject([
      {
        toolName: 'flight_search',
        status: 'success',
        output: ['LH 401'],
        servedBy: 'flight_search_backup',
        fallbackUsed: true,
        attempts: 2,
      },
    ]);
    expect(eventsOf(trace, 'ToolError')).toMatchObject([
      { tool_id: 'flight_search', classification: 'permanent', decision: 'use_alternative' },
    ]);
    expect(eventsOf(trace, 'AlternativeUsed')).toMatchObject([
      { tool_id: 'flight_search', alternative: 'flight_search_backup', message: 'Used alternative tool' },
    ]);
    expect(eventsOf(trace, 'Escalated')).toEqual([]);
  });

  test('when the alternative fails as well, the call fails', { tags: ['S1-6.4'] }, async () => {
    const system = manualSystem();
    const primary = scriptedTool(system, 'flight_search', [fails('Invalid airport code: XYZ')], { alternatives: ['flight_search_backup'] });
    const backup = scriptedTool(system, 'flight_search_backup', [fails('Not found (404)')]);
    const { service, of } = stage(system, [primary, backup]);
    const result = await system.until(service.executeTool(flightSearch));
    expect(result).toMatchObject({ status: 'error', servedBy: 'flight_search_backup', error: { message: 'Tool error: Not found (404)' } });
    expect(backup.starts).toHaveLength(1);
    expect(of('Escalated')).toHaveLength(1);
  });

  test('no alternative is used while the primary can still be retried', { tags: ['S1-6.4'] }, async () => {
    const system = manualSystem();
    const primary = scriptedTool(system, 'flight_search', [fails('Connection reset'), succeeds('primary')], {
      alternatives: ['flight_search_backup'],
    });
    const backup = scriptedTool(system, 'flight_search_backup', [succeeds('backup')]);
    const { service } = stage(system, [primary, backup]);
    expect(await system.until(service.executeTool(flightSearch))).toMatchObject({
      status: 'success',
      output: 'primary',
      servedBy: 'flight_search',
    });
    expect(backup.starts).toHaveLength(0);
  });

  test('a permanent error is escalated, not retried, and the user is notified', { tags: ['S1-6.5'] }, async () => {
    const system = manualSystem();
    const tool = scriptedTool(system, 'flight_search', [fails('Invalid input: to')]);
    const { service, of } = stage(system, [tool]);
    const result = await system.until(service.executeTool(flightSearch));
    expect(of('RecoveryDecided')).toMatchObject([
      {
        inputs: { classification: 'permanent', circuit_breaker_state: 'closed' },
        decision: { action: 'escalate', reason: 'Permanent error (no retry)' },
        message: 'Permanent error (no retry)',
      },
    ]);
    const userMessage = 'The flight search tool could not process this request.';
    expect(of('Escalated')).toMatchObject([{ tool_id: 'flight_search', code: 'INVALID_INPUT', user_message: userMessage }]);
    expect(result).toMatchObject({ status: 'error', attempts: 1, error: { message: 'Tool error: Invalid input: to', userMessage } });
    expect(of('RetryScheduled')).toEqual([]);
    expect(tool.starts).toHaveLength(1);
  });

  test('each error, its classification, the circuit, the decision and the outcome are in the trace', { tags: ['S1-6.6'] }, async () => {
    const system = manualSystem();
    const tools = [
      scriptedTool(system, 'flight_search', [fails('Connection reset'), succeeds()]),
      scriptedTool(system, 'hotel_search', [fails('Authentication failed (401)')]),
      scriptedTool(system, 'activity_search', [fails('Service unavailable (503)')]),
      scriptedTool(system, 'car_search', [fails('Not found (404)')], { alternatives: ['car_search_backup'] }),
      scriptedTool(system, 'car_search_backup', [succeeds()]),
    ];
    const { service } = stage(system, tools);
    const names = ['flight_search', 'hotel_search', 'activity_search', 'car_search'];
    const calls = names.map((toolName) => ({ callId: toolName, toolName }));
    const { trace } = await system.until(service.executeTurn({ calls }));
    const recorded = (name: string) => eventsOf(trace, 'ToolError').filter(({ tool_id }) => tool_id === name);
    const rows = (name: string) =>
      recorded(name).map((event) => [event.error, event.classification, event.circuit_breaker_state, event.retry_count, event.decision]);
    expect(rows('flight_search')).toEqual([['Connection reset', 'transient', 'closed', 0, 'retry']]);
    expect(rows('hotel_search')).toEqual([['Authentication failed (401)', 'permanent', 'closed', 0, 'escalate']]);
    const unavailable = 'Service unavailable (503)';
    expect(rows('activity_search')).toEqual([
      [unavailable, 'transient', 'closed', 0, 'retry'],
      [unavailable, 'transient', 'closed', 1, 'retry'],
      [unavailable, 'transient', 'closed', 2, 'retry'],
      [unavailable, 'transient', 'closed', 3, 'retry'],
      [unavailable, 'transient', 'open', 4, 'escalate'],
    ]);
    expect(rows('car_search')).toEqual([['Not found (404)', 'permanent', 'closed', 0, 'use_alternative']]);

    // Each with the decision's inputs and reason
    const decided = eventsOf(trace, 'RecoveryDecided');
    expect(decided).toHaveLength(eventsOf(trace, 'ToolError').length);
    for (const { inputs, decision, message } of decided) {
      expect(decision.reason).toBe(message);
      expect(inputs.classification).toMatch(/^(transient|permanent)$/);
    }
    const ended = new Map(
      eventsOf(trace, 'CallCompleted').map(({ tool_id, status, code, classification, attempts, stopped_by }) => [
        tool_id,
        [status, code, classification, attempts, stopped_by],
      ]),
    );
    expect(Object.fromEntries(ended)).toEqual({
      flight_search: ['success', undefined, undefined, 2, undefined],
      hotel_search: ['error', 'AUTHENTICATION_FAILED', 'permanent', 1, undefined],
      activity_search: ['error', 'SERVICE_UNAVAILABLE', 'transient', 5, 'circuit'],
      car_search: ['success', undefined, undefined, 2, undefined],
    });
    expect(trace.map(({ seq }) => seq)).toEqual(trace.map((_, index) => index + 1));
    expect(trace.at(-1)).toMatchObject({ event_type: 'TurnCompleted', outcome: 'partial' });
  });
});
