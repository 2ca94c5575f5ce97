/** What the page of the adapter says that it does not do. */
import type { ToolsInput } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { reliableTools } from '@holdfast/mastra';
import { tool } from 'ai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { call, done, scene, stage } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const noCity = (): never => {
  throw Object.assign(new Error('No such city'), { status: 404 });
};

test('descriptions do not change while a circuit is open, unless they are to be annotated', () => {
  const descriptionOf = (options: { readonly run?: { readonly openCircuits: 'annotate' } }): string | undefined => {
    const find = createTool({ id: 'find', description: 'Finds.', inputSchema, execute: async () => 'found' });
    const { tools, service } = reliableTools({ find }, options);
    service.controlCircuit('find', 'forced_open');
    return tools.find.description;
  };
  expect(descriptionOf({})).toBe('Finds.');
  expect(descriptionOf({ run: { openCircuits: 'annotate' } })).toContain('Currently unavailable');
});

test('calls that Mastra answers itself are neither repaired nor counted', async () => {
  let runs = 0;
  const find = createTool({ id: 'find', description: 'Finds.', inputSchema, execute: async () => ((runs += 1), 'found') });
  const wrong = { calls: [{ name: 'find', arguments: { city: [1] } }, call('fnid')] };
  const { agent, run, events } = await stage({ find }, () => wrong);
  await agent.generate('Go on.', { ...run.settings, ...run.loop({ maxSteps: 8 }) });
  expect(runs).toBe(0);
  expect(events).toEqual([]);
  expect(run.stopped).toBeUndefined();
});

test('a tool that runs as an alternative receives its arguments and the signal, but not the context of the call', async () => {
  const seen: unknown[] = [];
  const primary = createTool({ id: 'primary', description: 'P', inputSchema, execute: async () => noCity() });
  const backup = createTool({
    id: 'backup',
    description: 'B',
    inputSchema,
    execute: async (input, context) => {
      seen.push(input, context.abortSignal instanceof AbortSignal, context.agent, context.writer);
      return 'backed up';
    },
  });
  const { agent, results } = await stage({ primary, backup }, [{ calls: [call('primary')] }, done], {
    tools: { primary: { alternatives: ['backup'] } },
  });
  await agent.generate('Go on.');
  expect(results()).toEqual(['backed up']);
  expect(seen).toEqual([{ city: 'Oslo' }, true, undefined, undefined]);
});

test('each call of a tool of the AI SDK is a conversation of its own', async () => {
  let runs = 0;
  const find = tool({ description: 'Finds.', inputSchema, execute: (): unknown => ((runs += 1), noCity()) });
  const { agent, run } = await stage({ find: find as never as ToolsInput[string] }, () => ({ calls: [call('find')] }));
  await agent.generate('Go on.', { ...run.settings, maxSteps: 6 });
  expect(runs).toBe(6);
  expect(run.stopped).toBeUndefined();
});

test('a suspension that does not match its schema has the same result as without the adapter', async () => {
  const ask = () =>
    createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      suspendSchema: z.object({ question: z.string() }),
      execute: async (_input, { agent, workflow }) => (await (agent ?? workflow)?.suspend?.({ question: 5 } as never)) as undefined,
    });
  const inAgent = async (tools: ToolsInput): Promise<unknown> => {
    const { agent } = await scene(tools, [{ calls: [call('ask')] }, done]);
    const output = await agent.stream('Go on.');
    await output.consumeStream();
    return ((await output.suspendPayload) as { readonly suspendPayload?: unknown }).suspendPayload;
  };
  const suspend = async (): Promise<void> => undefined;
  const direct = async ({ ask: asks }: { readonly ask: ReturnType<typeof ask> }): Promise<unknown> => {
    try {
      return await asks.execute?.({ city: 'Oslo' }, { workflow: { suspend } } as never);
    } catch (error) {
      return ['thrown', error];
    }
  };
  expect(await inAgent({ ask: ask() })).toEqual({ question: 5 });
  expect(await inAgent(reliableTools({ ask: ask() }).tools)).toEqual({ question: 5 });
  const bare = await direct({ ask: ask() });
  expect(bare).toMatchObject({ error: true, message: expect.stringContaining('validation failed') as string });
  expect(await direct(reliableTools({ ask: ask() }).tools)).toEqual(bare);
});
