/** The real SDKs, a server with the rules of the providers, and the guard between them. */
import Anthropic from '@anthropic-ai/sdk';
import { type ProviderDouble, type ProviderDoubleOptions, startProviderDouble } from '@holdfast/provider-double';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { type FetchReport, guardFetch, type GuardFetchOptions } from '../../src/fetch/guard-fetch.ts';

const doubles: ProviderDouble[] = [];
afterEach(async () => {
  await Promise.all(doubles.splice(0).map((double) => double.close()));
});

interface Scene {
  readonly double: ProviderDouble;
  readonly reports: FetchReport[];
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
}

async function scene(
  script: ProviderDoubleOptions['script'],
  options: GuardFetchOptions & { readonly backend?: ProviderDoubleOptions['profile'] } = {},
): Promise<Scene> {
  const { backend, ...guard } = options;
  const double = await startProviderDouble({ script, ...(backend === undefined ? {} : { profile: backend }) });
  doubles.push(double);
  const reports: FetchReport[] = [];
  const fetch = guardFetch(globalThis.fetch, { ...guard, onReport: (report) => reports.push(report) });
  return {
    double,
    reports,
    openai: new OpenAI({ apiKey: 'k', baseURL: double.baseUrlFor('openai-chat'), fetch, maxRetries: 0 }),
    anthropic: new Anthropic({ apiKey: 'k', baseURL: double.baseUrlFor('anthropic-messages'), fetch, maxRetries: 0 }),
  };
}

const rulesOf = (reports: readonly FetchReport[]): readonly string[] => reports.flatMap(({ changes }) => changes.map(({ rule }) => rule));
const parameters = { type: 'object', properties: { city: { type: 'string' } } };
const chatTools = (name: string): OpenAI.ChatCompletionTool[] => [{ type: 'function', function: { name, parameters } }];
const user = { role: 'user', content: 'Weather?' } as const;
const chatCall = (id: string, name = 'weather', args = '{}'): OpenAI.ChatCompletionMessageParam => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
});

