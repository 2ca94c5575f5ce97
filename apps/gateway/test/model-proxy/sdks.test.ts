/** The official SDKs with the gateway as base URL. */
import Anthropic from '@anthropic-ai/sdk';
import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterEach, describe, expect, test } from 'vitest';
import { clientKey, configuredKey, scene, type Scene, type SceneOptions } from './scene.ts';

const open: Scene[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

interface Clients {
  readonly openai: OpenAI;
  readonly anthropic: Anthropic;
  readonly gemini: GoogleGenAI;
}

const clientsOf = (url: string): Clients => ({
  openai: new OpenAI({ apiKey: clientKey, baseURL: `${url}/openai/v1`, maxRetries: 0 }),
  anthropic: new Anthropic({ apiKey: clientKey, baseURL: `${url}/anthropic`, maxRetries: 0 }),
  gemini: new GoogleGenAI({ apiKey: clientKey, httpOptions: { baseUrl: `${url}/gemini` } }),
});

/** The same SDKs without the gateway. */
const directOf = (url: string): Clients => ({
  openai: new OpenAI({ apiKey: clientKey, baseURL: `${url}/v1`, maxRetries: 0 }),
  anthropic: new Anthropic({ apiKey: clientKey, baseURL: url, maxRetries: 0 }),
  gemini: new GoogleGenAI({ apiKey: clientKey, httpOptions: { baseUrl: url } }),
});

async function start(options: SceneOptions): Promise<Scene & Clients & { readonly direct: Clients }> {
  const made = await scene(options);
  open.push(made);
  return { ...made, ...clientsOf(made.url), direct: directOf(made.providerUrl) };
}

const parameters = { type: 'object', properties: { city: { type: 'string' } } };

const chat = (messages: OpenAI.ChatCompletionMessageParam[]): OpenAI.ChatCompletionCreateParamsNonStreaming => ({
  model: 'gpt-5.2',
  messages,
  tools: [{ type: 'function', function: { name: 'weather', parameters } }],
});
const chatCall: OpenAI.ChatCompletionMessageParam = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{}' } }],
};
const asked: OpenAI.ChatCompletionMessageParam = { role: 'user', content: 'Weather in Zürich?' };
const chatBroken = chat([asked, chatCall, { role: 'user', content: 'Hello?' }]);
const chatWhole = chat([asked, chatCall, { role: 'tool', tool_call_id: 'c1', content: 'sunny' }]);

const messagesOf = (messages: Anthropic.MessageParam[]): Anthropic.MessageCreateParamsNonStreaming => ({
  model: 'claude-opus-5',
  max_tokens: 100,
  messages,
  tools: [{ name: 'weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }],
});
const anthropicCall: Anthropic.MessageParam = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} }],
};
const anthropicBroken = messagesOf([{ role: 'user', content: 'Weather?' }, anthropicCall, { role: 'user', content: 'Hello?' }]);
const anthropicWhole = messagesOf([
  { role: 'user', content: 'Weather?' },
  anthropicCall,
  { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'sunny' }] },
]);

const responsesBroken: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
  model: 'gpt-5.2',
  input: [
    { role: 'user', content: 'Weather?' },
    { type: 'function_call', call_id: 'c1', name: 'weather', arguments: '{}' },
    { role: 'user', content: 'Hello?' },
  ],
  tools: [{ type: 'function', name: 'weather', parameters, strict: false }],
};

const geminiBroken: Parameters<GoogleGenAI['models']['generateContent']>[0] = {
  model: 'gemini-2.5-flash',
  contents: [
    { role: 'user', parts: [{ text: 'Weather?' }] },
    { role: 'model', parts: [{ functionCall: { name: 'weather', args: {} } }] },
    { role: 'user', parts: [{ text: 'Hello?' }] },
  ],
  config: { tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }] },
};

