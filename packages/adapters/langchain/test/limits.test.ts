/** What the guide denies, and the limits that it lists. */
import type { ToolRunnableConfig } from '@langchain/core/tools';
import { tool } from '@langchain/core/tools';
import { createAgent, createMiddleware } from 'langchain';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, done, stage } from './support/stage.ts';
import { asked, cityTool, results, said, weather } from './support/tools.ts';

const unavailable = (): Error => Object.assign(new Error('Service unavailable'), { status: 503 });
const opening = { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } as const;
const notFound = Object.assign(new Error('No such city'), { status: 404 });
const failing = (name: string, error: Error): ReturnType<typeof cityTool> =>
  cityTool(name, () => {
    throw error;
  });

test('without Holdfast, and with another middleware around tools, a tool that throws ends the run', async () => {
  const tools = [failing('find', notFound), weather()];
  const { model } = await stage({ tools, script: [{ calls: [call('find'), call('get_weather')] }, done] });
  const other = createMiddleware({ name: 'Other', wrapToolCall: (request, handler) => handler(request) });
  const agent = createAgent({ model, tools, middleware: [other] });
  await expect(agent.invoke(asked())).rejects.toThrow('No such city');
});

test('without Holdfast, an unreadable call gets no answer, and the agent ends if there is no other', async () => {
  const play = async (...others: readonly ReturnType<typeof call>[]): Promise<readonly string[]> => {
    const tools = [weather()];
    const { model } = await stage({ tools, script: [{ calls: [call('get_weather', '{"city":'), ...others] }, done] });
    return said((await createAgent({ model, tools }).invoke(asked())).messages).slice(1);
  };
  expect(await play()).toEqual(['ai ']);
  expect(await play(call('get_weather'))).toEqual(['ai ', 'tool Rain in Oslo.', 'ai All done.']);
});

test('the state of an agent has the same fields as without Holdfast', async () => {
  const tools = [weather()];
  const fields = async (wrapped: boolean): Promise<readonly string[]> => {
    const { model, reliable } = await stage({ tools, script: [{ calls: [call('get_weather')] }, done] });
    const agent = createAgent({ model, tools, middleware: wrapped ? [reliable.middleware] : [] });
    return Object.keys(await agent.invoke(asked()));
  };
  expect(await fields(true)).toEqual(await fields(false));
});

test('a tool with an open circuit is not removed where the model must call a tool', async () => {
  const down = failing('down', unavailable());
  const tools = [down, weather()];
  for (const [toolChoice, offered] of [
    ['required', ['down', 'get_weather']],
    ['auto', ['get_weather']],
  ] as const) {
    const options = { tools: { down: opening }, run: { openCircuits: 'remove' as const } };
    const { model, reliable, double } = await stage({ tools, options, script: [{ calls: [call('down')] }, done] });
    const choosing = createMiddleware({ name: 'Choosing', wrapModelCall: (request, handler) => handler({ ...request, toolChoice }) });
    const agent = createAgent({ model, tools, middleware: [choosing, reliable.middleware] });
    await agent.invoke(asked());
    expect(double.requests[1]?.neutral.tools.map(({ name }) => name)).toEqual(offered);
  }
});

test('failures without an error of the tool do not reach other middleware: timeouts, open circuits, invalid arguments', async () => {
  const caught: unknown[] = [];
  const own = createMiddleware({
    name: 'Own',
    wrapToolCall: async (request, handler) => {
      try {
        return await handler(request);
      } catch (error) {
        caught.push(error);
        throw error;
      }
    },
  });
  const stuck = cityTool('stuck', () => new Promise(() => undefined));
  const down = failing('down', unavailable());
  const tools = [stuck, down, weather()];
  const options = { tools: { stuck: { timeoutMs: 20, retry: { maxAttempts: 1 } }, down: opening } };
  const script = [{ calls: [call('stuck'), call('get_weather', { town: 1 }), call('down')] }, { calls: [call('down')] }, done];
  const { model, reliable } = await stage({ tools, options, script });
  const { messages } = await createAgent({ model, tools, middleware: [reliable.middleware, own] }).invoke(asked());
  expect(caught).toHaveLength(1);
  expect(caught[0]).toHaveProperty('status', 503);
  expect(results(messages).map(({ text }) => text.split(':')[0])).toEqual([
    'Error TOOL_TIMEOUT',
    'Error INVALID_ARGUMENTS',
    'Error SERVICE_UNAVAILABLE',
    'Error CIRCUIT_OPEN',
  ]);
});

test('an alternative runs without the state of the graph, and its artifact is lost', async () => {
  const hadState: boolean[] = [];
  const schema = z.object({ city: z.string() });
  const look = (_args: unknown, config: ToolRunnableConfig): [string, object] => {
    hadState.push((config as { readonly state?: unknown }).state !== undefined);
    return ['seen', { png: 'bytes' }];
  };
  const backup = tool(look, { name: 'backup', description: 'x', schema, responseFormat: 'content_and_artifact' });
  const tools = [failing('primary', unavailable()), backup];
  const options = { tools: { primary: { alternatives: ['backup'], effect: 'read' as const } } };
  const artifacts: unknown[] = [];
  for (const name of ['backup', 'primary']) {
    const { model, reliable } = await stage({ tools, options, script: [{ calls: [call(name)] }, done] });
    const agent = createAgent({ model, tools: tools as never, middleware: [reliable.middleware] });
    const [message] = results((await agent.invoke(asked())).messages);
    expect(message?.content).toBe('seen');
    artifacts.push(message?.artifact);
  }
  expect(hadState).toEqual([true, false]);
  expect(artifacts).toEqual([{ png: 'bytes' }, undefined]);
});
