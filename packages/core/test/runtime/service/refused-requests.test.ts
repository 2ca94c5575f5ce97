/** Calls, plans and their options that cannot be read: nothing runs, and every result names the fix. */
import { describe, expect, it } from 'vitest';
import type { TraceEvent } from '../../../src/index.ts';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';

interface World {
  readonly service: ToolExecutionService;
  readonly events: readonly TraceEvent[];
  /** What the tool was run with. */
  readonly runs: readonly unknown[];
}

function world(): World {
  const runs: unknown[] = [];
  const events: TraceEvent[] = [];
  const run = (args: unknown): string => {
    runs.push(args);
    return 'done';
  };
  const service = new ToolExecutionService({ system: manualSystem(), seed: 'refused', tools: [defineTool({ name: 'work', run })] });
  service.subscribe((event) => void events.push(event));
  return { service, events, runs };
}

describe('a request', () => {
  it.each([undefined, {}, { signal: undefined, timeoutMs: undefined }])('options of %j are no options', async (options) => {
    const { service, runs } = world();
    const call = { callId: 'a', toolName: 'work' };
    expect(await service.executeTool(call, options as never)).toMatchObject({ status: 'success', output: 'done' });
    expect(await service.executeToolBatch([call], options as never)).toMatchObject([{ status: 'success' }]);
    expect(await service.executeTurn({ calls: [call] }, options as never)).toMatchObject({ outcome: 'success' });
    expect(runs).toHaveLength(3);
  });

  it.each<readonly [unknown, string]>([
    [null, ' must be an object, got null. Known settings: timeoutMs, signal.'],
    [0, ' must be an object, got 0. Known settings: timeoutMs, signal.'],
    ['soon', " must be an object, got 'soon'. Known settings: timeoutMs, signal."],
    [[], ' must be an object, got an array. Known settings: timeoutMs, signal.'],
    [{ timeout: 5 }, " has no setting 'timeout'. Did you mean 'timeoutMs'?"],
    [{ retries: 5 }, " has no setting 'retries'. Known: timeoutMs, signal."],
    [new AbortController().signal, ' must be an object, got an AbortSignal. Known settings: timeoutMs, signal.'],
    [{ timeoutMs: null }, '.timeoutMs must be a number of milliseconds above 0, got null.'],
    [{ timeoutMs: Number.NaN }, '.timeoutMs must be a number of milliseconds above 0, got NaN.'],
    [{ timeoutMs: -5 }, '.timeoutMs must be a number of milliseconds above 0, got -5.'],
    [{ timeoutMs: '5s' }, ".timeoutMs must be a number of milliseconds above 0, got '5s'."],
    [{ signal: null }, '.signal must be an AbortSignal, such as controller.signal, got null.'],
    [{ signal: 'soon' }, ".signal must be an AbortSignal, such as controller.signal, got 'soon'."],
    [{ signal: new AbortController() }, '.signal must be an AbortSignal, such as controller.signal, got an object.'],
  ])('options of %j run nothing, and the results name the fix', async (options, complaint) => {
    const { service, runs, events } = world();
    const call = { callId: 'a', toolName: 'work' };
    const error = (where: string, code: string): object => ({ code, message: expect.stringContaining(`${where}${complaint}`) });
    const invalid = (where: string): object => ({ callId: 'a', toolName: 'work', status: 'error', error: error(where, 'INVALID_CALL') });
    expect(await service.executeTool(call, options as never)).toMatchObject(invalid("executeTool's options"));
    expect(await service.executeToolBatch([call, call], options as never)).toMatchObject([
      invalid("executeToolBatch's options"),
      invalid("executeToolBatch's options"),
    ]);
    const turn = await service.executeTurn({ calls: [call] }, options as never);
    expect(turn).toMatchObject({ outcome: 'failed', problems: [`executeTurn's options${complaint}`] });
    expect(turn.results).toMatchObject([{ error: error("executeTurn's options", 'INVALID_PLAN') }]);
    expect([runs, events.filter(({ event_type }) => event_type === 'TurnStarted')]).toEqual([[], []]);
  });

  it.each<readonly [object, string]>([
    [{ toolName: 'work', args: {} }, "Call 'call-1' has no field 'args'. Did you mean 'arguments'?"],
    [{ toolName: 'work', argumens: {} }, "Call 'call-1' has no field 'argumens'. Did you mean 'arguments'?"],
    [{ id: 'a', name: 'work' }, "Call 'call-1' has no field 'id'. Did you mean 'callId'?"],
    [{ callId: 'a', tool: 'work' }, "Call 'a' has no field 'tool'. Did you mean 'toolName'?"],
    [{ toolName: 'work', weight: 1 }, "Call 'call-1' has no field 'weight'. Known: callId, toolName, arguments, policy, idempotencyKey."],
    [{ toolName: 'work', dependsOn: ['a'] }, "Call 'call-1' cannot set 'dependsOn': a single call or a batch has no plan."],
    [{ toolName: 'work', idempotencyKey: 7 }, "Call 'call-1'.idempotencyKey must be a string, got number"],
    [
      { toolName: 'work', policy: { alternatives: ['wrok'] } },
      "Call 'call-1'.policy.alternatives names 'wrok', but there is no such tool. Did you mean 'work'?",
    ],
    [
      { toolName: 'work', policy: { retry: { maxAttemps: 2 } } },
      "Call 'call-1'.policy.retry has no setting 'maxAttemps'. Did you mean 'maxAttempts'?",
    ],
    [{ toolName: 'work', policy: [] }, "Call 'call-1'.policy must be an object, got an array."],
  ])('a call of %j runs nothing, and its result names the fix', async (call, message) => {
    const { service, runs } = world();
    const result = { status: 'error', error: { code: 'INVALID_CALL', message: expect.stringContaining(message) } };
    expect(await service.executeTool(call as never)).toMatchObject(result);
    expect(await service.executeToolBatch([call, { toolName: 'work' }] as never)).toMatchObject([result, { status: 'success' }]);
    expect(runs).toHaveLength(1);
  });

  it.each<readonly [object | null, string]>([
    [{ callId: 'b', toolName: 'work', depends_on: ['a'] }, "Call 'b' has no setting 'depends_on'. Did you mean 'dependsOn'?"],
    [{ callId: 'b', toolName: 'work', optinal: true }, "Call 'b' has no setting 'optinal'. Did you mean 'optional'?"],
    [{ callId: 'b', toolName: 'work', args: {} }, "Call 'b' has no setting 'args'. Did you mean 'arguments'?"],
    [{ callId: 'b', toolName: 'work', dependsOn: 'a' }, "Call 'b'.dependsOn must be an array of call ids, got 'a'."],
    [{ callId: 'b', toolName: 'work', dependsOn: [7] }, "Call 'b'.dependsOn[0] must be of type string, got 7."],
    [{ callId: 'b', toolName: 'work', optional: 'false' }, "Call 'b'.optional must be true or false, got 'false'."],
    [{ callId: 'b', toolName: 'work', critical: 1 }, "Call 'b'.critical must be true or false, got 1."],
    [{ callId: 'b', toolName: 'work', defaults: ['a'] }, "Call 'b'.defaults must be of type object, got an array."],
    [{ callId: 'b', toolName: 'work', idempotencyKey: 7 }, "Call 'b'.idempotencyKey must be of type string, got 7."],
    [
      { callId: 'b', toolName: 'work', policy: { alternatives: ['wrok'] } },
      "Call 'b'.policy.alternatives names 'wrok', but there is no such tool. Did you mean 'work'?",
    ],
    [
      null,
      "Call 'call-2' must be an object, got null. Known settings: callId, toolName, arguments, dependsOn, optional, critical, defaults, policy, idempotencyKey.",
    ],
  ])('a planned call of %j stops its plan', async (call, message) => {
    const { service, runs } = world();
    const turn = await service.executeTurn({ calls: [{ callId: 'a', toolName: 'work' }, call] } as never);
    expect(turn).toMatchObject({ outcome: 'failed', problems: expect.arrayContaining([message]) });
    expect(runs).toEqual([]);
  });

  it.each<readonly [unknown, string]>([
    [{ calls: [], timeout_ms: 5 }, "Turn has no setting 'timeout_ms'. Did you mean 'timeoutMs'?"],
    [{ calls: [], id: 'a' }, "Turn has no setting 'id'. Did you mean 'turnId'?"],
    [{ calls: [], onDeadline: 'stop' }, "Turn.onDeadline must be one of detach, abort, got 'stop'."],
    [{ calls: {} }, 'Turn.calls must be an array of calls, got an object.'],
    [{}, 'Turn.calls must be an array of calls, got undefined.'],
    [[], 'Turn must be an object, got an array. Known settings: timeoutMs, concurrency, onDeadline, maxRetries, turnId, calls.'],
    [null, 'Turn must be an object, got null. Known settings: timeoutMs, concurrency, onDeadline, maxRetries, turnId, calls.'],
  ])('a plan of %j does not run', async (plan, message) => {
    const { problems, outcome } = await world().service.executeTurn(plan as never);
    expect([outcome, problems]).toEqual(['failed', [message]]);
  });
});

interface Loose {
  executeTool(...given: readonly unknown[]): Promise<object>;
  executeToolBatch(...given: readonly unknown[]): Promise<readonly object[]>;
}

it('a call that cannot be read is reported before its options are', async () => {
  const { service, runs } = world();
  const loose = service as unknown as Loose;
  const unreadable = { error: { message: "A call must be an object { toolName, arguments }, got 'work'" } };
  expect(await loose.executeTool('work', { city: 'Oslo' })).toMatchObject(unreadable);
  const [first, second] = await loose.executeToolBatch(['work', { toolName: 'work' }], { timeout: 5 });
  expect(first).toMatchObject(unreadable);
  expect(second).toMatchObject({ error: { message: expect.stringContaining("has no setting 'timeout'") } });
  expect(runs).toEqual([]);
});

it('a limit that is not complete is refused with the tool that it belongs to', () => {
  const limited = defineTool({ name: 'work', rateLimit: { limit: 5 } as never, run: () => 'done' });
  expect(() => new ToolExecutionService({ tools: [limited] })).toThrow("Tool 'work'.rateLimit.windowMs must be");
});
