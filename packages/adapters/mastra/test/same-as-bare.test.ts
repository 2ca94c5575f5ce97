/** What a tool can do in Mastra, with the tool as it was made and wrapped: the same happens. */
import { reliableTools } from '@holdfast/mastra';
import type { Agent, ToolsInput } from '@mastra/core/agent';
import { RequestContext } from '@mastra/core/request-context';
import { createTool } from '@mastra/core/tools';
import { createStep, createWorkflow } from '@mastra/core/workflows';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { call, done, scene } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });

type Play = (tools: ToolsInput) => Promise<unknown>;

/** Plays a scene with the tools as they were made, and wrapped. */
async function both(make: () => ToolsInput, play: Play): Promise<unknown> {
  const bare = await play(make());
  const wrapped = await play(reliableTools(make(), { policy: { retry: { initialDelayMs: 1, maxDelayMs: 2 } } }).tools);
  expect(wrapped).toEqual(bare);
  return bare;
}

/** The chunks of a stream that say something about tools, without ids and times. */
async function chunksOf(stream: { readonly fullStream: AsyncIterable<{ readonly type: string; readonly payload?: unknown }> }) {
  const chunks: unknown[] = [];
  for await (const { type, payload } of stream.fullStream) {
    if (!/^tool-|suspend|approval|error|abort/.test(type)) continue;
    const { toolName, args, result, output, suspendPayload, error } = payload as Readonly<Record<string, unknown>>;
    chunks.push({ type, toolName, args, result, output, suspendPayload, error: error instanceof Error ? error.message : error });
  }
  return chunks;
}

type Streaming = Awaited<ReturnType<Agent['stream']>>;
const idsOf = async (output: Streaming): Promise<{ runId: string; toolCallId: string }> => {
  const { toolCallId } = (await output.suspendPayload) as { toolCallId: string };
  return { runId: output.runId, toolCallId };
};

