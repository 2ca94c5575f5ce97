/** Tools in a custom graph, with LangGraph's `ToolNode`. */
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { convertToOpenAITool } from '@langchain/core/utils/function_calling';
import { StructuredTool, tool, type StructuredToolInterface } from '@langchain/core/tools';
import type { ToolCall } from '@langchain/core/messages';
import { ToolNode } from '@langchain/langgraph/prebuilt';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { reliableTools } from '@holdfast/langchain';
import { stage } from './support/stage.ts';
import { callId, cityTool, results, said, weather } from './support/tools.ts';

const answered = (...calls: readonly Partial<ToolCall>[]) => ({
  messages: [
    new HumanMessage('Go on.'),
    new AIMessage({
      content: '',
      tool_calls: calls.map((each, index) => ({ id: `call_${index}`, args: { city: 'Oslo' }, name: '', ...each })),
    }),
  ],
});

test('a tool gets the signal of the framework itself, and one of its own only where an attempt may have to end', async () => {
  const seen: unknown[] = [];
  const given = tool((_args: unknown, config: { readonly signal?: AbortSignal }) => void seen.push(config.signal), {
    name: 'look',
    description: 'Looks.',
    schema: z.object({ city: z.string() }),
  });
  const { signal } = new AbortController();
  const input = { type: 'tool_call' as const, id: 'call_0', name: 'look', args: { city: 'Oslo' } };
  await given.invoke(input, { signal });
  for (const options of [{}, { tools: { look: { timeoutMs: 5_000 } } }])
    await (reliableTools([given], options).tools[0] as typeof given).invoke(input, { signal });
  const [bare, plain, limited] = seen;
  expect(plain).toBe(bare);
  expect(limited).not.toBe(bare);
});

test('a tool keeps its class, name, schema, format, and definition for the model', async () => {
  const given = tool(() => ['text', { png: 1 }], {
    name: 'draw',
    description: 'Draws.',
    schema: z.object({ city: z.string() }),
    responseFormat: 'content_and_artifact',
    returnDirect: true,
  });
  const [kept] = reliableTools([given]).tools;
  expect(kept).toBeInstanceOf(given.constructor);
  for (const field of ['name', 'description', 'schema', 'responseFormat', 'returnDirect'] as const)
    expect(kept?.[field]).toBe(given[field]);
  expect(convertToOpenAITool(kept as never)).toEqual(convertToOpenAITool(given));
  const { messages } = await new ToolNode(reliableTools([given]).tools).invoke(answered({ name: 'draw' }));
  expect(messages[0]).toMatchObject({ content: 'text', artifact: { png: 1 }, tool_call_id: 'call_0', status: 'success' });
});

test('what a program changes in a tool stays, in each list that it reads', async () => {
  const given = weather();
  const reliable = reliableTools([given]);
  const [changed] = reliable.tools as [StructuredToolInterface];
  const invoke = changed.invoke.bind(changed);
  const seen: unknown[] = [];
  changed.description = 'Tells the weather.';
  changed.invoke = (input, config) => {
    seen.push((input as ToolCall).name);
    return invoke(input, config) as Promise<never>;
  };
  expect(reliable.tools[0]).toBe(changed);
  expect(given.description).not.toBe(changed.description);
  await new ToolNode(reliable.tools).invoke(answered({ name: given.name }));
  expect(seen).toEqual([given.name]);
});

test('a message of the tool with status error keeps what is not its text', async () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const draw = cityTool(
    'draw',
    (_args, config) =>
      new ToolMessage({
        content: [{ type: 'text', text: 'No ink.' }, image],
        tool_call_id: callId(config),
        id: 'message_1',
        name: 'printer',
        status: 'error',
        artifact: { page: 1 },
        additional_kwargs: { kept: true },
        metadata: { tray: 2 },
      }),
  );
  const { messages } = await new ToolNode(reliableTools([draw]).tools).invoke(answered({ name: 'draw' }));
  const [message] = results(messages);
  expect(message).toMatchObject({
    id: 'message_1',
    name: 'printer',
    status: 'error',
    artifact: { page: 1 },
    additional_kwargs: { kept: true },
    metadata: { tray: 2 },
  });
  expect(message?.content).toEqual([{ type: 'text', text: expect.stringContaining('No ink.') as string }, image]);
});

