/** The limits of the adapter that its guide lists. */
import type { ReliableOptions } from '@holdfast/ai-sdk';
import type { ToolSet } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, stage, wait } from './support/stage.ts';

const inputSchema = z.object({ city: z.string() });
const call = (name: string, city = 'Oslo') => ({ name, arguments: { city } });

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  test('a plain function that returns a stream shows only its last value where its call waits for a slot', async () => {
    async function* states(city: string): AsyncGenerator<string> {
      yield `${city}: looking`;
      await wait(5);
      yield `${city}: done`;
    }
    const watch = sdk.tool({ inputSchema, execute: ({ city }: { city: string }) => states(city) });
    const shown = async (options: ReliableOptions<'watch'>): Promise<readonly unknown[]> => {
      const { run, request } = await stage(sdk, { watch }, [{ calls: [call('watch'), call('watch', 'Rome')] }, done], options);
      const outputs: unknown[] = [];
      for await (const part of sdk.streamText({ ...request, ...run.settings }).fullStream)
        if (part.type === 'tool-result') outputs.push(part.output);
      return outputs;
    };
    expect(await shown({})).toContain('Rome: looking');
    expect(await shown({ turn: { concurrency: 1 } })).toEqual(['Oslo: looking', 'Oslo: done', 'Oslo: done', 'Rome: done']);
  });

  test('an alternative gets its own arguments, id and signal, but neither the context nor the messages of the called tool', async () => {
    const given: object[] = [];
    const primary = sdk.tool({
      inputSchema,
      execute: (): string => {
        throw Object.assign(new Error('unavailable'), { status: 503 });
      },
    });
    const execute = (input: unknown, options: object): string => String(given.push({ input, ...options }));
    const backup = sdk.tool({ inputSchema, execute }) as ToolSet[string];
    const script = [{ calls: [{ ...call('primary'), id: 'call_7' }] }, done];
    const { run, request } = await stage(sdk, { primary, backup }, script, { tools: { primary: { alternatives: ['backup'] } } });
    const user = { user: 'u-1' };
    const context: object = sdk.version === '7' ? { toolsContext: { primary: user, backup: user } } : { experimental_context: user };
    await sdk.generateText({ ...request, ...run.settings, ...context });
    expect(given).toEqual([
      { input: { city: 'Oslo' }, toolCallId: 'call_7', messages: [], abortSignal: expect.any(AbortSignal) as AbortSignal },
    ]);
  });

  test('a result of an MCP server with isError is an answer, which the model gets, and is not retried', async () => {
    let runs = 0;
    const output = { content: [{ type: 'text', text: 'Service unavailable' }], isError: true };
    const look = sdk.tool({ inputSchema, execute: () => (runs++, output) });
    const options = { tools: { look: { effect: 'read' as const } } };
    const { run, reliable, request, resultsIn } = await stage(sdk, { look }, [{ calls: [call('look')] }, done], options);
    await sdk.generateText({ ...request, ...run.settings });
    expect([runs, resultsIn()]).toEqual([1, [JSON.stringify(output)]]);
    expect(reliable.service.getToolMetrics('look')).toMatchObject({ successCount: 1, errorCount: 0 });
  });

  test.each([false, true])(
    'streamed %s: a truncated response with whole calls ends the loop, and the framework runs none',
    async (streaming) => {
      let runs = 0;
      const look = sdk.tool({ inputSchema, execute: () => `${++runs}` });
      const script = [{ calls: [call('look')], finish: 'length' as const }, done];
      const { run, request, double, events } = await stage(sdk, { look }, script);
      const bare = await stage(sdk, { look }, script);
      if (streaming) {
        await sdk.streamText({ ...request, ...run.settings }).consumeStream();
        await sdk.streamText({ ...bare.request, tools: { look }, stopWhen: sdk.stepCount(3) }).consumeStream();
      } else {
        await sdk.generateText({ ...request, ...run.settings });
        await sdk.generateText({ ...bare.request, tools: { look }, stopWhen: sdk.stepCount(3) });
      }
      expect([runs, double.requests.length, bare.double.requests.length]).toEqual([0, 1, 1]);
      expect(events).toEqual([]);
    },
  );
});
