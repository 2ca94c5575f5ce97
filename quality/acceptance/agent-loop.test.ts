/** S2 and S3 around the loop of an agent: what it waits for, what it tells the model and the operator, and that it continues. */
import { defineTool, ToolExecutionService } from '@holdfast/core';
import type { SessionEvent } from '@holdfast/core/agent';
import { ConstantBackoff, ExponentialBackoff, foldSession, runInference, Session } from '@holdfast/core/agent';
import { createMetrics } from '@holdfast/core/metrics';
import { manualSystem } from '@holdfast/core/testing';
import { describe, expect, test } from 'vitest';
import { agentStage, call, listLogger, right, scriptedModel, weather, wrong } from './support/agent.ts';

const throwing = {
  cart: {
    initial: 0,
    reduce: (): number => {
      throw new RangeError('the cart is closed');
    },
  },
};

describe('reducers', () => {
  test('are the only source of state: the same events give the same state', { tags: ['S2-principle-reducers'] }, async () => {
    const slices = {
      types: {
        initial: [] as readonly string[],
        reduce: (state: readonly string[], { event_type }: SessionEvent) => [...state, event_type],
      },
    };
    const { answer, session } = agentStage({ session: { slices } });
    await answer(wrong);
    await answer(right);
    const own = session as unknown as Session<typeof slices>;
    expect(own.slice('types')).toEqual(session.events.map(({ event_type }) => event_type));
    expect(foldSession(session.events, slices)).toEqual(own.state);
  });

  test('cannot change an event, a state or the session from inside', { tags: ['S2-principle-reducers'] }, async () => {
    const held: { session?: Session } = {};
    const slices = {
      meddler: {
        initial: { seen: 0 },
        reduce: (state: { seen: number }, event: SessionEvent) => {
          expect(Object.isFrozen(state)).toBe(true);
          expect(Object.isFrozen(event)).toBe(true);
          held.session?.append({ event_type: 'Custom', name: 'from a reducer', payload: 1 });
          return state;
        },
      },
    };
    const { answer, session } = agentStage({ session: { slices } });
    held.session = session;
    await answer(right);
    expect(session.events.filter(({ event_type }) => event_type === 'Custom')).toEqual([]);
    expect(session.reducerErrors).toMatchObject([{ reducer: 'meddler', message: expect.stringContaining('must not append') }]);
  });

  test('states that are read cannot be changed', { tags: ['S2-principle-reducers'] }, () => {
    const slices = {
      seen: { initial: { names: [] as string[] }, reduce: (state: { names: string[] }) => ({ names: [...state.names, 'x'] }) },
    };
    const session = new Session({ slices });
    session.append({ event_type: 'Custom', name: 'any', payload: 1 });
    expect(() => session.slice('seen').names.push('y')).toThrow(TypeError);
    expect(session.slice('seen')).toEqual({ names: ['x'] });
  });

  test('report at once: the error is there when append returns', { tags: ['S2-principle-reducers'] }, () => {
    const heard: unknown[] = [];
    const session = new Session({ slices: throwing, onReducerError: (error) => void heard.push(error) });
    const { reducerErrors } = session.append({ event_type: 'Custom', name: 'any', payload: 1 });
    expect(reducerErrors).toMatchObject([
      { name: 'ReducerError', reducer: 'cart', message: 'the cart is closed', payload: { name: 'any' } },
    ]);
    expect(heard).toEqual(reducerErrors);
    expect(session.reducerErrors).toEqual(reducerErrors);
  });

  test(
    'an error of theirs reaches the session, the callback, the log, the trace and the model',
    { tags: ['S2-nothing-swallowed'] },
    async () => {
      const { logger, entries } = listLogger();
      const heard: unknown[] = [];
      const { answer, session, of } = agentStage({
        session: { slices: throwing, logger, onReducerError: (error) => void heard.push(error) },
      });
      const { text } = await answer(right);
      expect(session.reducerErrors).toHaveLength(1);
      expect(heard).toHaveLength(1);
      expect(entries).toMatchObject([{ level: 'error', text: 'reducer failed', details: { reducer: 'cart', errorType: 'RangeError' } }]);
      expect(of('ReducerFailed')).toMatchObject([{ reducer: 'cart', error: 'the cart is closed' }]);
      expect(text).toContain('the cart is closed');
    },
  );

  test('are synchronous: a promise in place of a state is an error', { tags: ['S2-reducers'] }, () => {
    const slices = { later: { initial: 0, reduce: () => Promise.resolve(1) as unknown as number } };
    const session = new Session({ slices });
    session.append({ event_type: 'Custom', name: 'any', payload: 1 });
    expect(session.reducerErrors).toMatchObject([{ reducer: 'later', message: expect.stringContaining('promise') }]);
    expect(session.slice('later')).toBe(0);
  });

  test('a callback can be added later, and removed', { tags: ['S2-reducer-error'] }, () => {
    const heard: string[] = [];
    const session = new Session({ slices: throwing });
    const remove = session.onReducerError(({ reducer }) => void heard.push(reducer));
    session.append({ event_type: 'Custom', name: 'any', payload: 1 });
    remove();
    session.append({ event_type: 'Custom', name: 'any', payload: 2 });
    expect(heard).toEqual(['cart']);
  });

  test('a callback that throws is logged and changes nothing', { tags: ['S2-nothing-swallowed'] }, () => {
    const { logger, entries } = listLogger();
    const onReducerError = (): never => {
      throw new Error('the callback is broken');
    };
    const session = new Session({ slices: throwing, logger, onReducerError });
    session.append({ event_type: 'Custom', name: 'any', payload: 1 });
    expect(session.reducerErrors).toHaveLength(1);
    expect(entries.map(({ text }) => text)).toEqual(['reducer failed', 'reducer error listener failed']);
  });
});