describe('a broken transcript', () => {
  test('of Chat Completions is refused by the provider, and answered behind the gateway', async () => {
    const { openai, direct, double, reports } = await start({ script: [{ text: 'Sunny.' }] });
    await expect(direct.openai.chat.completions.create(chatBroken)).rejects.toMatchObject({ status: 400 });
    const answer = await openai.chat.completions.create(chatBroken);
    expect(answer.choices[0]?.message.content).toBe('Sunny.');
    expect(double.requests.map(({ refused }) => refused?.status)).toEqual([400, undefined]);
    expect(reports).toMatchObject([{ provider: 'openai', stage: 'request', format: 'openai-chat', changes: [{ rule: 'missing-result' }] }]);
    expect(reports[0]?.url).toMatch(/\/v1\/chat\/completions$/);
  });

  test('of Responses', async () => {
    const { openai, direct, reports } = await start({ script: [{ text: 'Sunny.' }] });
    await expect(direct.openai.responses.create(responsesBroken)).rejects.toMatchObject({ status: 400 });
    expect((await openai.responses.create(responsesBroken)).output_text).toBe('Sunny.');
    expect(reports).toMatchObject([{ provider: 'openai', format: 'openai-responses' }]);
  });

  test('of Messages', async () => {
    const { anthropic, direct, reports } = await start({ script: [{ text: 'Sunny.' }] });
    await expect(direct.anthropic.messages.create(anthropicBroken)).rejects.toMatchObject({ status: 400 });
    expect((await anthropic.messages.create(anthropicBroken)).content).toMatchObject([{ type: 'text', text: 'Sunny.' }]);
    expect(reports).toMatchObject([{ provider: 'anthropic', format: 'anthropic-messages' }]);
  });

  test('of Gemini', async () => {
    const { gemini, direct, reports } = await start({ script: [{ text: 'Sunny.' }] });
    await expect(direct.gemini.models.generateContent(geminiBroken)).rejects.toMatchObject({ status: 400 });
    expect((await gemini.models.generateContent(geminiBroken)).text).toBe('Sunny.');
    expect(reports).toMatchObject([{ provider: 'gemini', format: 'gemini' }]);
  });

  test('that only the backend rejects is retried once', async () => {
    const { openai, double, reports } = await start({ script: [{ text: 'Done.' }], backend: 'mistral' });
    const id = 'call_0123456789';
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      asked,
      { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'weather', arguments: '{}' } }] },
      { role: 'tool', tool_call_id: id, content: 'sunny' },
    ];
    const answer = await openai.chat.completions.create({ ...chat(messages), model: 'mistral-large' });
    expect(answer.choices[0]?.message.content).toBe('Done.');
    expect(double.requests.map(({ refused }) => refused?.status)).toEqual([400, undefined]);
    expect(reports).toMatchObject([{ stage: 'refusal', sentAgain: true }]);
  });

  test('is not repaired if repair is disabled', async () => {
    const { openai, reports } = await start({ script: [{ text: 'Sunny.' }], entry: { repair: false } });
    await expect(openai.chat.completions.create(chatBroken)).rejects.toMatchObject({ status: 400 });
    expect(reports).toEqual([]);
  });
});