describe('in an agent', () => {
  test('the context: every field, and no signal where the framework has none', async () => {
    const make = (): ToolsInput & { seen: unknown[] } => {
      const seen: unknown[] = [];
      const look = createTool({
        id: 'look-tool',
        description: 'Looks.',
        inputSchema,
        execute: async (input, context) => {
          seen.push([
            Object.keys(context).toSorted(),
            Object.keys(context.agent ?? {}).toSorted(),
            input,
            context.requestContext.get('user'),
            context.abortSignal,
          ]);
          expect(context.agent?.toolCallId).toBe('call_7');
          await context.observe.span('look', () => 'looked');
          return { seen };
        },
      });
      return { look } as never;
    };
    const outcome = await both(make, async (tools) => {
      const { agent, results } = await scene(tools, [{ calls: [{ ...call('look'), id: 'call_7' }] }, done]);
      const requestContext = new RequestContext();
      requestContext.set('user', 'u-1');
      await agent.generate('Go on.', { requestContext });
      return results();
    });
    expect(JSON.stringify(outcome)).toContain('u-1');
  });

  test('streamed output of a tool', async () => {
    const make = (): ToolsInput => ({
      look: createTool({
        id: 'look',
        description: 'Looks.',
        inputSchema,
        execute: async ({ city }, { writer }) => {
          await writer?.write({ progress: 1 });
          await writer?.custom({ type: 'data-progress', data: { city } } as never);
          await writer?.write({ progress: 2 });
          return 'seen';
        },
      }),
    });
    const outcome = await both(make, async (tools) => {
      const { agent } = await scene(tools, [{ calls: [call('look')] }, done]);
      return chunksOf(await agent.stream('Go on.'));
    });
    expect(JSON.stringify(outcome)).toMatch(/progress.*progress.*seen/);
  });

  test('toModelOutput, outputs that JSON cannot represent, and outputs of every type', async () => {
    const circle: Record<string, unknown> = { city: 'Oslo' };
    circle['self'] = circle;
    const outputs: readonly unknown[] = [null, 0, '', false, [1], { at: new Date(0) }, 12n, circle, new Map([['a', 1]]), Number.NaN];
    const make = (): ToolsInput => ({
      ...Object.fromEntries(
        outputs.map((output, index) => [
          `look${index}`,
          createTool({ id: `look${index}`, description: 'Looks.', inputSchema, execute: async () => output as never }),
        ]),
      ),
      told: createTool({
        id: 'told',
        description: 'Looks.',
        inputSchema,
        execute: async () => ({ id: 12n }),
        toModelOutput: (output) => ({ type: 'text', value: `id ${(output as { id: bigint }).id}` }),
      }),
    });
    await both(make, async (tools) => {
      const { agent, results } = await scene(tools, [{ calls: [...outputs.map((_, index) => call(`look${index}`)), call('told')] }, done]);
      const output = await agent.generate('Go on.');
      return [results(), output.toolResults.map(({ payload }) => payload.result)];
    });
  });

  test('arguments and outputs that do not match their schema', async () => {
    const make = (): ToolsInput => ({
      look: createTool({
        id: 'look',
        description: 'Looks.',
        inputSchema,
        outputSchema: z.object({ deg: z.number() }),
        execute: async () => ({ deg: 'warm' }) as never,
      }),
      named: createTool({
        id: 'named',
        description: 'Named.',
        inputSchema: z.object({ city: z.string().transform((city) => city.length) }).strict(),
        execute: async (input) => input,
      }),
    });
    const outcome = await both(make, async (tools) => {
      const { agent, results } = await scene(tools, [
        { calls: [call('look'), { name: 'look', arguments: { town: 1 } }, call('named')] },
        done,
      ]);
      await agent.generate('Go on.');
      return results();
    });
    expect(outcome).toEqual([
      expect.stringContaining('Tool output validation failed for look'),
      expect.stringContaining('Tool input validation failed for look'),
      '{"city":4}',
    ]);
  });

  test.each([true, 'function'])('approval (%s): requested, granted, declined', async (kind) => {
    const runs: unknown[] = [];
    const make = (): ToolsInput => ({
      pay: createTool({
        id: 'pay',
        description: 'Pays.',
        inputSchema,
        requireApproval: kind === true ? true : ({ city }) => city === 'Oslo',
        execute: async ({ city }) => {
          runs.push(city);
          return `paid in ${city}`;
        },
      }),
    });
    const outcome = await both(make, async (tools) => {
      const first = await scene(tools, [{ calls: [call('pay')] }, done]);
      const asked = await first.agent.stream('Go on.');
      const chunks = await chunksOf(asked);
      const granted = await chunksOf(await first.agent.approveToolCall(await idsOf(asked)));
      const second = await scene(tools, [{ calls: [call('pay')] }, done]);
      const again = await second.agent.stream('Go on.');
      await chunksOf(again);
      const declined = await chunksOf(await second.agent.declineToolCall(await idsOf(again)));
      return [chunks, granted, declined, first.results(), second.results()];
    });
    expect(JSON.stringify(outcome)).toContain('paid in Oslo');
    expect(runs).toEqual(['Oslo', 'Oslo']);
  });

  test('suspension and resumption', async () => {
    const make = (): ToolsInput => ({
      ask: createTool({
        id: 'ask',
        description: 'Asks.',
        inputSchema,
        suspendSchema: z.object({ question: z.string() }),
        resumeSchema: z.object({ answer: z.string() }),
        execute: async ({ city }, { agent }) => {
          const { resumeData, suspend } = agent ?? {};
          if (!resumeData) return (await suspend?.({ question: `Which day in ${city}?` })) as undefined;
          return `on ${(resumeData as { answer: string }).answer}`;
        },
      }),
    });
    const outcome = await both(make, async (tools) => {
      const { agent, results } = await scene(tools, [{ calls: [call('ask')] }, done]);
      const asked = await agent.stream('Go on.');
      const chunks = await chunksOf(asked);
      const resumed = await chunksOf(await agent.resumeStream({ answer: 'Monday' }, await idsOf(asked)));
      return [chunks, resumed, results()];
    });
    expect(JSON.stringify(outcome)).toMatch(/Which day in Oslo.*on Monday/);
  });

  test('hooks of the agent', async () => {
    const make = (): ToolsInput => ({
      look: createTool({ id: 'look', description: 'Looks.', inputSchema, execute: async ({ city }) => `seen ${city}` }),
    });
    const outcome = await both(make, async (tools) => {
      const heard: unknown[] = [];
      const hooks = {
        beforeToolCall: ({ toolName, input }: { toolName: string; input: unknown }) => void heard.push(['before', toolName, input]),
        afterToolCall: ({ output, error }: { output?: unknown; error?: unknown }) => void heard.push(['after', output, error]),
      };
      const { agent, results } = await scene(tools, [{ calls: [call('look')] }, done], { hooks });
      await agent.generate('Go on.');
      return [heard, results()];
    });
    expect(JSON.stringify(outcome)).toContain('seen Oslo');
  });
});

