/**
 * With other middleware: its tools are not changed, its failures are caught.
 * LangChain's types of its own middleware do not compile under `exactOptionalPropertyTypes`, hence the casts.
 */
import { AIMessage, ToolMessage } from '@langchain/core/messages';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { createAgent, createMiddleware, todoListMiddleware, toolErrorMiddleware, toolRetryMiddleware } from 'langchain';
import { describe, expect, test } from 'vitest';
import type { ReliabilityMiddleware } from '@holdfast/langchain';
import { reliableTools } from '@holdfast/langchain';
import { call, done, stage } from './support/stage.ts';
import { asked, cityTool, said, weather } from './support/tools.ts';

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

test('middleware after it sees a tool of the same class with the same fields', async () => {
  const tools = [weather()];
  const [given] = tools;
  const seen: unknown[] = [];
  const other = createMiddleware({
    name: 'Other',
    wrapToolCall: (request, handler) => {
      const { tool } = request;
      seen.push(Object.getPrototypeOf(Object.getPrototypeOf(tool)) === Object.getPrototypeOf(given), tool?.name, tool?.description, tool);
      return handler(request);
    },
  });
  const { model, reliable } = await stage({ tools, script: [{ calls: [call('get_weather')] }, done] });
  await createAgent({ model, tools, middleware: [reliable.middleware, other] }).invoke(asked());
  expect(seen).toEqual([true, given?.name, given?.description, expect.objectContaining({ schema: given?.schema }) as unknown]);
});

test('a tool gets the arguments that another middleware has changed', async () => {
  const tools = [weather()];
  const moved = createMiddleware({
    name: 'Moved',
    wrapToolCall: (request, handler) =>
      handler(
        request.toolCall.args['city'] === 'Paris' ? { ...request, toolCall: { ...request.toolCall, args: { city: 'Bergen' } } } : request,
      ),
  });
  const calls = [call('get_weather', { city: 'Paris' }), call('get_weather')];
  const { model, reliable } = await stage({ tools, script: [{ calls }, done] });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware, moved] });
  expect(said((await agent.invoke(asked())).messages).slice(2)).toEqual(['tool Rain in Bergen.', 'tool Rain in Oslo.', 'ai All done.']);
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

test('a mistake of another middleware reaches the developer', async () => {
  const tools = [weather(), cityTool('other', () => 'fine')];
  const mistake = new TypeError('broken middleware');
  const broken = createMiddleware({
    name: 'Broken',
    wrapToolCall: (request, handler) => {
      if (request.toolCall.name === 'other') throw mistake;
      return handler(request);
    },
  });
  const { model, reliable } = await stage({ tools, script: [{ calls: [call('other'), call('get_weather')] }, done] });
  const agent = createAgent({ model, tools, middleware: [reliable.middleware, broken] });
  await expect(agent.invoke(asked())).rejects.toThrow('broken middleware');
});

describe("the user's own handling of errors sees the own error of a tool, after recovery", () => {
  const down = new Error('Request failed with status code 503');
  const failing = () => {
    let runs = 0;
    const flaky = cityTool('flaky', () => {
      runs += 1;
      throw Object.assign(down, { status: 503 });
    });
    return { flaky, runs: () => runs };
  };
  const options = { policy: { retry: { maxAttempts: 2, initialDelayMs: 1 } } };
  const script = [{ calls: [call('flaky')] }, done];

  test('`toolErrorMiddleware`', async () => {
    const { flaky, runs } = failing();
    const { model, reliable } = await stage({ tools: [flaky], options, script });
    const seen: unknown[] = [];
    const own = toolErrorMiddleware({
      onError: (error: unknown) => {
        seen.push(error);
        return 'In my words.';
      },
    } as never) as unknown as ReliabilityMiddleware;
    const agent = createAgent({ model, tools: [flaky], middleware: [reliable.middleware, own] });
    expect(said((await agent.invoke(asked())).messages)[2]).toMatch(/^tool!? In my words\./);
    expect(seen).toEqual([down]);
    expect(seen[0]).toBe(down);
    expect(runs()).toBe(2);
  });

  test('a catch of a middleware of their own', async () => {
    const { flaky } = failing();
    const { model, reliable } = await stage({ tools: [flaky], options, script });
    const own = createMiddleware({
      name: 'Own',
      wrapToolCall: async (request, handler) => {
        try {
          return await handler(request);
        } catch (error) {
          return new ToolMessage({ content: `Caught ${String(error === down)}`, tool_call_id: request.toolCall.id ?? '', status: 'error' });
        }
      },
    });
    const agent = createAgent({ model, tools: [flaky], middleware: [reliable.middleware, own] });
    expect(said((await agent.invoke(asked())).messages)[2]).toBe('tool! Caught true');
  });

  test('`toolRetryMiddleware` retries what finally failed', async () => {
    const { flaky, runs } = failing();
    const { model, reliable } = await stage({ tools: [flaky], options, script });
    const retrying = toolRetryMiddleware({ maxRetries: 1, initialDelayMs: 1, jitter: false }) as unknown as ReliabilityMiddleware;
    const agent = createAgent({ model, tools: [flaky], middleware: [reliable.middleware, retrying] });
    expect(said((await agent.invoke(asked())).messages)[2]).toMatch(/^tool! .*flaky/);
    expect(runs()).toBe(4);
  });

  test('`toolRetryMiddleware` may retry more often than the model may repeat a call', async () => {
    const thrown = Object.assign(new Error('Seat 12A is taken'), { status: 409 });
    let runs = 0;
    const taken = cityTool('flaky', () => {
      runs += 1;
      if (runs < 6) throw thrown;
      return 'free';
    });
    const { model, reliable } = await stage({ tools: [taken], script });
    const retrying = toolRetryMiddleware({ maxRetries: 5, initialDelayMs: 1, jitter: false }) as unknown as ReliabilityMiddleware;
    const agent = createAgent({ model, tools: [taken], middleware: [reliable.middleware, retrying] });
    expect(said((await agent.invoke(asked())).messages)[2]).toBe('tool free');
    expect(runs).toBe(6);
  });

  test('where none catches it, the model is told as usual, also beside another middleware', async () => {
    const { flaky } = failing();
    const { model, reliable } = await stage({ tools: [flaky], options, script });
    const other = createMiddleware({ name: 'Other', wrapToolCall: (request, handler) => handler(request) });
    const agent = createAgent({ model, tools: [flaky], middleware: [reliable.middleware, other] });
    expect(said((await agent.invoke(asked())).messages)[2]).toMatch(/^tool! Error SERVICE_UNAVAILABLE/);
  });

  test('`handleToolErrors` of a ToolNode, with `failures: throw`', async () => {
    const { flaky } = failing();
    const { reliable } = await stage({ tools: [flaky], options: { ...options, failures: 'throw' }, script: [] });
    const messages = [new AIMessage({ content: '', tool_calls: [{ id: 'a', name: 'flaky', args: { city: 'Oslo' } }] })];
    await expect(new ToolNode(reliable.tools, { handleToolErrors: false }).invoke({ messages })).rejects.toBe(down);
    const answered = await stage({ tools: [flaky], options, script: [] });
    const state = (await new ToolNode(answered.reliable.tools, { handleToolErrors: false }).invoke({ messages })) as {
      readonly messages: readonly ToolMessage[];
    };
    expect(state.messages[0]?.text).toMatch(/^Error SERVICE_UNAVAILABLE/);
    expect(() => reliableTools([flaky], { failures: 'trow' as never })).toThrow('reliableTools.failures must be one of answer, throw');
  });
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
