/** The official SDK of Anthropic against the double. */
import { afterEach, expect, it } from 'vitest';
import Anthropic, { BadRequestError, InternalServerError } from '@anthropic-ai/sdk';
import { startProviderDouble, type ProviderDouble, type ConversationScript } from '@holdfast/provider-double';
import { city, schema, weather } from '../support/weather.ts';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

async function start(script: ConversationScript): Promise<{ double: ProviderDouble; client: Anthropic }> {
  double = await startProviderDouble({ script });
  return { double, client: new Anthropic({ apiKey: 'key', baseURL: double.baseUrlFor('anthropic-messages'), maxRetries: 0 }) };
}

const base = {
  model: 'claude-opus-4-8',
  max_tokens: 4_096,
  tools: [{ name: 'get_weather', input_schema: { ...schema, required: ['city'] } }],
} satisfies Partial<Anthropic.MessageCreateParams>;
const question: Anthropic.MessageParam = { role: 'user', content: 'Weather?' };
const resultOf = (message: Anthropic.Message): Anthropic.MessageParam => {
  const use = message.content.find((block) => block.type === 'tool_use');
  const flagged = { tool_use_id: use?.id ?? '', content: 'wet', is_error: true };
  return { role: 'user', content: [{ type: 'tool_result', ...flagged }] };
};

it('plays a loop of two turns', async () => {
  const { double, client } = await start(weather);
  const first = await client.messages.create({ ...base, messages: [question] });
  expect(first.stop_reason).toBe('tool_use');
  expect(first.content).toMatchObject([
    { type: 'thinking', thinking: 'The user wants weather.' },
    { type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'toolu_000000000000000000000001', input: { city } },
  ]);
  const messages = [question, { role: 'assistant' as const, content: first.content }, resultOf(first)];
  const second = await client.messages.create({ ...base, system: 'Be short.', messages });
  expect(second.content).toMatchObject([{ type: 'text', text: 'It is wet.' }]);
  expect(double.requests[1]?.neutral.messages).toMatchObject([
    { role: 'system', text: 'Be short.' },
    { role: 'user', text: 'Weather?' },
    { role: 'assistant', text: 'Looking.', calls: [{ name: 'get_weather', arguments: { city } }] },
    { role: 'user', results: [{ text: 'wet', isError: true }] },
  ]);
});

it('streams the same, byte by byte', async () => {
  const { client } = await start([{ ...weather[0]?.({} as never), chunking: { characters: 2, bytes: 11 } }, ...weather.slice(1)]);
  const first = await client.messages.stream({ ...base, messages: [question] }).finalMessage();
  expect(first.content).toMatchObject([{ thinking: 'The user wants weather.' }, { text: 'Looking.' }, { input: { city } }]);
  const messages = [question, { role: 'assistant' as const, content: first.content }, resultOf(first)];
  expect(await client.messages.stream({ ...base, messages }).finalText()).toBe('It is wet.');
});

it('runs the tool runner', async () => {
  const { client } = await start(weather);
  const tool = { type: 'custom' as const, ...base.tools[0], parse: (raw: unknown) => raw, run: () => 'dry' };
  const last = await client.beta.messages.toolRunner({
    ...base,
    messages: [{ role: 'user', content: 'Weather?' }],
    tools: [tool as never],
  });
  expect(last.content).toMatchObject([{ type: 'text', text: 'It is dry.' }]);
});

it('refuses what the provider refuses, and changed thinking', async () => {
  const { client } = await start(weather);
  const first = await client.messages.create({ ...base, messages: [question] });
  const assistant = { role: 'assistant' as const, content: first.content };
  const ask = (messages: Anthropic.MessageParam[]): Promise<unknown> =>
    client.messages.create({ ...base, messages }).catch((thrown: unknown) => thrown);
  const missing = await ask([question, assistant, question]);
  expect(missing).toBeInstanceOf(BadRequestError);
  expect(missing).toMatchObject({ status: 400, type: 'invalid_request_error' });
  expect(String(missing)).toContain('`tool_use` ids were found without `tool_result` blocks immediately after: toolu_');
  const edited = first.content.map((block) => (block.type === 'thinking' ? { ...block, thinking: 'other' } : block));
  const changed = await ask([question, { role: 'assistant', content: edited }, resultOf(first)]);
  expect(String(changed)).toContain('blocks in the latest assistant message cannot be modified');
});

it('an overloaded provider, and an answer that was cut off', async () => {
  const { client } = await start([
    { error: { status: 529 } },
    { calls: [{ name: 'get_weather', arguments: '{"city":"Z' }], finish: 'length' },
  ]);
  const busy = await client.messages.create({ ...base, messages: [question] }).catch((thrown: unknown) => thrown);
  expect(busy).toBeInstanceOf(InternalServerError);
  expect(busy).toMatchObject({ status: 529, type: 'overloaded_error' });
  const pieces: string[] = [];
  const stream = client.messages.stream({ ...base, messages: [question] }).on('inputJson', (piece) => pieces.push(piece));
  expect((await stream.finalMessage()).stop_reason).toBe('max_tokens');
  expect(pieces.join('')).toBe('{"city":"Z');
});
