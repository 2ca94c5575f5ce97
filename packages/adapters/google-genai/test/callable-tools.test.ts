/** `run.callableTools` in the SDK's automatic function calling, and functions of the SDK's own callable tools. */
import { GoogleGenAI, mcpToTool } from '@google/genai';
import type { CallableTool, Part } from '@google/genai';
import { functionsOf, reliableTools, createReliability } from '@holdfast/google-genai';
import type { ConversationScript, ProviderDouble } from '@holdfast/provider-double';
import { startProviderDouble } from '@holdfast/provider-double';
import { afterEach, describe, expect, it } from 'vitest';
import { fn } from './support/answers.ts';

let double: ProviderDouble | undefined;
afterEach(() => double?.close());

async function start(script: ConversationScript): Promise<GoogleGenAI> {
  double = await startProviderDouble({ script });
  return new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: double.baseUrlFor('gemini') } });
}

const resultTexts = (): readonly string[] =>
  double?.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];

const model = 'gemini-2.5-flash';
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = fn('get_weather', ({ city }: { readonly city: string }) => `Rain in ${city}.`, schema);
const call = (city: unknown) => ({ name: 'get_weather', arguments: { city } });

describe('automatic function calling', () => {
  it('in a stream, beside a tool that Google runs', async () => {
    const client = await start([{ calls: [call('Oslo')] }, { text: 'Done.' }]);
    const run = reliableTools([weather, { googleSearch: {} }]).startRun();
    let text = '';
    const request = { model, contents: 'Weather?', config: { tools: run.callableTools() } };
    for await (const chunk of await client.models.generateContentStream(request)) text += chunk.text ?? '';
    expect(text).toBe('Done.');
    expect(resultTexts()).toEqual(['Rain in Oslo.']);
    expect(double?.requests[0]?.body).toMatchObject({ tools: [{ functionDeclarations: [{ name: 'get_weather' }] }, { googleSearch: {} }] });
  });

  it('in a chat: history contains the executed arguments', async () => {
    const client = await start([{ calls: [{ name: 'set', arguments: { level: '5' } }] }, { text: 'Done.' }]);
    const set = fn('set', ({ level }: { level: number }) => level, { type: 'object', properties: { level: { type: 'integer' } } });
    const chat = client.chats.create({ model, config: { tools: reliableTools([set]).startRun().callableTools() } });
    expect((await chat.sendMessage({ message: 'Louder.' })).text).toBe('Done.');
    expect(chat.getHistory()[1]?.parts).toMatchObject([{ functionCall: { name: 'set', args: { level: 5 } } }]);
  });

  it('counts wrong calls of one streamed answer as one attempt', async () => {
    const run = reliableTools([weather]).startRun();
    const [callable] = run.callableTools() as CallableTool[];
    await callable?.tool();
    for (const _answer of [1, 2]) {
      await callable?.tool();
      for (const city of [1, 2, 3]) await callable?.callTool([{ name: 'get_weather', args: { town: city } }]);
    }
    expect(run.stopped).toBeUndefined();
    await callable?.tool();
    await callable?.callTool([{ name: 'get_weather', args: {} }]);
    expect(run.stopped?.reason).toBe('validation_exhausted');
  });

  it('with tools made per request, each runs its own functions', async () => {
    const reliability = createReliability();
    const texts = await Promise.all(
      ['Ada', 'Bob'].map(async (user) => {
        const [callable] = reliableTools([fn('who', () => user)], { reliability })
          .startRun()
          .callableTools() as CallableTool[];
        await callable?.tool();
        await callable?.tool();
        return [await callable?.callTool([{ name: 'who' }]), await callable?.callTool([{ name: 'who' }, { name: 'who' }])];
      }),
    );
    const said = (user: string) => ({ functionResponse: { name: 'who', response: { output: user } } });
    expect(texts).toEqual(['Ada', 'Bob'].map((user) => [[said(user)], [said(user), said(user)]]));
  });

  it('rejects with the reason of the SDK if the caller aborts while a tool hangs', async () => {
    const client = await start([{ calls: [{ name: 'wait', arguments: {} }] }, { text: 'Done.' }]);
    const controller = new AbortController();
    let signal: unknown;
    const wait = fn('wait', (_args, context) => {
      ({ signal } = context);
      setTimeout(() => controller.abort(), 0);
      return new Promise(() => undefined);
    });
    const tools = reliableTools([wait]).startRun().callableTools({ signal: controller.signal });
    await expect(
      client.models.generateContent({ model, contents: 'Go.', config: { tools, abortSignal: controller.signal } }),
    ).rejects.toThrow(/abort/i);
    expect((signal as AbortSignal).aborted).toBe(true);
  });
});

