/** Specific to the OpenAI SDK: its two formats of tools, its ids, its own loop. The behaviour common to all adapters is in the contract. */
import { startProviderDouble } from '@holdfast/provider-double';
import type { ProviderDouble, ConversationScript } from '@holdfast/provider-double';
import { guardFetch } from '@holdfast/wire';
import { reliableTools } from '@holdfast/openai';
import OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

const model = 'gpt-5.2';
const question = { role: 'user', content: 'Weather?' } as const;
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };

async function start(script: ConversationScript, fetch?: typeof globalThis.fetch): Promise<OpenAI> {
  double = await startProviderDouble({ script });
  return new OpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-chat'), maxRetries: 0, ...(fetch ? { fetch } : {}) });
}

const resultTexts = (): readonly string[] =>
  double?.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];

const weather = { name: 'get_weather', parameters: schema, run: ({ city }: { readonly city: string }): string => `Rain in ${city}.` };

type Message = OpenAI.ChatCompletionMessage;

const messageWith = (...calls: readonly object[]): Message =>
  ({ role: 'assistant', content: null, refusal: null, tool_calls: calls }) as Message;
const called = (id: string, text: string, name = 'get_weather'): object => ({ id, type: 'function', function: { name, arguments: text } });

describe('answers', () => {
  it('reads a completion, a choice or a message', async () => {
    const run = reliableTools([weather]).startRun();
    const message = messageWith(called('c1', '{"city":"Oslo"}'));
    const choice = { index: 0, message, finish_reason: 'tool_calls', logprobs: null } as OpenAI.ChatCompletion.Choice;
    const expected = [{ role: 'tool', tool_call_id: 'c1', content: 'Rain in Oslo.' }];
    expect(await run.answerChat(message)).toEqual(expected);
    expect(await run.answerChat(choice)).toEqual(expected);
    expect(await run.answerChat({ choices: [choice] } as OpenAI.ChatCompletion)).toEqual(expected);
  });

  it.each([undefined, null, {}, [null], [5]])('refuses %o as tools', (tools) => {
    expect(() => reliableTools(tools as never)).toThrow(/^The tools must be an array, got |^tools\[0\] must be a tool, got /);
  });

  it('passes images and files to Responses unchanged', async () => {
    const parts = [
      { type: 'input_text', text: 'A page' },
      { type: 'input_image', image_url: 'data:image/png;base64,AAAA' },
    ];
    const look = { name: 'look', run: () => parts };
    const rows = { name: 'rows', run: () => [{ type: 'input_text' }] };
    const call = (name: string): object => ({ type: 'function_call', call_id: name, name, arguments: '{}' });
    const answered = await reliableTools([look, rows])
      .startRun()
      .answerResponses([call('look'), call('rows')] as never);
    expect(answered.map(({ output }) => output)).toEqual([parts, '[{"type":"input_text"}]']);
  });

  it('returns nothing for an answer without calls, or for a value that is not an answer', async () => {
    const run = reliableTools([weather]).startRun();
    expect(await run.answerChat({ role: 'assistant', content: 'Hello', refusal: null })).toEqual([]);
    expect(await run.answerResponses([])).toEqual([]);
    for (const odd of [undefined, null, 'text', 7, { choices: 3 }, { output: {} }]) {
      expect(await run.answerChat(odd as never)).toEqual([]);
      expect(await run.answerResponses(odd as never)).toEqual([]);
    }
  });

  it('has no results for calls of tools that OpenAI runs itself', async () => {
    const run = reliableTools([weather]).startRun();
    const hosted = [
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'Oslo' } },
      { type: 'mcp_call', id: 'mcp_1', name: 'get_weather', arguments: '{"city":"Oslo"}', server_label: 'own' },
    ];
    const own = { type: 'function_call', call_id: 'c1', name: 'get_weather', arguments: '{"city":"Oslo"}' };
    const answered = await run.answerResponses([...hosted, own] as never);
    expect(answered).toEqual([{ type: 'function_call_output', call_id: 'c1', output: 'Rain in Oslo.' }]);
  });

  it('repairs arguments in the answer, too, and keeps valid ones', async () => {
    const run = reliableTools([weather], { tools: { get_weather: { effect: 'read' } } }).startRun();
    const message = messageWith(called('c1', "{'city': 'Oslo'}"), called('c2', '{ "city":"Rome" }'));
    await run.answerChat(message);
    expect(message.tool_calls).toEqual([called('c1', '{"city":"Oslo"}'), called('c2', '{ "city":"Rome" }')]);
    const item = { type: 'function_call', call_id: 'c3', name: 'get_weather', arguments: "{'city': 'Bern'}" } as const;
    expect(await run.answerResponses([item])).toEqual([{ type: 'function_call_output', call_id: 'c3', output: 'Rain in Bern.' }]);
    expect(item).toMatchObject({ arguments: '{"city":"Bern"}' });
  });

  it.each(["{'city': 'Oslo'}", 'I will not call it with {"city":"Oslo"}', '{"city":"Oslo","city":"Rome"}'])(
    'does not run a tool without a declared effect with %s',
    async (text) => {
      const run = reliableTools([weather]).startRun();
      expect((await run.answerChat(messageWith(called('c1', text))))[0]?.content).toContain('INVALID_ARGUMENTS');
    },
  );

  it.each([null, 'content_filter'])('runs no call of an answer with the finish reason %s', async (finish_reason) => {
    const run = reliableTools([weather]).startRun();
    const choice = { index: 0, message: messageWith(called('c1', '{"city":"Oslo"}')), finish_reason, logprobs: null };
    expect((await run.answerChat(choice as OpenAI.ChatCompletion.Choice))[0]?.content).toContain('ANSWER_TRUNCATED');
    const item = { type: 'function_call', call_id: 'c2', name: 'get_weather', arguments: '{}', status: 'in_progress' } as const;
    expect((await run.answerResponses([item]))[0]?.output).toContain('ANSWER_TRUNCATED');
  });

  it('runs custom tools with their text as input', async () => {
    const shout = { name: 'shout', run: ({ input }: { readonly input: string }): string => input.toUpperCase() };
    const run = reliableTools([shout]).startRun();
    const custom = { id: 'c1', type: 'custom', custom: { name: 'shout', input: "it's me" } };
    expect(await run.answerChat(messageWith(custom))).toEqual([{ role: 'tool', tool_call_id: 'c1', content: "IT'S ME" }]);
    const item = { type: 'custom_tool_call', call_id: 'c2', name: 'shout', input: 'hey' } as const;
    expect(await run.answerResponses([item])).toEqual([{ type: 'custom_tool_call_output', call_id: 'c2', output: 'HEY' }]);
  });

  it('never runs calls of a truncated answer', async () => {
    const run = reliableTools([weather]).startRun();
    const choice = { index: 0, message: messageWith(called('c1', '{"city":"Oslo"}')), finish_reason: 'length', logprobs: null };
    expect((await run.answerChat(choice as OpenAI.ChatCompletion.Choice))[0]?.content).toContain('ANSWER_TRUNCATED');
    const item = { type: 'function_call', call_id: 'c2', name: 'get_weather', arguments: '{}', status: 'incomplete' } as const;
    expect((await run.answerResponses([item]))[0]?.output).toContain('ANSWER_TRUNCATED');
  });

  it('returns the same array if nothing needs repair', () => {
    const run = reliableTools([weather]).startRun();
    const messages = [question, messageWith(called('c1', '{}')), { role: 'tool' as const, tool_call_id: 'c1', content: 'wet' }];
    expect(run.repairChat(messages)).toBe(messages);
    const input = [{ role: 'user' as const, content: 'Weather?' }];
    expect(run.repairResponses(input)).toBe(input);
    expect(run.repairChat([question, messageWith(called('c1', '{}'))]).at(-1)).toMatchObject({ role: 'tool', tool_call_id: 'c1' });
  });

  it('circuits are shared by the runs, attempts are not', async () => {
    const down = {
      name: 'down',
      run: (): never => {
        throw Object.assign(new Error('down'), { status: 503 });
      },
    };
    const { service, startRun } = reliableTools([down], {
      policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 2, openMs: 30_000 }, waitForRecovery: false },
    });
    const [one, other] = [startRun(), startRun()];
    await one.answerChat(messageWith(called('c1', '{"n":1}', 'down')));
    await other.answerChat(messageWith(called('c1', '{"n":1}', 'down')));
    expect(service.getToolHealth('down')?.circuit).toBe('open');
    expect(one.chatTools[0]?.function.description).toMatch(/unavailable/);
    expect(other.responsesTools[0]).toMatchObject({ name: 'down', strict: false, description: expect.stringMatching(/unavailable/) });
  });
});