test('a tool of a class keeps its own getters and methods, which read its private fields', async () => {
  class Counter extends StructuredTool {
    readonly name = 'counter';
    readonly description = 'Counts.';
    readonly schema = z.object({ city: z.string() });
    #count = 0;
    get count(): number {
      return this.#count;
    }
    reset(): void {
      this.#count = 0;
    }
    protected _call(): Promise<string> {
      this.#count += 1;
      return Promise.resolve('counted');
    }
  }
  const counter = new Counter();
  const [wrapped] = reliableTools([counter]).tools;
  await new ToolNode([wrapped as Counter]).invoke(answered({ name: 'counter' }));
  expect([wrapped?.count, counter.count]).toEqual([1, 1]);
  wrapped?.reset();
  expect(counter.count).toBe(0);
});

test('definitions that the provider runs are unchanged', () => {
  const search = { type: 'web_search_preview' };
  expect(reliableTools([search, weather()]).tools[0]).toBe(search);
});

test.each([undefined, null, 'boom', { message: 'boom' }, new Error('boom')])(
  'a tool throws %o: one message each, one of them a failure',
  async (thrown) => {
    const broken = cityTool('broken', () => {
      throw thrown;
    });
    const { reliable } = await stage({ tools: [broken, weather()], script: [] });
    const { messages } = await new ToolNode(reliable.tools).invoke(answered({ name: 'broken' }, { name: 'get_weather' }));
    expect(results(messages).map(({ status, tool_call_id: id }) => [status, id])).toEqual([
      ['error', 'call_0'],
      ['success', 'call_1'],
    ]);
    expect(said(messages)[0]).toMatch(/^tool! Error /);
  },
);

test('invalid arguments are reported by field, and counted', async () => {
  const { reliable, traced } = await stage({ tools: [weather()], script: [] });
  const { messages } = await new ToolNode(reliable.tools).invoke(answered({ name: 'get_weather', args: { town: 'Oslo' } }));
  expect(said(messages)[0]).toMatch(/^tool! .*city/);
  expect(traced()).toContain('ValidationRetryScheduled');
});

test('without a call a tool behaves as before: it throws and returns the same', async () => {
  const broken = cityTool('broken', () => {
    throw new TypeError('boom');
  });
  const [reliable, fine] = reliableTools([broken, weather()]).tools;
  await expect(reliable?.invoke({ city: 'Oslo' })).rejects.toThrow(TypeError);
  expect(await fine?.invoke({ city: 'Oslo' })).toBe('Rain in Oslo.');
});

test('an open circuit is noted when tools are bound', async () => {
  const down = cityTool('down', () => {
    throw Object.assign(new Error('Service unavailable'), { status: 503 });
  });
  const { reliable } = await stage({
    tools: [down],
    script: [],
    options: { tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } } },
  });
  const node = new ToolNode(reliable.tools);
  expect(reliable.tools[0]?.description).toBe('The down tool.');
  await node.invoke(answered({ name: 'down' }));
  expect(reliable.tools[0]?.description).toMatch(/^The down tool\.\n\nCurrently unavailable/);
  expect(down.description).toBe('The down tool.');
});

test('an answered call is not waited for', async () => {
  const { reliable } = await stage({
    tools: [weather()],
    script: [],
    options: { dependsOn: (_call, siblings) => siblings.slice(1).map(({ callId }) => callId) },
  });
  const state = answered({ name: 'get_weather' }, { name: 'get_weather' });
  const node = new ToolNode(reliable.tools);
  const first = await node.invoke({
    messages: [...state.messages, ...(await new ToolNode([weather()]).invoke(answered({ name: 'get_weather', id: 'call_1' }))).messages],
  });
  expect(said(first.messages)).toEqual(['tool Rain in Oslo.']);
});
