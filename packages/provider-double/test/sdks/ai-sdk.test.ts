/** AI SDK with four of its providers against the double. */
import { createAmazonBedrock } from '@ai-sdk/amazon-bedrock';
import { createAnthropic } from '@ai-sdk/anthropic';
import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, generateText, jsonSchema, stepCountIs, streamText, tool, type LanguageModel, type ModelMessage } from 'ai';
import { afterEach, describe, expect, it } from 'vitest';
import { startProviderDouble, type NeutralRequest, type ProviderDouble, type ConversationScript } from '@holdfast/provider-double';
import { checkRequest } from '@holdfast/provider-double/rules';
import { caseOf } from '../support/cases.ts';
import { city, schema, weather } from '../support/weather.ts';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

const start = async (script: ConversationScript): Promise<ProviderDouble> => (double = await startProviderDouble({ script }));

const models: readonly (readonly [NeutralRequest['format'], (baseURL: string) => LanguageModel])[] = [
  ['openai-chat', (baseURL) => createOpenAI({ apiKey: 'key', baseURL }).chat('gpt-5.2')],
  ['openai-responses', (baseURL) => createOpenAI({ apiKey: 'key', baseURL }).responses('gpt-5.2')],
  ['anthropic-messages', (baseURL) => createAnthropic({ apiKey: 'key', baseURL })('claude-opus-4-8')],
  ['gemini', (baseURL) => createGoogleGenerativeAI({ apiKey: 'key', baseURL })('gemini-3-pro')],
  ['bedrock-converse', (baseURL) => createAmazonBedrock({ apiKey: 'key', baseURL, region: 'us-east-1' })('us.amazon.nova-pro-v1:0')],
];

const tools = {
  get_weather: tool({
    inputSchema: jsonSchema<{ city: string }>({ ...schema, required: ['city'] }),
    execute: (input) => `wet in ${input.city}`,
  }),
};
const settings = { prompt: 'Weather?', tools, stopWhen: stepCountIs(4), maxRetries: 0 } as const;

describe.each(models)('%s', (format, connect) => {
  it('plays a loop of two turns', async () => {
    const { baseUrlFor, requests } = await start(weather);
    const { text, steps } = await generateText({ ...settings, model: connect(baseUrlFor(format, 'ai-sdk')) });
    expect(text).toBe(`It is wet in ${city}.`);
    expect(steps).toHaveLength(2);
    expect(requests.map(({ neutral, refused }) => [neutral.format, neutral.stream, refused])).toEqual([
      [format, false, undefined],
      [format, false, undefined],
    ]);
  });

  it('streams the same, byte by byte', async () => {
    const { baseUrlFor, requests } = await start([
      { ...weather[0]?.({} as never), chunking: { characters: 4, bytes: 13 } },
      ...weather.slice(1),
    ]);
    const result = streamText({ ...settings, model: connect(baseUrlFor(format, 'ai-sdk')) });
    expect((await result.steps).at(-1)?.text).toBe(`It is wet in ${city}.`);
    expect(requests.map(({ neutral, refused }) => [neutral.stream, refused])).toEqual([
      [true, undefined],
      [true, undefined],
    ]);
  });

  it('an orphan result passes the SDK and is refused', async () => {
    const { baseUrlFor, requests } = await start(weather);
    const messages: ModelMessage[] = [
      { role: 'user', content: 'Weather?' },
      { role: 'assistant', content: 'Looking.' },
      {
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'get_weather', output: { type: 'text', value: 'wet' } }],
      },
    ];
    const error: unknown = await generateText({ model: connect(baseUrlFor(format, 'ai-sdk')), messages, tools, maxRetries: 0 }).catch(
      (thrown: unknown) => thrown,
    );
    expect(APICallError.isInstance(error)).toBe(true);
    expect(error).toMatchObject({ statusCode: 400, isRetryable: false });
    expect(requests[0]?.refused?.problems.map(({ rule }) => rule)).toContain('orphan-result');
    expect(requests[0]?.refused?.message).toBe((error as APICallError).message);
    expect(checkRequest({ format: 'ai-sdk', request: { messages } })).toMatchObject([{ rule: 'orphan-result' }]);
  });
});

it('the rules report a missing result with the message that AI SDK throws', async () => {
  const { baseUrlFor } = await start(weather);
  const messages: ModelMessage[] = [
    { role: 'user', content: 'Weather?' },
    {
      role: 'assistant',
      content: ['c1', 'c2'].map((toolCallId) => ({ type: 'tool-call', toolCallId, toolName: 'get_weather', input: { city } })),
    },
    { role: 'user', content: 'Well?' },
  ];
  const model = createOpenAI({ apiKey: 'key', baseURL: baseUrlFor('openai-chat', 'ai-sdk') }).chat('gpt-5.2');
  const error: unknown = await generateText({ model, messages, tools }).catch((thrown: unknown) => thrown);
  const [problem] = checkRequest({ format: 'ai-sdk', request: { messages } });
  expect(problem).toMatchObject({ rule: 'missing-result', type: (error as Error).name, message: (error as Error).message });
});

it('V04: a call that waits for approval is reported as missing when the user continues', () => {
  const [request] = (caseOf('V04').body as { uiMessages: { parts: unknown[] }[] }).uiMessages.slice(1);
  expect(request?.parts).toMatchObject([{ state: 'approval-requested', toolCallId: 'c1' }]);
  const call = [
    { type: 'tool-call', toolCallId: 'c1', toolName: 'rm', input: {} },
    { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'c1' },
  ];
  const before = [
    { role: 'user', content: 'go' },
    { role: 'assistant', content: call },
  ];
  const ruled = { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ap1', approved: true }] };
  const problems = checkRequest({ format: 'ai-sdk', request: [...before, { role: 'user', content: 'never mind' }] });
  expect(problems).toMatchObject([{ message: 'Tool result is missing for tool call c1.' }]);
  expect(checkRequest({ format: 'ai-sdk', request: [...before, ruled] })).toEqual([]);
});