describe('outside of an agent', () => {
  const failing = { status: 404, detail: { city: 'Oslo' } };
  const make = (): ToolsInput => ({
    look: createTool({
      id: 'look',
      description: 'Looks.',
      inputSchema,
      outputSchema: z.object({ seen: z.string() }),
      execute: async ({ city }) => ({ seen: city }),
    }),
    fail: createTool({
      id: 'fail',
      description: 'Fails.',
      inputSchema: z.object({ seen: z.string() }),
      outputSchema: z.object({ seen: z.string() }),
      execute: async () => {
        throw Object.assign(new Error('No such city'), failing);
      },
    }),
    ask: createTool({
      id: 'ask',
      description: 'Asks.',
      inputSchema,
      outputSchema: z.object({ answer: z.string() }),
      suspendSchema: z.object({ question: z.string() }),
      resumeSchema: z.object({ answer: z.string() }),
      execute: async ({ city }, { workflow }) => {
        const { resumeData, suspend } = workflow ?? {};
        if (!resumeData) return (await suspend?.({ question: `In ${city}?` })) as never;
        return resumeData as { answer: string };
      },
    }),
  });

  test("steps of a workflow: the tool's own error, and its suspension", async () => {
    const outcome = await both(make, async ({ look, fail, ask }) => {
      const step = (tool: unknown) => createStep(tool as never) as never;
      const failing = createWorkflow({ id: 'failing', inputSchema, outputSchema: z.any() }).then(step(look)).then(step(fail)).commit();
      const asking = createWorkflow({ id: 'asking', inputSchema, outputSchema: z.any() }).then(step(ask)).commit();
      const { mastra } = await scene({}, [done]);
      failing.__registerMastra(mastra);
      asking.__registerMastra(mastra);
      const failed = await (await failing.createRun()).start({ inputData: { city: 'Oslo' } });
      const run = await asking.createRun();
      const suspended = await run.start({ inputData: { city: 'Oslo' } });
      const resumed = await run.resume({ resumeData: { answer: 'Monday' } });
      const { error } = failed as unknown as { error: Error };
      return [
        failed.status,
        error.name,
        error.message,
        Object.assign({}, error),
        suspended.status,
        (suspended as { suspendPayload?: unknown }).suspendPayload,
        resumed.status,
        (resumed as { result?: unknown }).result,
      ];
    });
    expect(outcome).toEqual([
      'failed',
      'Error',
      'No such city',
      expect.objectContaining(failing),
      'suspended',
      expect.anything(),
      'success',
      { answer: 'Monday' },
    ]);
  });

  test('direct calls: outputs, validation errors, and what is thrown', async () => {
    const outcome = await both(make, async (tools) => {
      const run = async (name: string, input: unknown): Promise<unknown> => {
        try {
          return await (tools[name] as ReturnType<typeof createTool> | undefined)?.execute?.(input as never, {} as never);
        } catch (error) {
          return error;
        }
      };
      return [await run('look', { city: 'Oslo' }), await run('look', {}), await run('fail', { seen: 'Oslo' })];
    });
    expect(outcome).toEqual([{ seen: 'Oslo' }, expect.objectContaining({ error: true }), expect.objectContaining(failing)]);
  });
});