describe('tools', () => {
  it('refuses tools that cannot be run, and settings of unknown ones', () => {
    expect(() => reliableTools([{ type: 'function', function: { name: 'lonely' } }])).toThrow("The tool 'lonely' has no function to run");
    expect(() => reliableTools([weather], { tools: { wether: {} } })).toThrow("'wether'");
  });

  it('of the SDK run in a custom loop, with their own parsing', async () => {
    const parsed = zodFunction({
      name: 'get_weather',
      parameters: z.object({ city: z.string().refine((city) => city !== 'Atlantis', 'is no city') }),
      function: ({ city }) => `Rain in ${city}.`,
    });
    const raw = { type: 'function' as const, function: { name: 'echo', parameters: schema, function: (text: string) => text } };
    const run = reliableTools([parsed, raw]).startRun();
    const message = messageWith(called('c1', '{"city":"Oslo"}'), called('c2', '{"city":"Atlantis"}'), called('c3', '{"city":"X"}', 'echo'));
    const texts = (await run.answerChat(message)).map(({ content }) => content);
    expect(texts[0]).toBe('Rain in Oslo.');
    expect(texts[1]).toContain("Parameter 'city': is no city");
    expect(texts[2]).toBe('{"city":"X"}');
    expect(run.chatTools[0]?.function).toMatchObject({ name: 'get_weather', strict: true });
  });
});