describe('OpenAI Chat', () => {
  const broken: OpenAI.ChatCompletionMessageParam[] = [
    user,
    chatCall('c1'),
    { role: 'user', content: 'And now?' },
    { role: 'tool', tool_call_id: 'c9', content: 'x' },
  ];

  test('without the guard the provider refuses; with it the request succeeds', async () => {
    const { double, openai, reports } = await scene([{ text: 'Sunny.' }]);
    const bare = new OpenAI({ apiKey: 'k', baseURL: double.baseUrlFor('openai-chat'), maxRetries: 0 });
    const request = { model: 'gpt-5.2', messages: broken, tools: chatTools('weather') };
    await expect(bare.chat.completions.create(request)).rejects.toMatchObject({ status: 400 });
    const answer = await openai.chat.completions.create(request);
    expect(answer.choices[0]?.message.content).toBe('Sunny.');
    expect(rulesOf(reports)).toEqual(expect.arrayContaining(['missing-result', 'orphan-result']));
    expect(reports.map(({ stage }) => stage)).toEqual(['request']);
  });

  test('a valid exchange is passed through unchanged', async () => {
    const { double, openai, reports } = await scene([{ calls: [{ name: 'weather', arguments: { city: 'Paris' } }] }]);
    const answer = await openai.chat.completions.create({ model: 'gpt-5.2', messages: [user], tools: chatTools('weather') });
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { name: 'weather', arguments: '{"city":"Paris"}' } });
    expect(reports).toEqual([]);
    expect(double.requests).toHaveLength(1);
  });

  test('names that the provider does not accept are mapped back, in complete answers and in streams', async () => {
    const wire = (request: { readonly tools: readonly { readonly name: string }[] }): string => request.tools[0]?.name ?? '';
    const { double, openai, reports } = await scene((request) => ({
      calls: [{ name: wire(request), arguments: { city: 'Zürich' } }],
      chunking: { bytes: 7 },
    }));
    const request = { model: 'gpt-5.2', messages: [user], tools: chatTools('maps.weather/now') };
    const whole = await openai.chat.completions.create(request);
    expect(whole.choices[0]?.message.tool_calls?.[0]).toMatchObject({
      function: { name: 'maps.weather/now', arguments: '{"city":"Zürich"}' },
    });
    const stream = await openai.chat.completions.create({ ...request, stream: true });
    let name = '';
    let args = '';
    for await (const chunk of stream) {
      const called = chunk.choices[0]?.delta.tool_calls?.[0]?.function;
      name += called?.name ?? '';
      args += called?.arguments ?? '';
    }
    expect([name, args]).toEqual(['maps.weather/now', '{"city":"Zürich"}']);
    expect(double.requests).toHaveLength(2);
    expect(reports.map(({ stage }) => stage)).toEqual(['request', 'answer', 'request', 'answer']);
    expect(new Set(rulesOf(reports))).toEqual(new Set(['name-form']));
  });

  test('unreadable arguments are repaired; guesses are made only for tools without side effects', async () => {
    const script = [
      { calls: [{ name: 'weather', arguments: '{"city":"Paris"}<|im_end|>' }] },
      { calls: [{ name: 'weather', arguments: "{'city':'Paris'}" }] },
      { calls: [{ name: 'weather', arguments: "{'city':'Paris'}" }] },
    ];
    const { openai, reports } = await scene(script);
    const request = { model: 'gpt-5.2', messages: [user], tools: chatTools('weather') };
    const argumentsOf = async (client: OpenAI): Promise<string | undefined> => {
      const call = (await client.chat.completions.create(request)).choices[0]?.message.tool_calls?.[0];
      return call?.type === 'function' ? call.function.arguments : undefined;
    };
    expect(await argumentsOf(openai)).toBe('{"city":"Paris"}');
    expect(await argumentsOf(openai)).toBe("{'city':'Paris'}");
    expect(reports.map(({ changes, problems }) => [changes.length, problems.map(({ rule }) => rule)])).toEqual([
      [1, []],
      [0, ['malformed-call']],
    ]);
    const reading = await scene(script.slice(1), { effectOf: () => 'read' });
    expect(await argumentsOf(reading.openai)).toBe('{"city":"Paris"}');
  });

  test('a truncated answer is reported and left unchanged, complete or streamed', async () => {
    const turn = { calls: [{ name: 'weather', arguments: '{"city":"Par' }], finish: 'length' } as const;
    const { openai, reports } = await scene([turn, turn, { calls: [{ name: 'weather' }], chunking: { closeAfter: 2 } }], {
      effectOf: () => 'read',
    });
    const request = { model: 'gpt-5.2', messages: [user], tools: chatTools('weather') };
    const answer = await openai.chat.completions.create(request);
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"city":"Par' } });
    for await (const chunk of await openai.chat.completions.create({ ...request, stream: true }))
      expect(chunk.object).toBe('chat.completion.chunk');
    expect(reports.map(({ stage, changes, problems }) => [stage, changes.length, problems[0]?.rule])).toEqual([
      ['answer', 0, 'truncated'],
      ['answer', 0, 'truncated'],
    ]);
  });

  test('a backend with stricter rules refuses once, and accepts the second request', async () => {
    const messages = [user, chatCall('call_0123456789'), { role: 'tool', tool_call_id: 'call_0123456789', content: 'ok' } as const];
    const { double, openai, reports } = await scene([{ text: 'Done.' }], { backend: 'mistral' });
    const answer = await openai.chat.completions.create({ model: 'mistral-large', messages, tools: chatTools('weather') });
    expect(answer.choices[0]?.message.content).toBe('Done.');
    expect(double.requests).toHaveLength(2);
    expect(reports).toMatchObject([{ stage: 'refusal', sentAgain: true, fault: { kind: 'history', rule: 'call-id-form' } }]);
    const named = await scene([{ text: 'Done.' }], { backend: 'mistral', profile: 'mistral' });
    await named.openai.chat.completions.create({ model: 'mistral-large', messages, tools: chatTools('weather') });
    expect(named.double.requests).toHaveLength(1);
  });

  test.each([
    [
      'the definitions',
      { status: 400, message: "Invalid schema for function 'weather': In context=(), 'required' is required" },
      'definition',
    ],
    [
      'the model',
      { status: 400, body: { error: { code: 'tool_use_failed', message: 'Failed to call a function', failed_generation: 'x' } } },
      'model',
    ],
    [
      'the transcript, beyond repair',
      { status: 400, message: 'The `reasoning_content` in the thinking mode must be passed back to the API.' },
      'history',
    ],
  ])('a fault of %s is reported and not sent again', async (_name, error, kind) => {
    const { double, openai, reports } = await scene([{ error }]);
    await expect(openai.chat.completions.create({ model: 'gpt-5.2', messages: [user] })).rejects.toMatchObject({ status: 400 });
    expect(double.requests).toHaveLength(1);
    expect(reports).toMatchObject([{ stage: 'refusal', sentAgain: false, fault: { kind } }]);
  });

  test('other errors are unchanged', async () => {
    const { openai, reports } = await scene([{ error: { status: 429, message: 'slow down', retryAfterMs: 5 } }]);
    await expect(openai.chat.completions.create({ model: 'gpt-5.2', messages: [user] })).rejects.toBeInstanceOf(OpenAI.RateLimitError);
    expect(reports).toEqual([]);
  });
});

