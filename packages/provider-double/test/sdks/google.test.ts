/** The official SDK of Google against the double. */
import { afterEach, expect, it } from 'vitest';
import { ApiError, GoogleGenAI, type Content, type GenerateContentParameters } from '@google/genai';
import { startProviderDouble, type ProviderDouble, type ConversationScript } from '@holdfast/provider-double';
import { caseOf } from '../support/cases.ts';
import { city, schema, weather } from '../support/weather.ts';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

async function start(script: ConversationScript): Promise<{ double: ProviderDouble; client: GoogleGenAI }> {
  double = await startProviderDouble({ script });
  return { double, client: new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: double.baseUrlFor('gemini') } }) };
}

const base = (contents: Content[], model = 'gemini-3-pro'): GenerateContentParameters => ({
  model,
  contents,
  config: { tools: [{ functionDeclarations: [{ name: 'get_weather', parametersJsonSchema: schema }] }] },
});
const question: Content = { role: 'user', parts: [{ text: 'Weather?' }] };
const answered = (call: { id?: string; name?: string } | undefined): Content => ({
  role: 'user',
  parts: [
    { functionResponse: { ...(call?.id === undefined ? {} : { id: call.id }), name: call?.name ?? '', response: { output: 'wet' } } },
  ],
});

it.each(['gemini-3-pro', 'gemini-2.5-flash'])('plays a loop of two turns as %s', async (model) => {
  const { double, client } = await start(weather);
  const first = await client.models.generateContent(base([question], model));
  const call = first.functionCalls?.[0];
  expect(call).toMatchObject({ name: 'get_weather', args: { city } });
  expect(call?.id).toBe(model === 'gemini-3-pro' ? '00000001' : undefined);
  const content = first.candidates?.[0]?.content ?? {};
  const second = await client.models.generateContent(base([question, content, answered(call)], model));
  expect(second.text).toBe('It is wet.');
  expect(double.requests[1]?.neutral).toMatchObject({
    model,
    messages: [
      { role: 'user' },
      { role: 'assistant', calls: [{ name: 'get_weather', arguments: { city } }] },
      { results: [{ text: 'wet' }] },
    ],
    tools: [{ name: 'get_weather', schema }],
  });
});

it('streams the same, byte by byte', async () => {
  const { client } = await start([{ ...weather[0]?.({} as never), chunking: { characters: 3, bytes: 9 } }, ...weather.slice(1)]);
  const parts = [];
  for await (const chunk of await client.models.generateContentStream(base([question]))) {
    parts.push(...(chunk.candidates?.[0]?.content?.parts ?? []));
  }
  const call = parts.find((part) => part.functionCall)?.functionCall;
  expect(call?.args).toEqual({ city });
  let text = '';
  const contents = [question, { role: 'model', parts }, answered(call)];
  for await (const chunk of await client.models.generateContentStream(base(contents))) text += chunk.text ?? '';
  expect(text).toBe('It is wet.');
});

it.each([false, true])('refuses what the provider refuses (stream: %s)', async (stream) => {
  const { client } = await start(weather);
  const lost: Content = { role: 'model', parts: [{ functionCall: { name: 'get_weather', args: {} } }] };
  const parameters = base([question, lost, answered({ name: 'get_weather' })]);
  const response = stream ? client.models.generateContentStream(parameters) : client.models.generateContent(parameters);
  const error: unknown = await response.catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 400 });
  expect(String(error)).toContain('Function call is missing a thought_signature');
  expect(String(error)).toContain('INVALID_ARGUMENT');
});

it('G10, G18: a malformed call is an answer without parts, and a schema that is too deep has its own error', async () => {
  const words = 'print(default_api.get_weather(city="Paris"))';
  const [deep = ''] = caseOf('G18').error?.split(' | ') ?? [];
  const { client, double } = await start([{ text: words, finish: 'malformed_call' }, { error: { status: 400, message: deep } }]);
  // The SDK leaves `finishMessage` out, so this one is read from the wire.
  const path = `${double.url}/v1beta/models/gemini-2.5-flash:generateContent`;
  const malformed = await fetch(path, { method: 'POST', body: JSON.stringify({ contents: [question] }) });
  expect(await malformed.json()).toMatchObject((caseOf('G10').body as { response: object }).response);
  await expect(client.models.generateContent(base([question]))).rejects.toThrow(deep);
});
