/** The official SDK of OpenAI against the double. */
import { afterEach, describe, expect, it } from 'vitest';
import OpenAI, { APIConnectionError, AuthenticationError, BadRequestError, NotFoundError, RateLimitError } from 'openai';
import { startProviderDouble, type ProviderDouble, type ProviderDoubleOptions } from '@holdfast/provider-double';
import { city, schema, weather } from '../support/weather.ts';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

async function start(options: ProviderDoubleOptions): Promise<{ double: ProviderDouble; client: OpenAI }> {
  double = await startProviderDouble(options);
  return { double, client: new OpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-chat'), maxRetries: 0 }) };
}

const tools: OpenAI.ChatCompletionTool[] = [{ type: 'function', function: { name: 'get_weather', parameters: { ...schema } } }];
const question = { role: 'user', content: 'Weather?' } as const;

describe('Chat Completions', () => {
  it('plays a loop of two turns', async () => {
    const { double, client } = await start({ script: weather });
    const first = await client.chat.completions.create({ model: 'gpt-5.2', messages: [question], tools });
    const call = first.choices[0]?.message.tool_calls?.[0];
    if (!first.choices[0] || call?.type !== 'function') throw new Error('no call');
    expect(first.choices[0].finish_reason).toBe('tool_calls');
    expect(call.id).toBe('call_000000000000000000000001');
    expect(JSON.parse(call.function.arguments)).toEqual({ city });
    const second = await client.chat.completions.create({
      model: 'gpt-5.2',
      messages: [question, first.choices[0].message, { role: 'tool', tool_call_id: call.id, content: 'wet' }],
      tools,
    });
    expect(second.choices[0]?.message.content).toBe('It is wet.');
    expect(second.choices[0]?.finish_reason).toBe('stop');
    expect(double.requests.map(({ refused }) => refused)).toEqual([undefined, undefined]);
    expect(double.requests[1]?.neutral).toMatchObject({
      format: 'openai-chat',
      model: 'gpt-5.2',
      stream: false,
      messages: [
        { role: 'user', text: 'Weather?' },
        { role: 'assistant', text: 'Looking.', calls: [{ id: call.id, name: 'get_weather', arguments: { city } }] },
        { role: 'tool', results: [{ callId: call.id, text: 'wet', isError: false }] },
      ],
      tools: [{ name: 'get_weather', schema }],
    });
  });

  it('streams the same, byte by byte', async () => {
    const script = [{ ...weather[0]?.({} as never), chunking: { characters: 3, bytes: 7 } }, ...weather.slice(1)];
    const { client } = await start({ script });
    const stream = client.chat.completions.stream({
      model: 'gpt-5.2',
      messages: [question],
      tools,
      stream_options: { include_usage: true },
    });
    const message = await stream.finalMessage();
    const call = message.tool_calls?.[0];
    if (call?.type !== 'function') throw new Error('no call');
    expect(message.content).toBe('Looking.');
    expect(JSON.parse(call.function.arguments)).toEqual({ city });
    expect((await stream.totalUsage()).total_tokens).toBeGreaterThan(0);
    const messages = [question, message, { role: 'tool' as const, tool_call_id: call.id, content: 'wet' }];
    const answer = await client.chat.completions.stream({ model: 'gpt-5.2', messages, tools }).finalContent();
    expect(answer).toBe('It is wet.');
  });

  it('runs runTools', async () => {
    const { client } = await start({ script: weather });
    const runner = client.chat.completions.runTools({
      model: 'gpt-5.2',
      messages: [question],
      tools: [
        {
          type: 'function',
          function: {
            name: 'get_weather',
            description: 'Weather',
            parameters: { ...schema, required: ['city'] },
            parse: JSON.parse,
            function: () => 'dry',
          },
        },
      ],
    });
    expect(await runner.finalContent()).toBe('It is dry.');
  });

  it.each([false, true])('refuses a call without result as the provider does (stream: %s)', async (stream) => {
    const { double, client } = await start({ script: [{ text: 'never' }] });
    const calls = [{ id: 'c1', type: 'function' as const, function: { name: 'get_weather', arguments: '{}' } }];
    const messages = [question, { role: 'assistant' as const, tool_calls: calls }, question];
    const error: unknown = await client.chat.completions.create({ model: 'gpt-5.2', messages, stream }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'messages.[2].role', code: null });
    expect(String(error)).toContain('did not have response messages: c1');
    expect(double.requests[0]?.refused).toMatchObject({ status: 400, problems: [{ rule: 'missing-result' }] });
  });

  it('scripted errors, wrong keys, unknown models and lost connections arrive as such', async () => {
    const { double, client } = await start({
      apiKey: 'key',
      models: ['gpt-5.2'],
      script: [{ error: { status: 429, retryAfterMs: 1_500 } }, { text: 'a long answer', chunking: { closeAfter: 2 } }, { text: 'fine' }],
    });
    const ask = (model = 'gpt-5.2', one = client): Promise<unknown> =>
      one.chat.completions.create({ model, messages: [question] }).catch((thrown: unknown) => thrown);
    const limited = await ask();
    expect(limited).toBeInstanceOf(RateLimitError);
    expect((limited as RateLimitError).headers?.get('retry-after-ms')).toBe('1500');
    expect((limited as RateLimitError).headers?.get('retry-after')).toBe('2');
    const broken = client.chat.completions.stream({ model: 'gpt-5.2', messages: [question] }).done();
    await expect(broken).rejects.toThrow(/terminated/);
    expect(await ask('gpt-4')).toBeInstanceOf(NotFoundError);
    expect(await ask('gpt-5.2', client.withOptions({ apiKey: 'other' }))).toBeInstanceOf(AuthenticationError);
    expect(await ask()).toMatchObject({ choices: [{ message: { content: 'fine' } }] });
    expect(await ask()).toBeInstanceOf(BadRequestError);
    await double.close();
    expect(await ask()).toBeInstanceOf(APIConnectionError);
    await expect(double.close()).resolves.toBeUndefined();
  });
});

