/** Specific to `createAgent`: messages, arguments, streams, tools with an open circuit. */
import type { BaseMessage } from '@langchain/core/messages';
import { ToolMessage } from '@langchain/core/messages';
import type { ToolRunnableConfig } from '@langchain/core/tools';
import { DynamicStructuredTool, tool } from '@langchain/core/tools';
import { createAgent } from 'langchain';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { StageOptions } from './support/stage.ts';
import { call, done, stage } from './support/stage.ts';
import { asked, callId, cityTool, results, said, weather } from './support/tools.ts';

async function play(options: StageOptions) {
  const set = await stage(options);
  const agent = createAgent({ model: set.model, tools: options.tools as never, middleware: [set.reliable.middleware] });
  let messages: readonly BaseMessage[] = [];
  // Without the mode 'messages', LangChain asks another server for the number of tokens of a streamed answer.
  for await (const chunk of await agent.stream(asked(), { streamMode: ['messages', 'values'] })) {
    const [mode, state] = chunk as [string, { readonly messages: BaseMessage[] }];
    if (mode === 'values') ({ messages } = state);
  }
  return { ...set, messages };
}

describe('messages of tools', () => {
  test('content blocks, artifacts and ids are those of the framework', async () => {
    const both = tool((args: { city: string }) => [`Map of ${args.city}`, { png: 'bytes' }], {
      name: 'both',
      description: 'Draws.',
      schema: z.object({ city: z.string() }),
      responseFormat: 'content_and_artifact',
    });
    const blocks = cityTool('blocks', (args) => [{ type: 'text', text: `Blocks of ${args.city}` }]);
    const { messages } = await play({ tools: [both, blocks], script: [{ calls: [call('both'), call('blocks')] }, done] });
    const [first, second] = results(messages);
    expect(first).toMatchObject({ content: 'Map of Oslo', artifact: { png: 'bytes' }, status: 'success', name: 'both' });
    expect(second?.content).toEqual([{ type: 'text', text: 'Blocks of Oslo' }]);
  });

  test('an artifact may be anything, also what JSON cannot represent; an output is written once', async () => {
    const artifact: Record<string, unknown> = { rows: 10n };
    artifact['self'] = artifact;
    let written = 0;
    const counted = { toJSON: () => ({ times: ++written }) };
    const schema = z.object({ city: z.string() });
    const kept = tool(() => [counted, artifact], { name: 'kept', description: 'Reads.', schema, responseFormat: 'content_and_artifact' });
    const { messages } = await play({ tools: [kept], script: [{ calls: [call('kept')] }, done] });
    expect(results(messages)[0]).toMatchObject({ content: '{"times":1}', status: 'success' });
    expect(results(messages)[0]?.artifact).toBe(artifact);
  });

  test('a message created by the tool is passed on', async () => {
    const own = cityTool('own', (_args, config) => new ToolMessage({ content: 'mine', tool_call_id: callId(config), artifact: 7 }));
    const { messages } = await play({ tools: [own], script: [{ calls: [call('own')] }, done] });
    expect(results(messages)[0]).toMatchObject({ content: 'mine', artifact: 7 });
  });

  test('a message with the status of a failure counts as a failure, and is not repeated', async () => {
    let runs = 0;
    const own = cityTool('own', (_args, config) => {
      runs += 1;
      const extra = { artifact: { seats: 0 }, additional_kwargs: { trace: 'abc' } };
      return new ToolMessage({ content: 'No seats left', tool_call_id: callId(config), status: 'error', ...extra });
    });
    const { messages, reliable } = await play({ tools: [own], script: [{ calls: [call('own')] }, done] });
    expect(said(messages)[2]).toMatch(/^tool! .*No seats left/);
    expect(results(messages)[0]).toMatchObject({ artifact: { seats: 0 }, additional_kwargs: { trace: 'abc' } });
    expect(runs).toBe(1);
    expect(reliable.service.getToolMetrics('own')).toMatchObject({ errorCount: 1 });
  });

  test('a subclass with private fields runs as it is', async () => {
    class Keyed extends DynamicStructuredTool {
      readonly #key = 'secret';
      protected override _call(args: { city: string }): Promise<string> {
        return Promise.resolve(`${args.city} with ${this.#key.length}`);
      }
    }
    const keyed = new Keyed({ name: 'keyed', description: 'x', schema: z.object({ city: z.string() }), func: async () => 'unused' });
    const { messages } = await play({ tools: [keyed], script: [{ calls: [call('keyed')] }, done] });
    expect(said(messages).slice(2)).toEqual(['tool Oslo with 6', 'ai All done.']);
  });

  test('`returnDirect` ends the agent, but not after a failure', async () => {
    let fails = true;
    const direct = tool(
      () => {
        if (fails) throw Object.assign(new Error('No such city'), { status: 404 });
        return 'The answer.';
      },
      { name: 'direct', description: 'Answers.', schema: z.object({}), returnDirect: true },
    );
    const again = (): object => {
      fails = false;
      return { calls: [call('direct', {})] };
    };
    const { messages, double } = await play({ tools: [direct], script: [{ calls: [call('direct', {})] }, again as never, done] });
    expect(said(messages).at(-1)).toBe('tool The answer.');
    expect(double.requests).toHaveLength(2);
  });

  test('a failure has its status and the id of its call', async () => {
    const broken = cityTool('broken', () => {
      throw Object.assign(new Error('No such city'), { status: 404 });
    });
    const { messages } = await play({ tools: [broken], script: [{ calls: [call('broken')] }, done] });
    const [message] = results(messages);
    expect(message).toMatchObject({ status: 'error', name: 'broken' });
    expect(message?.tool_call_id).toMatch(/^call_/);
  });
});