describe('runTools', () => {
  it('passes text as the model wrote it to a function without a parser and parameters', async () => {
    const texts = ['tomorrow, or {maybe} later', '{"a": 1}', ''];
    const client = await start([{ calls: texts.map((text) => ({ name: 'note', arguments: text })) }, { text: 'Done.' }]);
    const seen: string[] = [];
    const note = {
      type: 'function' as const,
      function: { name: 'note', parameters: { type: 'object', properties: {} }, function: (text: string) => void seen.push(text) },
    };
    const run = reliableTools([note]).startRun();
    const runner = client.chat.completions.runTools({ model, messages: [question], tools: run.tools });
    expect(await runner.finalContent()).toBe('Done.');
    expect(seen).toEqual(texts);
  });

  it('keeps the output of a tool that aborts its own runner', async () => {
    const client = await start([{ calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }, { text: 'Done.' }]);
    const results: unknown[] = [];
    const tool = zodFunction({
      name: 'get_weather',
      parameters: z.object({ city: z.string() }),
      function: async (...given: readonly unknown[]) => {
        (given[1] as { abort(): void }).abort();
        return "it's raining";
      },
    });
    const run = reliableTools([tool]).startRun();
    const runner = client.chat.completions.runTools({ model, messages: [question], tools: run.tools });
    runner.on('functionToolCallResult', (content) => results.push(content));
    await runner.done().catch(() => undefined);
    expect(results).toEqual(["it's raining"]);
  });

  it('passes the bytes that the model wrote to a parser, and to a function without one', async () => {
    const written = ['{ "city" : "Oslo", "id": 1.0 }', '{"city":"Oslo",}'];
    const client = await start([
      { calls: written.flatMap((text) => ['parsed', 'plain'].map((name) => ({ name, arguments: text }))) },
      { text: 'Done.' },
    ]);
    const seen: Record<string, string[]> = { parsed: [], plain: [] };
    const parsed = { name: 'parsed', parameters: schema, parse: (text: string) => void seen['parsed']?.push(text), function: () => 1 };
    const plain = { name: 'plain', parameters: schema, function: (text: string) => seen['plain']?.push(text) };
    const functions = [parsed, plain].map((each) => ({ type: 'function', function: each }) as const);
    const run = reliableTools(functions, { tools: { parsed: { effect: 'read' }, plain: { effect: 'read' } } }).startRun();
    await client.chat.completions.runTools({ model, messages: [question], tools: run.tools } as never).done();
    // The second text is repaired.
    expect(seen).toEqual({ parsed: [written[0], '{"city":"Oslo"}'], plain: [written[0], '{"city":"Oslo"}'] });
  });

  it('runs with defaults that only the parser of the tool knows, and reports what it would drop', async () => {
    const client = await start([
      {
        calls: [
          { name: 'get_weather', arguments: { city: 'Oslo' } },
          { name: 'get_weather', arguments: { city: 'Oslo', more: 1 } },
          { name: 'get_weather', arguments: { town: 'Oslo' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const parameters = z.object({ city: z.string(), days: z.number().default(3) });
    const tool = zodFunction({ name: 'get_weather', parameters, function: ({ city, days }) => `${days} days in ${city}` });
    const run = reliableTools([tool]).startRun();
    await client.chat.completions.runTools({ model, messages: [question], tools: run.tools }).done();
    expect(resultTexts().map((text) => text.split('\n')[0])).toEqual([
      '3 days in Oslo',
      expect.stringContaining("'more': is not known here"),
      expect.stringMatching(/^Error INVALID_ARGUMENTS: Required parameter 'city' missing; .*'town': is not known here/),
    ]);
  });

  it('passes functions the arguments of the SDK, and answers identical calls by their ids', async () => {
    const client = await start([
      {
        calls: [
          { name: 'get_weather', arguments: { city: 'Oslo' } },
          { name: 'get_weather', arguments: { city: 'Oslo' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const seen: unknown[] = [];
    const tool = zodFunction({
      name: 'get_weather',
      parameters: z.object({ city: z.string() }),
      function: (...given: readonly unknown[]) => {
        seen.push(given);
        return { rain: seen.length };
      },
    });
    const run = reliableTools([tool]).startRun();
    const runner = client.chat.completions.runTools({ model, messages: [question], tools: run.tools, toolContext: { user: 7 } } as never);
    expect(await runner.finalContent()).toBe('Done.');
    expect(seen).toEqual([
      [{ city: 'Oslo' }, runner, { user: 7 }],
      [{ city: 'Oslo' }, runner, { user: 7 }],
    ]);
    expect(resultTexts()).toEqual(['{"rain":1}', '{"rain":2}']);
  });

  it('one call after the other', async () => {
    const client = await start([
      {
        calls: [
          { name: 'get_weather', arguments: { city: 'Oslo' } },
          { name: 'get_weather', arguments: { town: 'Rome' } },
        ],
      },
      { text: 'Done.' },
    ]);
    const run = reliableTools([weather]).startRun();
    const runner = client.chat.completions.runTools({ model, messages: [question], tools: run.tools, parallel_tool_calls: false });
    expect(await runner.finalContent()).toBe('Done.');
    expect(resultTexts()[0]).toBe('Rain in Oslo.');
    expect(resultTexts()[1]).toContain("'city' missing");
  });

  it('with a guarded fetch, transcripts are repaired below the SDK', async () => {
    const reports: string[] = [];
    const guarded = guardFetch(fetch, { onReport: ({ changes }) => reports.push(...changes.map(({ rule }) => rule)) });
    const client = await start([{ text: 'Done.' }], guarded as typeof fetch);
    const messages = [question, messageWith(called('c1', '{"city":"Oslo"}')), question];
    const runner = client.chat.completions.runTools({ model, messages, tools: reliableTools([weather]).startRun().tools });
    expect(await runner.finalContent()).toBe('Done.');
    expect(reports.length).toBeGreaterThan(0);
  });
});

describe('Responses', () => {
  it('by previous_response_id', async () => {
    const client = await start([{ calls: [{ name: 'get_weather', arguments: { city: 'Oslo' } }] }, { text: 'Done.' }]);
    const run = reliableTools([weather]).startRun();
    const first = await client.responses.create({ model, input: 'Weather?', tools: run.responsesTools });
    const input = await run.answerResponses(first);
    const second = await client.responses.create({ model, input, previous_response_id: first.id, tools: run.responsesTools });
    expect(second.output_text).toBe('Done.');
    expect(resultTexts()).toEqual(['Rain in Oslo.']);
  });
});