describe('OpenAI Responses', () => {
  test('a call without its output gets one, also in a stream', async () => {
    const { openai, reports } = await scene(() => ({ text: 'Sunny.' }));
    const input: OpenAI.Responses.ResponseInputItem[] = [
      { role: 'user', content: 'Weather?' },
      { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
      { role: 'user', content: 'And now?' },
    ];
    const answer = await openai.responses.create({ model: 'gpt-5.2', input });
    expect(answer.output_text).toBe('Sunny.');
    let text = '';
    for await (const event of await openai.responses.create({ model: 'gpt-5.2', input, stream: true }))
      if (event.type === 'response.output_text.delta') text += event.delta;
    expect(text).toBe('Sunny.');
    expect(rulesOf(reports)).toEqual(expect.arrayContaining(['missing-result']));
  });
});

describe('Anthropic Messages', () => {
  const messages: Anthropic.MessageParam[] = [
    { role: 'user', content: 'Weather?' },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call:1|x', name: 'weather', input: {} }] },
    { role: 'user', content: 'And now?' },
  ];
  const tools: Anthropic.Tool[] = [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }];
  const request = { model: 'claude-sonnet-5', max_tokens: 100, messages, tools };

  test('ids and results are repaired, also in a stream', async () => {
    const { anthropic, reports } = await scene(() => ({
      calls: [{ name: 'weather', arguments: { city: 'Paris' } }],
      chunking: { characters: 3 },
    }));
    const answer = await anthropic.messages.create(request);
    expect(answer.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: 'Paris' } });
    const final = await anthropic.messages.stream(request).finalMessage();
    expect(final.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'weather', input: { city: 'Paris' } });
    expect(rulesOf(reports)).toEqual(expect.arrayContaining(['missing-result', 'call-id-form']));
  });

  test('names are mapped back in a stream', async () => {
    const { anthropic } = await scene((read) => ({ calls: [{ name: read.tools[0]?.name ?? '' }] }));
    const dotted = {
      ...request,
      messages: [{ role: 'user', content: 'Weather?' }] as Anthropic.MessageParam[],
      tools: [{ ...tools[0], name: 'maps.weather' } as Anthropic.Tool],
    };
    const final = await anthropic.messages.stream(dotted).finalMessage();
    expect(final.content.at(-1)).toMatchObject({ type: 'tool_use', name: 'maps.weather' });
  });

  test('a stream that ends within a call is reported as truncated', async () => {
    const { anthropic, reports } = await scene([{ calls: [{ name: 'weather', arguments: { city: 'Paris' } }], finish: 'length' }]);
    await anthropic.messages.stream({ ...request, messages: [{ role: 'user', content: 'Weather?' }] }).finalMessage();
    expect(reports.at(-1)).toMatchObject({ stage: 'answer', changes: [], problems: [{ rule: 'truncated' }] });
  });
});