describe('functionsOf', () => {
  const server = (result: object) => ({
    listTools: () => Promise.resolve({ tools: [{ name: 'find', description: 'Finds.', inputSchema: schema }] }),
    callTool: (request: object) => Promise.resolve({ ...result, request }),
  });

  it('are those of MCP servers, with the responses of the SDK', async () => {
    const functions = await functionsOf(mcpToTool(server({ content: [{ type: 'text', text: 'Found.' }] }) as never));
    const run = reliableTools(functions, { tools: { find: { effect: 'read' } } }).startRun();
    const { parts } =
      (await run.answer([
        { id: 'c1', name: 'find', args: { city: 'Oslo' } },
        { name: 'find', args: {} },
      ])) ?? {};
    expect(run.definitions).toMatchObject([{ functionDeclarations: [{ name: 'find', description: 'Finds.' }] }]);
    expect(parts).toMatchObject([
      {
        functionResponse: {
          id: 'c1',
          name: 'find',
          response: { content: [{ text: 'Found.' }], request: { name: 'find', arguments: { city: 'Oslo' } } },
        },
      },
      { functionResponse: { response: { error: expect.stringContaining("'city' missing") as string } } },
    ]);
    expect(parts?.[0]?.functionResponse?.response).not.toHaveProperty('output');
  });

  it.each([
    ['a result with isError', mcpToTool(server({ isError: true, content: [{ type: 'text', text: 'No such city' }] }) as never)],
    ['an error as a string', callable([{ functionResponse: { name: 'find', response: { error: 'No such city' } } }])],
  ])('fail by %s', async (_, given) => {
    const run = reliableTools(await functionsOf(given)).startRun();
    const results = await run.answer([{ name: 'find', args: { city: 'Oslo' } }]);
    expect(results?.parts[0]?.functionResponse?.response?.['error']).toContain('No such city');
  });

  it('keep the bytes of declarations and responses: a call without an id has a response without one', async () => {
    const declaration = { name: 'find', description: 'Finds.', parametersJsonSchema: schema };
    const given: CallableTool = {
      tool: () => Promise.resolve({ functionDeclarations: [declaration] }),
      callTool: (calls) =>
        Promise.resolve(calls.map(({ id, name }) => ({ functionResponse: { ...(id && { id }), name, response: { n: 1 } } })) as Part[]),
    };
    const run = reliableTools(await functionsOf(given)).startRun();
    expect(JSON.stringify(run.definitions)).toBe(JSON.stringify([{ functionDeclarations: [declaration] }]));
    const calls = [
      { id: 'c1', name: 'find', args: { city: 'Oslo' } },
      { name: 'find', args: { city: 'Rome' } },
    ];
    const own = [
      { id: 'c1', name: 'find', response: { n: 1 } },
      { name: 'find', response: { n: 1 } },
    ].map((functionResponse) => ({ functionResponse }));
    expect(JSON.stringify((await run.answer(calls))?.parts)).toBe(JSON.stringify(own));
  });

  it('fail without a response, and keep other parts', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'AAAA' } };
    const answer = { functionResponse: { name: 'find', response: { result: 'seen' }, scheduling: 'SILENT' } } as const;
    const given = callable([]);
    const silent = reliableTools(await functionsOf(given)).startRun();
    const shown = reliableTools(await functionsOf(callable([answer, image] as never))).startRun();
    const calls = [{ name: 'find', args: { city: 'Oslo' } }];
    expect((await silent.answer(calls))?.parts[0]?.functionResponse?.response?.['error']).toContain('no response');
    expect((await shown.answer(calls))?.parts).toEqual([answer, image]);
  });
});

function callable(parts: Awaited<ReturnType<CallableTool['callTool']>>): CallableTool {
  return {
    tool: () => Promise.resolve({ functionDeclarations: [{ name: 'find', parametersJsonSchema: schema }] }),
    callTool: () => Promise.resolve(parts),
  };
}
