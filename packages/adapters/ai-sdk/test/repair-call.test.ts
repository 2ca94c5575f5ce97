import type { JSONSchema7 } from 'ai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { sdk6, sdk7 } from './support/sdks.ts';
import { done, stage } from './support/stage.ts';

const schema: JSONSchema7 = { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } }, required: ['city'] };
const written = (name: string, text: string) => ({ name, arguments: text });
const parallel = (...uses: readonly object[]) => ({ name: 'multi_tool_use.parallel', arguments: { tool_uses: uses } });
const use = (name: string, city: string) => ({ recipient_name: `functions.${name}`, parameters: { city } });

describe.each([sdk7, sdk6])('ai $version', (sdk) => {
  const weather = () => {
    const runs: unknown[] = [];
    const tools = {
      weather: sdk.tool({
        description: 'The weather.',
        inputSchema: z.object({ city: z.string().min(2), days: z.number().optional() }),
        execute: (input) => {
          runs.push(input);
          return `Rain in ${input.city}.`;
        },
      }),
    };
    return { tools, runs };
  };
  const steps = (count: number) => ({ stopWhen: sdk.stepCount(count) });

  test.each([
    ["{'city': 'Oslo',}", { city: 'Oslo' }],
    ['```json\n{"city":"Oslo"}\n```', { city: 'Oslo' }],
    ['"{\\"city\\":\\"Oslo\\"}"', { city: 'Oslo' }],
    ['{"city":"Oslo","days":"3"}', { city: 'Oslo', days: 3 }],
  ])('%s is read, executed and replayed', async (text, input) => {
    const { tools, runs } = weather();
    const script = [{ calls: [written('weather', text)] }, done];
    const { run, request, resultsIn, double, events } = await stage(sdk, tools, script, { tools: { weather: { effect: 'read' } } });
    const result = await sdk.generateText({ ...request, ...run.settings });
    expect(runs).toEqual([input]);
    expect(resultsIn()).toEqual(['Rain in Oslo.']);
    expect(double.requests[1]?.neutral.messages.flatMap(({ calls }) => calls.map((call) => call.arguments))).toEqual([input]);
    expect(result.steps[0]?.toolCalls[0]).not.toHaveProperty('invalid');
    expect(events.filter(({ event_type }) => event_type === 'ArgumentsRepaired')).toHaveLength(1);
  });

  test('nothing is guessed for a tool without a declared effect', async () => {
    const { tools, runs } = weather();
    const texts = ["{'city': 'Oslo',}", 'I will not call it with {"city":"Oslo"}', '```json\n{"city":"Rome"}\n```'];
    const { run, request, resultsIn } = await stage(sdk, tools, [{ calls: texts.map((text) => written('weather', text)) }, done]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(runs).toEqual([{ city: 'Rome' }]);
    expect(resultsIn()).toEqual([
      expect.stringContaining('not a JSON object'),
      expect.stringContaining('not a JSON object'),
      'Rain in Rome.',
    ]);
  });

  test('a name with the prefix of a template, and a wrapper around one call, are recognized', async () => {
    for (const call of [written('functions.weather', '{"city":"Oslo"}'), parallel(use('weather', 'Oslo'))]) {
      const { tools, runs } = weather();
      const { run, request, double } = await stage(sdk, tools, [{ calls: [call] }, done]);
      await sdk.generateText({ ...request, ...run.settings });
      expect(runs).toEqual([{ city: 'Oslo' }]);
      expect(double.requests[1]?.neutral.messages.flatMap(({ calls }) => calls.map(({ name }) => name))).toEqual(['weather']);
    }
  });

  test('the model is told to call the tools instead of a wrapper', async () => {
    const { tools, runs } = weather();
    const calls = [parallel(use('weather', 'Oslo'), use('weather', 'Rome'))];
    const { run, request, resultsIn, double } = await stage(sdk, tools, [{ calls }, done]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(runs).toEqual([]);
    expect(resultsIn()[0]).toMatch(/UNKNOWN_TOOL.*Call these tools directly, in parallel: weather, weather\./s);
    expect(double.requests[1]?.neutral.messages.flatMap(({ calls: sent }) => sent.map(({ name }) => name))).toEqual([
      'multi_tool_use_parallel',
    ]);
  });

  test('a mismatch is described in a sentence, without the output of the schema library', async () => {
    const { tools, runs } = weather();
    const calls = [written('weather', '{"city":"","days":[]}'), written('wether', '{}'), written('weather', '{"city":"Os')];
    for (const streaming of [false, true]) {
      const { run, request, resultsIn, events } = await stage(sdk, tools, [{ calls }, done]);
      if (streaming) await sdk.streamText({ ...request, ...run.settings }).consumeStream();
      else await sdk.generateText({ ...request, ...run.settings });
      expect(runs).toEqual([]);
      const [unfit = '', unknown = '', cut = ''] = resultsIn();
      expect(unfit).toMatch(
        /^(\{"error":")?Error INVALID_ARGUMENTS: Parameter 'city': .*; Parameter 'days': .*weather takes: city: string, days\?: number.*attempt 1 of 3/s,
      );
      expect(unfit).not.toMatch(/AI_|issues|"code"/);
      expect(unknown).toMatch(/UNKNOWN_TOOL.*weather/s);
      expect(cut).toMatch(/ANSWER_TRUNCATED|cut off/);
      expect(events.map(({ event_type }) => event_type)).toContain('ValidationRetryScheduled');
    }
  });

  test('invalid attempts are counted over steps, and end the loop', async () => {
    const { tools } = weather();
    const { run, request, double } = await stage(sdk, tools, () => ({ calls: [written('weather', '{"town":"Oslo"}')] }));
    const result = await sdk.generateText({ ...request, ...run.settings, stopWhen: [run.stopWhen, sdk.stepCount(9)] });
    expect(run.stopped?.reason).toBe('validation_exhausted');
    expect(run.stopped?.error?.history).toHaveLength(3);
    expect(double.requests).toHaveLength(3);
    expect(result.steps).toHaveLength(3);
  });

  test('calls of one answer count as one attempt', async () => {
    const { tools } = weather();
    const wrong = written('weather', '{"town":"Oslo"}');
    const { run, request, resultsIn } = await stage(sdk, tools, [{ calls: [wrong, wrong, wrong] }, done]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(run.stopped).toBeUndefined();
    expect(resultsIn().filter((text) => text.includes('attempt 1 of 3'))).toHaveLength(3);
  });

  test('a JSON Schema without a validator is checked: types are repaired, the rest is reported', async () => {
    const runs: unknown[] = [];
    const look = sdk.tool({ inputSchema: sdk.jsonSchema(schema), execute: (input) => void runs.push(input) });
    const calls = [written('look', '{"city":"Oslo","days":"3"}'), written('look', '{"days":3}')];
    const { run, request, resultsIn, double } = await stage(sdk, { look }, [{ calls }, done]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(runs).toEqual([{ city: 'Oslo', days: 3 }]);
    expect(resultsIn()[1]).toMatch(/Required parameter 'city' missing/);
    expect(double.requests[0]?.neutral.tools[0]?.schema).toEqual(schema);
  });

  test('an invalid JSON Schema checks nothing, and a promised one is awaited', async () => {
    const broken = sdk.tool({
      inputSchema: sdk.jsonSchema({ type: 'object', properties: { any: { $ref: '#/$defs/nowhere' } } }),
      execute: () => 'ran',
    });
    const promised = sdk.tool({ inputSchema: sdk.jsonSchema(() => Promise.resolve(schema)), execute: () => 'ran' });
    const calls = [written('broken', '{"any":1}'), written('promised', '{"city":"Oslo"}'), written('promised', '{}')];
    const { run, request, resultsIn } = await stage(sdk, { broken, promised }, [{ calls }, done]);
    await sdk.generateText({ ...request, ...run.settings });
    expect(resultsIn().slice(0, 2)).toEqual(['ran', 'ran']);
    expect(resultsIn()[2]).toMatch(/Required parameter 'city' missing/);
  });

  test('a custom repair function is called, and may throw', async () => {
    const { tools, runs } = weather();
    const script = [{ calls: [written('weather', 'Oslo')] }, done];
    const own = await stage(sdk, tools, script, {
      readArguments: ({ raw }) => ({ ok: true, value: { city: String(raw) }, repairs: ['as-text'] }),
    });
    await sdk.generateText({ ...own.request, ...own.run.settings });
    expect(runs).toEqual([{ city: 'Oslo' }]);
    const throwing = await stage(sdk, tools, script, {
      readArguments: () => {
        throw new Error('broken');
      },
    });
    await sdk.generateText({ ...throwing.request, ...throwing.run.settings });
    expect(throwing.resultsIn()[0]).toMatch(/INVALID_ARGUMENTS: The arguments could not be read/);
  });

  test('a tool that is not active in a step is not run, and an open circuit reports its wait', async () => {
    const runs: string[] = [];
    const down = sdk.tool({
      inputSchema: z.object({ city: z.string() }),
      execute: ({ city }): string => {
        runs.push(city);
        throw Object.assign(new Error('unavailable'), { status: 503 });
      },
    });
    const { tools } = weather();
    const calls = [{ name: 'down', arguments: { city: 'Oslo' } }];
    const { run, request, resultsIn, double } = await stage(sdk, { down, ...tools }, [{ calls }, { calls }, done], {
      run: { openCircuits: 'remove' },
      tools: { down: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false } },
    });
    await sdk.generateText({ ...request, ...run.settings });
    expect(double.requests.map(({ neutral }) => neutral.tools.map(({ name }) => name))).toEqual([
      ['down', 'weather'],
      ['weather'],
      ['weather'],
    ]);
    expect(runs).toHaveLength(1);
    expect(resultsIn()[1]).toMatch(/TOOL_DISABLED: down is not available now\. Available tools: weather\..*Do not call it for/s);
  });

  test('calls that the provider runs are ignored', async () => {
    const { tools } = weather();
    const { run } = await stage(sdk, tools, []);
    const toolCall = { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: '{', providerExecuted: true } as const;
    const error = new Error('as it was');
    expect(await run.repairToolCall({ toolCall, tools, messages: [], error } as never)).toBeNull();
    expect(error.message).toBe('as it was');
  });

  test('without settings the loop is controlled by the user', async () => {
    const { tools } = weather();
    const { run, request, double } = await stage(sdk, tools, () => ({ calls: [written('weather', '{"city":"Oslo"}')] }));
    await sdk.generateText({ ...request, ...run.settings, ...steps(2) });
    expect(double.requests).toHaveLength(2);
  });
});