describe('arguments', () => {
  const transforming = (seen: unknown[]) =>
    tool(
      (args) => {
        seen.push(args);
        return 'ok';
      },
      {
        name: 'book',
        description: 'Books.',
        schema: z.object({ day: z.string().transform((day) => `day ${day}`), seats: z.number().default(2) }),
      },
    );

  test('a schema that transforms is applied once', async () => {
    const seen: unknown[] = [];
    await play({ tools: [transforming(seen)], script: [{ calls: [call('book', { day: 'one' })] }, done] });
    expect(seen).toEqual([{ day: 'day one', seats: 2 }]);
  });

  test('a number as a string is read as a number, and replayed as such', async () => {
    const seen: unknown[] = [];
    const { double, traced } = await play({
      tools: [transforming(seen)],
      script: [{ calls: [call('book', { day: 'one', seats: '5' })] }, done],
    });
    expect(seen).toEqual([{ day: 'day one', seats: 5 }]);
    expect(double.requests[1]?.neutral.messages.flatMap(({ calls }) => calls)[0]?.arguments).toEqual({ day: 'one', seats: 5 });
    expect(traced()).toContain('ArgumentsRepaired');
  });

  test('problems that only Zod knows are reported in its words', async () => {
    const even = tool(() => 'ok', {
      name: 'even',
      description: 'x',
      schema: z.object({ n: z.number().refine((n) => n % 2 === 0, 'must be even') }),
    });
    const { messages, reliable } = await play({ tools: [even], script: [{ calls: [call('even', { n: 3 })] }, done] });
    expect(said(messages)[2]).toMatch(
      /^tool! Error INVALID_ARGUMENTS: Parameter 'n': must be even\nNext: Correct the arguments of even.*even takes: n: number.*attempt 1 of 3/s,
    );
    expect(reliable.service.getToolHealth('even')).toMatchObject({ circuit: 'closed' });
  });

  test.each([false, true])('streamed %s: truncated calls are never run, although LangChain reads them', async (streaming) => {
    const cities: string[] = [];
    const pay = cityTool('pay', (args) => cities.push(args.city));
    const script = [{ calls: [call('pay', '{"city":"Os')], finish: 'length' as const }, done];
    const { messages } = await play({ tools: [pay], script, streaming });
    expect(cities).toEqual([]);
    expect(said(messages)[2]).toMatch(/cut off/);
  });

  test('streamed without an end: calls completed by LangChain are not run either', async () => {
    const cities: string[] = [];
    const pay = cityTool('pay', (args) => cities.push(args.city));
    const { messages } = await play({ tools: [pay], script: [{ calls: [call('pay', '{"city":"Os')] }, done], streaming: true });
    expect(cities).toEqual([]);
    expect(said(messages)[2]).toMatch(/^tool! /);
  });

  test.each([false, true])('Responses, streamed %s: broken JSON is read, and the executed call is replayed', async (streaming) => {
    const script = [{ calls: [call('get_weather', "{'city': 'Oslo',}"), call('get_weather', { city: 'Rome' })] }, done];
    const options = { tools: { get_weather: { effect: 'read' as const } } };
    const { messages, double } = await play({ tools: [weather()], script, streaming, useResponsesApi: true, options });
    expect(said(messages).slice(2)).toEqual(['tool Rain in Oslo.', 'tool Rain in Rome.', 'ai All done.']);
    expect(double.requests.every(({ refused }) => !refused)).toBe(true);
    const { input } = (double.requests[1]?.body ?? { input: [] }) as {
      readonly input: readonly { readonly type: string; readonly arguments: string }[];
    };
    const called = input.filter(({ type }) => type === 'function_call');
    expect(called.map((each) => each.arguments)).toEqual(['{"city":"Oslo"}', '{"city":"Rome"}']);
  });
});