describe('Responses', () => {
  const flat: OpenAI.Responses.Tool[] = [{ type: 'function', name: 'get_weather', parameters: { ...schema }, strict: true }];
  const output = (id: string): OpenAI.Responses.ResponseInputItem => ({ type: 'function_call_output', call_id: id, output: 'wet' });

  it.each(['whole history', 'previous_response_id'])('plays a loop of two turns by %s', async (way) => {
    const { double, client } = await start({ script: weather });
    const first = await client.responses.create({ model: 'gpt-5.2', input: 'Weather?', tools: flat });
    const call = first.output.find((item) => item.type === 'function_call');
    expect(first.output.map((item) => item.type)).toEqual(['reasoning', 'message', 'function_call']);
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city });
    const id = call?.call_id ?? '';
    const second = await client.responses.create(
      way === 'whole history'
        ? { model: 'gpt-5.2', input: [question, ...(first.output as OpenAI.Responses.ResponseInputItem[]), output(id)], tools: flat }
        : { model: 'gpt-5.2', input: [output(id)], previous_response_id: first.id, tools: flat },
    );
    expect(second.output_text).toBe('It is wet.');
    expect(double.requests[1]?.neutral.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool']);
  });

  it('streams the same', async () => {
    const { client } = await start({ script: weather });
    const first = await client.responses.stream({ model: 'gpt-5.2', input: 'Weather?', tools: flat }).finalResponse();
    const call = first.output.find((item) => item.type === 'function_call');
    expect(JSON.parse(call?.arguments ?? '')).toEqual({ city });
    const input = [question, ...(first.output as OpenAI.Responses.ResponseInputItem[]), output(call?.call_id ?? '')];
    const second = await client.responses.stream({ model: 'gpt-5.2', input, tools: flat }).finalResponse();
    expect(second.output_text).toBe('It is wet.');
  });

  it('knows which reasoning a call was made with', async () => {
    const { client } = await start({ script: [{ calls: [{ name: 'get_weather' }] }, weather[0] ?? {}, { text: 'taken' }] });
    const ask = (input: OpenAI.Responses.ResponseInputItem[]): Promise<OpenAI.Responses.Response> =>
      client.responses.create({ model: 'gpt-5.2', input, tools: flat });
    const without = await ask([question]);
    const made = await ask([question]);
    const calls = made.output.filter((item) => item.type === 'function_call');
    await expect(ask([question, ...calls, output(calls[0]?.call_id ?? '')])).rejects.toThrow(/without its required 'reasoning' item: 'rs_/);
    const plain = without.output.filter((item) => item.type === 'function_call');
    expect((await ask([question, ...plain, output(plain[0]?.call_id ?? '')])).output_text).toBe('taken');
  });

  it('the server reports a missing output for its pending call', async () => {
    const { client } = await start({ script: weather });
    const first = await client.responses.create({ model: 'gpt-5.2', input: 'Weather?', tools: flat });
    const next = (id: string): Promise<unknown> =>
      client.responses.create({ model: 'gpt-5.2', input: 'Well?', previous_response_id: id }).catch((thrown: unknown) => thrown);
    const pending = await next(first.id);
    expect(pending).toBeInstanceOf(BadRequestError);
    expect(String(pending)).toContain('No tool output found for function call call_000000000000000000000001.');
    expect(await next('resp_other')).toMatchObject({ code: 'previous_response_not_found' });
  });

  it('an answer that was cut off is incomplete', async () => {
    const { client } = await start({ script: [{ calls: [{ name: 'get_weather', arguments: '{"city":"Z' }], finish: 'length' }] });
    const cut = await client.responses.stream({ model: 'gpt-5.2', input: 'Weather?', tools: flat }).finalResponse();
    expect(cut).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
    expect(cut.output[0]).toMatchObject({ status: 'incomplete', arguments: '{"city":"Z' });
  });
});