describe('a valid exchange', () => {
  test('is forwarded unchanged, without a report', async () => {
    const { openai, anthropic, gemini, direct, arrivals, reports } = await start({
      script: () => ({ calls: [{ name: 'weather', arguments: { city: 'Zürich 🌤' } }] }),
    });
    const geminiWhole = { ...geminiBroken, contents: 'Weather?' };
    const viaGateway = [
      await openai.chat.completions.create(chatWhole),
      await anthropic.messages.create(anthropicWhole),
      (await gemini.models.generateContent(geminiWhole)).functionCalls,
    ];
    const through = arrivals.map(({ method, url, body }) => ({ method, url, body }));
    const bare = [
      await direct.openai.chat.completions.create(chatWhole),
      await direct.anthropic.messages.create(anthropicWhole),
      (await direct.gemini.models.generateContent(geminiWhole)).functionCalls,
    ];
    expect(through).toEqual(arrivals.slice(3).map(({ method, url, body }) => ({ method, url, body })));
    const steady = (answers: readonly unknown[]): string => JSON.stringify(answers).replaceAll(/"(id|created)":("[^"]*"|\d+)/g, '"$1":0');
    expect(steady(viaGateway)).toBe(steady(bare));
    expect(reports).toEqual([]);
  });

  test.each([undefined, 1, 7])('in a stream of writes of %s bytes reads the same', async (bytes) => {
    const turn = {
      text: 'Grüezi, 你好',
      calls: [{ name: 'weather', arguments: { city: 'Zürich' } }],
      chunking: bytes === undefined ? {} : { bytes },
    };
    const { openai, anthropic, gemini, direct, reports } = await start({ script: () => turn });
    const read = async (clients: Clients): Promise<unknown> => {
      const chunks: unknown[] = [];
      for await (const chunk of await clients.openai.chat.completions.create({ ...chatWhole, stream: true })) chunks.push(chunk.choices);
      const message = await clients.anthropic.messages.stream(anthropicWhole).finalMessage();
      chunks.push(message.content.map((block) => ({ ...block, id: undefined })));
      const stream = await clients.gemini.models.generateContentStream({ ...geminiBroken, contents: 'Weather?' });
      for await (const chunk of stream) chunks.push(chunk.candidates);
      return JSON.parse(JSON.stringify(chunks).replaceAll(/"id":"[^"]*"/g, '"id":0'));
    };
    expect(await read({ openai, anthropic, gemini })).toEqual(await read(direct));
    expect(reports).toEqual([]);
  });

  test('changed names are mapped back, also in a stream', async () => {
    const dotted = { ...chatWhole, tools: [{ type: 'function' as const, function: { name: 'maps.weather', parameters } }] };
    const { openai } = await start({
      script: (request) => ({ calls: [{ name: request.tools[0]?.name ?? '', arguments: {} }], chunking: { bytes: 5 } }),
    });
    let name = '';
    for await (const chunk of await openai.chat.completions.create({ ...dotted, stream: true }))
      name += chunk.choices[0]?.delta.tool_calls?.[0]?.function?.name ?? '';
    expect(name).toBe('maps.weather');
  });

  test('that was truncated is reported, and not changed', async () => {
    const { openai, reports } = await start({ script: [{ calls: [{ name: 'weather', arguments: '{"city":"Par' }], finish: 'length' }] });
    const answer = await openai.chat.completions.create(chatWhole);
    expect(answer.choices[0]?.message.tool_calls?.[0]).toMatchObject({ function: { arguments: '{"city":"Par' } });
    expect(reports).toMatchObject([{ stage: 'answer', problems: [{ rule: 'truncated' }] }]);
  });
});

describe('keys', () => {
  test('the configured one is sent to the provider, the client’s never', async () => {
    const { openai, anthropic, gemini, arrivals } = await start({ script: () => ({ text: 'ok' }) });
    await openai.chat.completions.create(chatWhole);
    await anthropic.messages.create(anthropicWhole);
    await gemini.models.generateContent({ ...geminiBroken, contents: 'Weather?' });
    const [first, second, third] = arrivals.map(({ headers }) => headers);
    expect(first?.['authorization']).toBe(`Bearer ${configuredKey}`);
    expect(second?.['x-api-key']).toBe(configuredKey);
    expect(second?.['anthropic-version']).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(third?.['x-goog-api-key']).toBe(configuredKey);
    expect(second?.['authorization']).toBeUndefined();
    expect(JSON.stringify(arrivals)).not.toContain(clientKey);
  });
});

describe('errors of the provider', () => {
  test('reach the SDK unchanged', async () => {
    const error = { status: 429, retryAfterMs: 2_000, message: 'Slow down.' };
    const { openai, anthropic } = await start({ script: () => ({ error }) });
    await expect(openai.chat.completions.create(chatWhole)).rejects.toSatisfy(
      (thrown: InstanceType<typeof OpenAI.RateLimitError>) =>
        thrown instanceof OpenAI.RateLimitError && thrown.message.includes('Slow down.') && thrown.headers.get('retry-after') === '2',
    );
    await expect(anthropic.messages.create(anthropicWhole)).rejects.toBeInstanceOf(Anthropic.RateLimitError);
  });

  test('other paths are forwarded, including their errors', async () => {
    const { openai, arrivals } = await start({});
    await expect(openai.models.list()).rejects.toMatchObject({ status: 404 });
    expect(arrivals).toMatchObject([{ method: 'GET', url: '/v1/models' }]);
  });
});