describe('arguments of a tool without a declared effect', () => {
  const twice = '{"city":"Oslo","city":"Rome"}';
  test.each([false, true])('streamed %s: nothing is guessed, and a name twice is refused', async (streaming) => {
    const cities: string[] = [];
    const pay = cityTool('pay', (args) => cities.push(args.city));
    for (const text of ["{'city': 'Oslo'}", 'I will not pay {"city":"Oslo"}', twice]) {
      const { messages } = await play({ tools: [pay], script: [{ calls: [call('pay', text)] }, done], streaming });
      expect(said(messages)[2]).toMatch(/^tool! .*INVALID_ARGUMENTS/);
    }
    expect(cities).toEqual([]);
  });
});

describe('time', () => {
  test('the signal of a tool is aborted when its attempt is over', async () => {
    let reason: unknown;
    const slow = cityTool('slow', (_args, { signal }: ToolRunnableConfig) => {
      signal?.addEventListener('abort', () => (reason = signal.reason));
      return new Promise(() => undefined);
    });
    const options = { tools: { slow: { timeoutMs: 50, retry: { maxAttempts: 1 } } } };
    const { messages } = await play({ tools: [slow], options, script: [{ calls: [call('slow')] }, done] });
    expect(said(messages)[2]).toMatch(/^tool! .*tim/i);
    expect(reason).toBeDefined();
  });
});

describe('open circuits', () => {
  const down = cityTool('down', () => {
    throw Object.assign(new Error('Service unavailable'), { status: 503 });
  });
  const script = [{ calls: [call('down')] }, done];
  const settings = {
    tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false as const } },
  };
  const offered = ({ double }: Awaited<ReturnType<typeof play>>) => double.requests.map(({ neutral }) => neutral.tools);

  test('the tool is described as unavailable, with its schema unchanged', async () => {
    const [before, after] = offered(await play({ tools: [down, weather()], script, options: settings }));
    const [first, second] = [before, after].map((tools) => tools?.find(({ name }) => name === 'down') as { description: string });
    expect(second?.description).toMatch(/^The down tool\.\n\nCurrently unavailable/);
    expect({ ...second, description: first?.description }).toEqual(first);
  });

  test('or removed', async () => {
    const options = { ...settings, run: { openCircuits: 'remove' as const } };
    const [, after] = offered(await play({ tools: [down, weather()], script, options }));
    expect(after?.map(({ name }) => name)).toEqual(['get_weather']);
  });
});

test('a loop has as many steps as without Holdfast', async () => {
  const steps = async (wrapped: boolean): Promise<readonly string[]> => {
    const tools = [weather()];
    const { model, reliable } = await stage({ tools, script: [{ calls: [call('get_weather')] }, done] });
    const agent = createAgent({ model, tools, middleware: wrapped ? [reliable.middleware] : [] });
    const seen: string[] = [];
    for await (const update of await agent.stream(asked(), { streamMode: 'updates' })) seen.push(...Object.keys(update as object));
    return seen;
  };
  expect(await steps(true)).toEqual(await steps(false));
});

test('a stopped agent ends with a final message that has the reason, as text and as data', async () => {
  const find = cityTool('find', () => {
    throw Object.assign(new Error('No such city'), { status: 404 });
  });
  const { messages, double } = await play({ tools: [find], script: (() => ({ calls: [call('find')] })) as never });
  expect(said(messages).at(-1)).toMatch(/^ai Stopped: the same failing call of find/);
  expect(messages.at(-1)?.response_metadata).toMatchObject({ stopped: { reason: 'repeated_failure' } });
  expect(double.requests.length).toBeLessThan(9);
});
