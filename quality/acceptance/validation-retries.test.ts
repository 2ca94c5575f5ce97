import { defineTool } from '@holdfast/core';
import type { BackoffStrategy, RetryPolicy, SessionEvent } from '@holdfast/core/agent';
import {
  ConstantBackoff,
  decideValidationRetry,
  ExponentialBackoff,
  LinearBackoff,
  mergeRetryPolicies,
  parseStructured,
  retryPolicyDefaults,
  runInference,
  Session,
  StructuredOutputError,
  ToolValidationError,
} from '@holdfast/core/agent';
import { describe, expect, test } from 'vitest';
import { agentStage, call, right, scriptedModel, weather, wrong } from './support/agent.ts';
import { fails, hangs, scriptedTool } from './support/scripted-tool.ts';

describe('design principles', () => {
  test(
    'transport errors, timeouts and exceptions of a tool are no validation failures',
    { tags: ['S2-principle-recoverable'] },
    async () => {
      const { system, run, session } = agentStage();
      const others = agentStage({
        tools: [
          scriptedTool(system, 'down', [fails(Object.assign(new Error('reset'), { code: 'ECONNRESET' }))]).tool,
          scriptedTool(system, 'slow', [hangs], { timeoutMs: 10, retry: { maxAttempts: 1 } }).tool,
          scriptedTool(system, 'buggy', [fails(new TypeError('x is not a function'))]).tool,
        ],
      });
      const answers = await others.system.until(
        others.run.answer(['down', 'slow', 'buggy'].map((toolName) => ({ callId: toolName, toolName, arguments: {} }))),
      );
      expect(answers.map(({ isError }) => isError)).toEqual([true, true, true]);
      expect(others.session.feedback).toEqual([]);
      expect(others.of('ValidationRetryScheduled')).toEqual([]);

      await run.answer([call(wrong)]);
      expect(session.feedback).toHaveLength(1);
    },
  );

  test('the same failures and configuration give the same decisions and delays', { tags: ['S2-principle-deterministic'] }, async () => {
    const seeds: (string | undefined)[] = [];
    const spread: BackoffStrategy = {
      delaySeconds: (attempt, options) => {
        seeds.push(options?.seed);
        return attempt + (options?.seed?.length ?? 0) / 100;
      },
    };
    const record = async (): Promise<readonly SessionEvent[]> => {
      const { answer, session } = agentStage({ validationRetries: { backoff: spread } });
      for (const _ of [1, 2, 3]) await answer(wrong);
      return session.events;
    };
    expect(await record()).toEqual(await record());
    expect(new Set(seeds)).toEqual(new Set([expect.stringContaining('acceptance')]));

    const failure = { attempt: 1, errorType: 'ToolValidationError', elapsedSeconds: 0, reducerFailed: false, seed: 's' };
    expect(decideValidationRetry(retryPolicyDefaults, failure)).toEqual(decideValidationRetry(retryPolicyDefaults, { ...failure }));
  });

  test('the error is in the session before the model is called again, and in its messages', { tags: ['S2-principle-prompt'] }, async () => {
    const { model, requests } = scriptedModel({ calls: [call(wrong)] }, { text: 'done' });
    await runInference({ model, messages: [{ role: 'user', content: 'weather?' }], tools: [weather] });
    expect(requests[0]?.feedback).toEqual([]);
    expect(requests[1]?.feedback).toMatchObject([
      { source: 'tool', toolName: 'weather', attempt: 1, message: expect.stringContaining("'unit'") },
    ]);
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      isError: true,
      content: expect.stringContaining('must be one of "c", "f"'),
    });
  });
});

