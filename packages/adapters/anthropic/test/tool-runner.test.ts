/** `run.tools` in the SDK's own runner: threads, streams, calls that start early, aborts. */
import type { BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod';
import { reliableTools, type ReliableOptions, type ReliableTool } from '@holdfast/anthropic';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { base, play, question } from './support/scripted-client.ts';

const contexts: (BetaToolRunContext | undefined)[] = [];
const greet = betaZodTool({
  name: 'greet',
  description: 'Greets.',
  inputSchema: z.object({ name: z.string() }),
  run: ({ name }, context) => {
    contexts.push(context);
    return `Hello ${name}.`;
  },
});
const call = (name: string) => ({ name: 'greet', arguments: { name } });

it('continues a thread on the server', async () => {
  const { client, double } = await play([
    { calls: [call('Ada'), call('Bob')] },
    { calls: [{ name: 'greet', arguments: { nam: 'Cy' } }] },
    { text: 'Done.' },
  ]);
  const run = reliableTools([greet]).startRun();
  const last = await client.beta.messages.toolRunner({ ...base, tools: run.tools, messages: run.repair([question]) });
  expect(last.content).toMatchObject([{ type: 'text', text: 'Done.' }]);
  const [, second, third] = double.requests.map(({ body }) => body as { readonly thread?: unknown; readonly messages: readonly unknown[] });
  expect(second).toMatchObject({
    thread: { type: 'continue' },
    messages: [{ role: 'user', content: [{ content: 'Hello Ada.' }, { content: 'Hello Bob.' }] }],
  });
  expect(JSON.stringify(third)).toMatch(/"is_error":true/);
  expect(JSON.stringify(third)).toMatch(/Required parameter 'name' missing \(you sent 'nam'\)/);
  for (const request of [second, third]) expect(run.repair(request as never)).toBe(request);
});

it('a tool of the SDK may return no blocks; what a function returns is data', async () => {
  const input_schema = { type: 'object', properties: {} } as const;
  const silent = betaZodTool({ name: 'silent', description: 'Says nothing.', inputSchema: z.object({}), run: () => [] });
  const list = { name: 'list', description: 'Lists.', input_schema, run: () => [] };
  const { client, double } = await play([{ calls: [{ name: 'silent' }, { name: 'list' }] }, { text: 'Done.' }]);
  const run = reliableTools([silent, list]).startRun();
  await client.beta.messages.toolRunner({ ...base, tools: run.tools, messages: [question] });
  expect(double.requests[1]?.body).toMatchObject({ messages: [{ content: [{ content: [] }, { content: '[]' }] }] });
});

it('keeps the whole conversation locally with `thread: false`', async () => {
  const { client, double } = await play([{ calls: [call('Ada')] }, { text: 'Done.' }]);
  const run = reliableTools([greet]).startRun();
  await client.beta.messages.toolRunner({ ...base, thread: false, tools: run.tools, messages: [question] });
  expect(double.requests[1]?.body).toHaveProperty('messages.length', 3);
});

it.each([false, true])('passes tools the block that called them (started while the answer streams: %s)', async (runToolsEagerly) => {
  contexts.length = 0;
  const { client } = await play([{ text: 'Hm.', calls: [call('Ada'), call('Bob')] }, { text: 'Done.' }]);
  const run = reliableTools([greet]).startRun();
  const runner = client.beta.messages.toolRunner({ ...base, stream: true, runToolsEagerly, tools: run.tools, messages: [question] });
  const last = await runner;
  expect(last.content).toMatchObject([{ text: 'Done.' }]);
  expect(contexts.map((context) => context?.toolUse)).toMatchObject([
    { type: 'tool_use', name: 'greet', input: { name: 'Ada' } },
    { type: 'tool_use', input: { name: 'Bob' } },
  ]);
});

it('passes tools of the SDK the signal of the runner, and another only where an attempt may have to end', async () => {
  contexts.length = 0;
  const { signal } = new AbortController();
  const own: AbortSignal[] = [];
  const look = {
    name: 'look',
    input_schema: { type: 'object', properties: { name: { type: 'string' } } },
    run: (_args: never, context: { readonly signal: AbortSignal }) => {
      own.push(context.signal);
      return 'Seen.';
    },
  };
  const ask = async (tools: readonly ReliableTool[], options: ReliableOptions, given?: AbortSignal): Promise<void> => {
    const { client } = await play([{ calls: [call('Ada'), { name: 'look', arguments: { name: 'Ada' } }] }, { text: 'Done.' }]);
    const run = reliableTools(tools, options).startRun();
    await client.beta.messages.toolRunner({ ...base, tools: run.tools, messages: [question] }, given ? { signal: given } : {});
  };
  await ask([greet, look], {});
  await ask([greet, look], {}, signal);
  await ask([greet, look], { tools: { greet: { timeoutMs: 5_000 } } });
  expect(contexts.map((context) => context?.signal)).toEqual([undefined, signal, expect.any(AbortSignal)]);
  expect(contexts[1]?.signal).toBe(signal);
  expect(own).toEqual([expect.any(AbortSignal), expect.any(AbortSignal), expect.any(AbortSignal)]);
});

it('aborts the signal of a hanging tool when the caller cancels, and rejects with the reason of the caller', async () => {
  const { client } = await play([{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }]);
  let toolSignal: AbortSignal | null | undefined;
  const controller = new AbortController();
  const wait = betaZodTool({
    name: 'wait',
    description: 'Waits.',
    inputSchema: z.object({}),
    run: (_, context) => {
      toolSignal = context?.signal;
      setTimeout(() => controller.abort(), 0);
      return new Promise<string>(() => undefined);
    },
  });
  const run = reliableTools([wait]).startRun();
  const runner = client.beta.messages.toolRunner({ ...base, tools: run.tools, messages: [question] }, { signal: controller.signal });
  await expect(runner.runUntilDone()).rejects.toThrow(/aborted/);
  expect(toolSignal?.aborted).toBe(true);
});

it('a tool without a runner runs as well', async () => {
  const [tool] = reliableTools([greet]).startRun().tools;
  expect(await tool?.run({ name: 'Eve' })).toBe('Hello Eve.');
  await expect(async () => tool?.run({})).rejects.toMatchObject({
    name: 'ToolError',
    content: expect.stringContaining("'name' missing") as string,
  });
});

it('runs nothing of a truncated answer: neither the runner nor a loop over a stream', async () => {
  const cut = { calls: [{ name: 'greet', arguments: '{"name":"Ad' }], finish: 'length' as const };
  contexts.length = 0;
  const { client } = await play([cut, cut]);
  const run = reliableTools([greet]).startRun();
  const last = await client.beta.messages.toolRunner({ ...base, tools: run.tools, messages: [question] });
  expect(last.stop_reason).toBe('max_tokens');
  const message = await client.messages.stream({ ...base, tools: run.definitions, messages: [question] }).finalMessage();
  const results = await run.answer(message);
  expect(results?.content).toMatchObject([{ is_error: true, content: expect.stringContaining('cut off') as string }]);
  expect(contexts).toEqual([]);
});
