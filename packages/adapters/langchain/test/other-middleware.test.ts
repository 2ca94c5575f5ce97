/**
 * With other middleware: its tools are not changed, its failures are caught.
 * LangChain's types of its own middleware do not compile under `exactOptionalPropertyTypes`, hence the casts.
 */
import { createAgent, createMiddleware, todoListMiddleware, toolRetryMiddleware } from 'langchain';
import { expect, test } from 'vitest';
import type { ReliabilityMiddleware } from '@holdfast/langchain';
import { call, done, stage } from './support/stage.ts';
import { asked, cityTool, results, said, weather } from './support/tools.ts';

test('tools of other middleware are not changed', async () => {
  const tools = [weather()];
  const todos = [{ content: 'pack', status: 'pending' }];
  const script = [{ calls: [call('write_todos', { todos }), call('get_weather')] }, done];
  const { model, reliable } = await stage({ tools, script });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware, todoListMiddleware() as unknown as ReliabilityMiddleware] });
  const state = await agent.invoke(asked());
  expect(state).toMatchObject({ todos });
  expect(said(state.messages).slice(3)).toEqual(['tool Rain in Oslo.', 'ai All done.']);
});

test('nor are tools that another middleware adds for a call', async () => {
  const later = cityTool('later', (args) => `Later in ${args.city}.`);
  const dynamic = createMiddleware({
    name: 'Dynamic',
    wrapModelCall: (request, handler) => handler({ ...request, tools: [...request.tools, later] }),
    wrapToolCall: (request, handler) => handler(request.toolCall.name === 'later' ? { ...request, tool: later } : request),
  });
  const { model, reliable } = await stage({ tools: [], script: [{ calls: [call('later')] }, done] });
  const agent = createAgent({ model, tools: [], middleware: [reliable.middleware, dynamic] });
  expect(said((await agent.invoke(asked())).messages)[2]).toBe('tool Later in Oslo.');
});

test.each([new Error('boom'), 'boom', undefined, null, { message: 'boom' }])(
  'an unwrapped tool throws %o: the agent continues',
  async (thrown) => {
    const strange = cityTool('strange', () => {
      throw thrown;
    });
    const other = createMiddleware({ name: 'Other', tools: [strange] });
    const tools = [weather()];
    const { model, reliable } = await stage({ tools, script: [{ calls: [call('strange'), call('get_weather')] }, done] });
    const agent = createAgent({ model, tools, middleware: [reliable.middleware, other] });
    const { messages } = await agent.invoke(asked());
    expect(said(messages)[2]).toMatch(/^tool! Error: (?:boom|undefined was thrown|null)/);
    expect(said(messages).slice(3)).toEqual(['tool Rain in Oslo.', 'ai All done.']);
  },
);

test('a middleware that throws around a tool does not affect other calls', async () => {
  const tools = [weather(), cityTool('other', () => 'fine')];
  const broken = createMiddleware({
    name: 'Broken',
    wrapToolCall: (request, handler) => {
      if (request.toolCall.name === 'other') throw new TypeError('broken middleware');
      return handler(request);
    },
  });
  const { model, reliable } = await stage({ tools, script: [{ calls: [call('other'), call('get_weather')] }, done] });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware, broken] });
  const { messages } = await agent.invoke(asked());
  expect(results(messages).map(({ status }) => status)).toEqual(['error', 'success']);
  expect(said(messages).at(-1)).toBe('ai All done.');
});

test('a retrying middleware has nothing to retry: a wrapped tool never throws', async () => {
  let runs = 0;
  const flaky = cityTool('flaky', () => {
    runs += 1;
    throw Object.assign(new Error('Service unavailable'), { status: 503 });
  });
  const options = { policy: { retry: { maxAttempts: 2, initialDelayMs: 1 } } };
  const { model, reliable } = await stage({ tools: [flaky], options, script: [{ calls: [call('flaky')] }, done] });
  const retrying = toolRetryMiddleware({ maxRetries: 3, initialDelayMs: 1, jitter: false }) as unknown as ReliabilityMiddleware;
  const agent = createAgent({ model, tools: [flaky], middleware: [reliable.middleware, retrying] });
  expect(said((await agent.invoke(asked())).messages)[2]).toMatch(/^tool! Error SERVICE_UNAVAILABLE/);
  expect(runs).toBe(2);
});

test('unknown tools end the run at the limit', async () => {
  const tools = [weather()];
  const script = ((_request: unknown, turn: number) => ({ calls: [call(`unknown_${turn}`)] })) as never;
  const { model, reliable } = await stage({ tools, script });
  const run = reliable.startRun();
  const agent = createAgent({ model, tools, middleware: [run.middleware] });
  await agent.invoke(asked(), { recursionLimit: 40 });
  expect(run.stopped?.reason).toBe('too_many_refusals');
});

test('tools that write their own answer are not answered twice', async () => {
  let runs = 0;
  const once = cityTool('once', () => {
    runs += 1;
    return 'once';
  });
  const options = { turn: { concurrency: 1 } };
  const { model, reliable } = await stage({ tools: [once], options, script: [{ calls: [call('once')] }, done] });
  const agent = createAgent({ model, tools: reliable.tools, middleware: [reliable.middleware] });
  expect(said((await agent.invoke(asked())).messages).slice(2)).toEqual(['tool once', 'ai All done.']);
  expect(runs).toBe(1);
  expect(reliable.service.getToolMetrics('once')).toMatchObject({ totalExecutions: 1 });
});