describe('configuration', () => {
  test('three attempts, retryable errors and feedback by default', { tags: ['S2-policy'] }, async () => {
    expect(retryPolicyDefaults).toMatchObject({ maxAttempts: 3, emitFeedback: true });
    expect(retryPolicyDefaults.retryableErrors).toEqual(['ToolValidationError', 'StructuredOutputError']);
    expect(Object.isFrozen(retryPolicyDefaults)).toBe(true);

    const strict = agentStage({ validationRetries: { retryableErrors: [StructuredOutputError] } });
    const { answer } = await strict.answer(wrong);
    expect(answer.exhausted).toMatchObject({ stoppedBy: 'not_retryable', attempts: 1 });

    const silent = agentStage({ validationRetries: { emitFeedback: false } });
    expect((await silent.answer(wrong)).text).not.toContain('attempt');
    expect(silent.session.feedback).toEqual([]);
    expect(silent.session.metrics.validation_retry_total).toBe(1);
  });

  test('a tool may reject arguments itself', { tags: ['S2-policy', 'S2-tool'] }, async () => {
    const tool = defineTool({
      name: 'weather',
      run: (): never => {
        throw new ToolValidationError('Oslo has no station');
      },
    });
    const { answer, of } = agentStage({ tools: [tool] });
    expect((await answer({})).text).toContain('Oslo has no station');
    expect(of('AttemptStarted')).toHaveLength(1);
    expect(of('ValidationRetryScheduled')).toMatchObject([{ attempt: 1, error_type: 'ToolValidationError' }]);
  });

  test('a call overrides its tool, which overrides the global settings, field by field', { tags: ['S2-layers'] }, async () => {
    const global = { maxAttempts: 5, backoff: new ConstantBackoff(1) };
    const tool = { maxAttempts: 4 };
    expect(mergeRetryPolicies(global, tool)).toMatchObject({ maxAttempts: 4, backoff: { seconds: 1 }, emitFeedback: true });
    expect(mergeRetryPolicies(global, tool, { maxAttempts: 2, backoff: undefined })).toMatchObject({
      maxAttempts: 2,
      backoff: { seconds: 1 },
    });

    const { answer } = agentStage({ validationRetries: global, toolValidationRetries: { weather: tool } });
    expect((await answer(wrong)).text).toContain('attempt 1 of 4');
    expect((await answer(wrong, { validationRetries: { maxAttempts: 2 } })).answer.exhausted).toMatchObject({
      maxAttempts: 2,
      attempts: 2,
    });
  });

  test('policies live alongside tool definitions: over the global one, under the call', { tags: ['S2-layers'] }, async () => {
    const policy: RetryPolicy = { maxAttempts: 2, backoff: new ConstantBackoff(3), retryableErrors: [ToolValidationError] };
    const tool = { ...weather, validationRetries: policy };
    const { answer } = agentStage({ tools: [tool], validationRetries: { maxAttempts: 5 } });
    const first = await answer(wrong);
    expect(first.text).toContain('attempt 1 of 2');
    expect(first.tookMs).toBe(3_000);
    expect((await answer(wrong)).answer.exhausted).toMatchObject({ maxAttempts: 2, attempts: 2 });

    const overridden = agentStage({ tools: [tool] });
    expect((await overridden.answer(wrong, { validationRetries: { maxAttempts: 4 } })).text).toContain('attempt 1 of 4');
    expect(() => defineTool({ name: 'weather', run: () => 1, validationRetries: { maxAttemps: 2 } as never })).toThrow(
      "Tool 'weather'.validationRetries has no setting 'maxAttemps'. Did you mean 'maxAttempts'?",
    );
  });

  test('the three strategies, with their exact numbers', { tags: ['S2-backoff'] }, async () => {
    const delays = (strategy: BackoffStrategy): readonly number[] =>
      [1, 2, 3, 4].map((attempt) => strategy.delaySeconds(attempt, { seed: 'any' }));
    expect(delays(new ConstantBackoff(2))).toEqual([2, 2, 2, 2]);
    expect(delays(new LinearBackoff(1, 0.5))).toEqual([1, 1.5, 2, 2.5]);
    expect(delays(new ExponentialBackoff(1, 3))).toEqual([1, 3, 9, 27]);
    expect(() => new ConstantBackoff(-1)).toThrow(RangeError);
    expect(() => new LinearBackoff(1, Number.NaN)).toThrow(RangeError);

    const { answer } = agentStage({ validationRetries: { backoff: new LinearBackoff(1, 2), maxAttempts: 3 } });
    expect([(await answer(wrong)).tookMs, (await answer(wrong)).tookMs, (await answer(wrong)).tookMs]).toEqual([1_000, 3_000, 0]);
  });
});