describe('the loop', () => {
  test('waits for the delay of the strategy before the next attempt, and for nothing after the last', { tags: ['S2-loop'] }, async () => {
    const { answer } = agentStage({ validationRetries: { maxAttempts: 4, backoff: new ExponentialBackoff(2, 3) } });
    const took: number[] = [];
    for (let attempt = 0; attempt < 4; attempt++) took.push((await answer(wrong)).tookMs);
    expect(took).toEqual([2_000, 6_000, 18_000, 0]);
  });

  test('prompts can ask for the latest feedback, of all or of one tool', { tags: ['S2-latest-feedback'] }, async () => {
    const calendar = defineTool({ name: 'calendar', input: { type: 'object', required: ['day'] }, run: () => 'free' });
    const { answer, session } = agentStage({ tools: [weather, calendar] });
    expect(session.latestFeedback()).toBeUndefined();
    await answer(wrong);
    await answer({}, { toolName: 'calendar' });
    expect(session.latestFeedback()).toMatchObject({ toolName: 'calendar', message: "Required parameter 'day' missing" });
    expect(session.latestFeedback('weather')).toMatchObject({ toolName: 'weather', attempt: 1 });
    expect(session.feedback).toHaveLength(2);
  });

  test(
    'the feedback says what the tool takes, so that the model can correct its arguments',
    { tags: ['S2-principle-prompt'] },
    async () => {
      const { answer } = agentStage();
      const { text } = await answer(wrong);
      expect(text).toContain('attempt 1 of 3');
      expect(text).toMatch(/weather takes: .*city.*unit/);
    },
  );

  test('every log entry, event and saved session has the correlation id', { tags: ['S2-correlation'] }, async () => {
    const { logger, entries } = listLogger();
    const { answer, session } = agentStage({ session: { logger, slices: throwing }, validationRetries: { maxAttempts: 2 } });
    await answer(wrong);
    await answer(wrong);
    expect(entries.length).toBeGreaterThan(3);
    for (const { details } of entries) expect(details).toMatchObject({ correlationId: 'correlation-1' });
    for (const event of session.events) expect(event.correlation_id).toBe('correlation-1');
    expect(Session.restore(session.save()).correlationId).toBe('correlation-1');
  });

  test('counters and histograms are metric families', { tags: ['S2-exported-metrics'] }, async () => {
    const metrics = createMetrics();
    const { answer, service } = agentStage({ session: { slices: throwing }, validationRetries: { backoff: new ConstantBackoff(3) } });
    service.subscribe((event) => metrics.observe(event));
    await answer(wrong);
    await answer(wrong);
    const names = ['validationRetries', 'reducerErrors', 'validationDelay', 'validationAttempts'] as const;
    expect(names.map((name) => metrics.family(name).name)).toEqual([
      'holdfast_validation_retries_total',
      'holdfast_reducer_errors_total',
      'holdfast_validation_retry_delay_seconds',
      'holdfast_validation_attempts',
    ]);
    const sumOf = (name: 'validationRetries' | 'reducerErrors'): number =>
      metrics.family(name).series.reduce((sum, series) => sum + ('value' in series ? series.value : 0), 0);
    expect(sumOf('validationRetries')).toBe(1);
    expect(sumOf('reducerErrors')).toBeGreaterThan(0);
    expect(metrics.family('validationDelay').series).toContainEqual(expect.objectContaining({ count: 1, sum: 3 }));
    expect(metrics.family('validationAttempts').series).toContainEqual(expect.objectContaining({ count: 1, sum: 2 }));
  });

  test('continues after an error of a tool, which the model reads', { tags: ['S3-loop'] }, async () => {
    const failing = defineTool({
      name: 'failing_tool',
      run: (): never => {
        throw new Error('Something went wrong');
      },
    });
    const { model, requests } = scriptedModel({ calls: [call({}, { toolName: 'failing_tool' })] }, { text: 'I could not do it' });
    const service = new ToolExecutionService({ tools: [failing], system: manualSystem(), policy: { retry: { maxAttempts: 1 } } });
    const result = await runInference({ model, messages: [{ role: 'user', content: 'do it' }], service });
    expect(result).toMatchObject({ outcome: 'answered', text: 'I could not do it', turns: 2 });
    expect(requests[1]?.messages.at(-1)).toMatchObject({
      role: 'tool',
      isError: true,
      content: expect.stringContaining('Something went wrong'),
    });
  });

  test.each([
    ['a string', 'Something went wrong'],
    ['an error with a cause', new Error('Something went wrong', { cause: new Error('the disk is full') })],
    ['an error without a message', new Error('')],
  ])('keeps the cause and a message: %s', { tags: ['S3-negatives'] }, async (_, thrown) => {
    const run = (): never => {
      throw thrown;
    };
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'failing_tool', run })], policy: { retry: { maxAttempts: 1 } } });
    const { error } = await service.executeTool({ toolName: 'failing_tool' });
    expect(error?.cause).toBe(thrown);
    expect(error?.message).toBe(`Tool error: ${typeof thrown === 'string' ? thrown : thrown.message || 'Error'}`);
    expect(error?.userMessage).not.toBe('');
    expect(error?.advice).not.toBe('');
  });

  test('keeps the stack of an error', { tags: ['S3-negatives'] }, async () => {
    const run = (): never => {
      throw new Error('Something went wrong');
    };
    const service = new ToolExecutionService({ tools: [defineTool({ name: 'failing_tool', run })], policy: { retry: { maxAttempts: 1 } } });
    const { error } = await service.executeTool({ toolName: 'failing_tool' });
    expect(error).toMatchObject({ cause: { stack: expect.stringContaining('agent-loop.test') } });
  });
});