describe('backoff strategies that fail', () => {
  const broken: readonly (readonly [string, BackoffStrategy['delaySeconds']])[] = [
    [
      'throw',
      () => {
        throw new Error('no delay');
      },
    ],
    ['give a negative delay', () => -5],
    ['give no number', () => 'soon' as unknown as number],
  ];
  test.each(broken)('and %s mean no delay, and the loop continues', { tags: ['S2-backoff'] }, async (_name, delaySeconds) => {
    const { answer, session } = agentStage({ validationRetries: { backoff: { delaySeconds } } });
    const { tookMs, text } = await answer(wrong);
    expect([tookMs, session.latestFeedback()?.nextDelaySeconds]).toEqual([0, 0]);
    expect(text).toContain('attempt 1 of 3');
  });
});

describe('execution flow', () => {
  test('attempts are counted per tool, and once for each answer of the model', { tags: ['S2-tool'] }, async () => {
    const calendar = defineTool({ name: 'calendar', input: { type: 'object', required: ['day'] }, run: () => 'free' });
    const { system, run, session } = agentStage({ tools: [weather, calendar] });
    const invalid = [call(wrong), call({ city: 1 }, { callId: 'call_2' }), call({}, { callId: 'call_3', toolName: 'calendar' })];
    await system.until(run.answer(invalid));
    expect(session.feedback.map(({ toolName, attempt }) => [toolName, attempt])).toEqual([
      ['weather', 1],
      ['weather', 1],
      ['calendar', 1],
    ]);
    await system.until(run.answer([call(wrong)]));
    expect(session.latestFeedback()).toMatchObject({ toolName: 'weather', attempt: 2 });
    await system.until(run.answer([call({}, { callId: 'call_4', toolName: 'calendar' })]));
    expect(session.latestFeedback()).toMatchObject({ toolName: 'calendar', attempt: 2 });
  });

  test('a structured output may stand in a code fence', { tags: ['S2-structured-output'] }, async () => {
    expect(await parseStructured('```json\n{"degrees": 21}\n```', { type: 'object', required: ['degrees'] })).toEqual({
      ok: true,
      value: { degrees: 21 },
    });
  });

  test('a corrected call ends the count: the next wrong one is attempt 1 again', { tags: ['S2-tool'] }, async () => {
    const { answer, of } = agentStage();
    expect((await answer(wrong)).text).toContain('attempt 1 of 3');
    expect((await answer(wrong)).text).toContain('attempt 2 of 3');
    expect((await answer(right)).answer.isError).toBe(false);
    expect((await answer(wrong)).text).toContain('attempt 1 of 3');
    expect(of('ValidationRecovered')).toMatchObject([{ attempts: 3 }]);
  });

  test('a model that is wrong twice and then right succeeds on the third attempt', { tags: ['S2-tool'] }, async () => {
    const { model } = scriptedModel(
      { calls: [call(wrong)] },
      { calls: [call({ town: 'Oslo' })] },
      { calls: [call(right)] },
      { text: '21 degrees' },
    );
    const session = new Session();
    const result = await runInference({ model, messages: [{ role: 'user', content: 'weather?' }], tools: [weather], session });
    expect(result).toMatchObject({ outcome: 'answered', text: '21 degrees', turns: 4, calls: 3, stopped: undefined });
    expect(session.feedback.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(result.trace.filter(({ event_type }) => event_type === 'ValidationRecovered')).toMatchObject([
      { tool_id: 'weather', attempts: 3 },
    ]);
  });

  test('a structured output is parsed, rejected, and corrected', { tags: ['S2-structured-output'] }, async () => {
    const schema = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };
    expect(await parseStructured('{"degrees": 21}', schema)).toEqual({ ok: true, value: { degrees: 21 } });
    expect(await parseStructured('{"degrees": ', schema)).toMatchObject({ ok: false, error: { name: 'StructuredOutputError' } });

    const { model, requests } = scriptedModel({ text: 'It is warm' }, { text: '{"degrees":"21"}' }, { text: '{"degrees":21}' });
    const result = await runInference({ model, messages: [], output: schema });
    expect(result).toMatchObject({ outcome: 'answered', output: { degrees: 21 }, turns: 3 });
    expect(requests[2]?.feedback).toMatchObject([
      { source: 'structured_output', toolName: null, attempt: 2, errorType: 'StructuredOutputError' },
    ]);
    expect(result.messages.at(-2)).toMatchObject({ role: 'user', content: expect.stringContaining("Field 'degrees'") });
  });

  test(
    'a structured output that fails waits like an invalid call, and is kept and counted like one',
    { tags: ['S2-structured-output'] },
    async () => {
      const { system, run, session, of } = agentStage({ validationRetries: { backoff: new LinearBackoff(1, 2), maxAttempts: 3 } });
      const schema = { type: 'object', properties: { degrees: { type: 'number' } }, required: ['degrees'] };
      const read = (text: string) => system.until(run.readOutput(text, schema));
      expect(await read('warm')).toMatchObject({ ok: false, text: expect.stringContaining('attempt 1 of 3') });
      expect(system.now()).toBe(1_000);
      expect(await read('{}')).toMatchObject({ ok: false });
      expect(system.now()).toBe(4_000);
      expect(await read('{"degrees":21}')).toMatchObject({ ok: true, value: { degrees: 21 } });
      expect(session.feedback.map(({ source, attempt, nextDelaySeconds }) => [source, attempt, nextDelaySeconds])).toEqual([
        ['structured_output', 1, 1],
        ['structured_output', 2, 3],
      ]);
      expect(of('ValidationRecovered')).toMatchObject([{ source: 'structured_output', attempts: 3 }]);
    },
  );

  test(
    'a model that never corrects its call ends after three attempts, with the history as a value',
    { tags: ['S2-exhaustion'] },
    async () => {
      const { model, requests } = scriptedModel({ calls: [call(wrong)] });
      const result = await runInference({ model, messages: [], tools: [weather] });
      expect(requests).toHaveLength(3);
      expect(result.outcome).toBe('exhausted');
      expect(result.exhausted).toMatchObject({
        name: 'RetryExhaustedError',
        code: 'RETRY_EXHAUSTED',
        toolName: 'weather',
        attempts: 3,
        maxAttempts: 3,
        stoppedBy: 'attempts',
      });
      expect(result.exhausted?.history.map(({ attempt, errorType }) => [attempt, errorType])).toEqual([
        [1, 'ToolValidationError'],
        [2, 'ToolValidationError'],
        [3, 'ToolValidationError'],
      ]);
      expect(result.trace.filter(({ event_type }) => event_type === 'ValidationRetryExhausted')).toHaveLength(1);

      const output = await runInference({ model: scriptedModel({ text: 'no JSON' }).model, messages: [], output: { type: 'object' } });
      expect(output).toMatchObject({ outcome: 'exhausted', exhausted: { source: 'structured_output', attempts: 3 } });
    },
  );

  test('the planner decides what comes after exhaustion', { tags: ['S2-exhaustion'] }, async () => {
    const { answer, run } = agentStage();
    for (const _ of [1, 2, 3]) await answer(wrong);
    expect(run.stopped?.reason).toBe('validation_exhausted');
    expect((await answer(right)).text).toContain('RUN_STOPPED');
    run.resume();
    expect((await answer(right)).answer.isError).toBe(false);

    const closing = agentStage({ onExhausted: 'close_tool', tools: [weather, defineTool({ name: 'other', run: () => 'ok' })] });
    for (const _ of [1, 2, 3]) await closing.answer(wrong);
    expect(closing.run.stopped).toBeUndefined();
    expect((await closing.answer(right)).text).toContain('used up');
    expect((await closing.answer({}, { toolName: 'other' })).text).toBe('ok');
  });
});
