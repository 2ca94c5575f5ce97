/** Own loops and chats: `run.definitions`, `run.repair`, and answers of the real SDK. */
import { GoogleGenAI, Type } from '@google/genai';
import type { Content } from '@google/genai';
import { reliableTools } from '@holdfast/google-genai';
import { startProviderDouble } from '@holdfast/provider-double';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { answerOf, contentOf, fn } from './support/answers.ts';

const question: Content = { role: 'user', parts: [{ text: 'Weather?' }] };

it('a chat is answered by sending the responses as its next message', async () => {
  const double = await startProviderDouble({ script: [{ calls: [{ name: 'get_weather', arguments: { town: 1 } }] }, { text: 'Done.' }] });
  onTestFinished(() => double.close());
  const client = new GoogleGenAI({ apiKey: 'key', httpOptions: { baseUrl: double.baseUrlFor('gemini') } });
  const weather = fn('get_weather', () => 'Rain', { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] });
  const run = reliableTools([weather]).startRun();
  const chat = client.chats.create({ model: 'gemini-3-pro', config: { tools: run.definitions } });
  const results = await run.answer(await chat.sendMessage({ message: 'Weather?' }));
  const last = await chat.sendMessage({ message: results?.parts ?? [] });
  expect(last.text).toBe('Done.');
  expect(double.requests[1]?.neutral.messages.at(-1)?.results).toMatchObject([
    { isError: true, text: expect.stringContaining("'city' missing") as string },
  ]);
});

it('a function runs on the object that has it, such as an instance of a class', async () => {
  class Weather {
    readonly name = 'weather';
    readonly #sky = 'Rain';
    run(): string {
      return this.#sky;
    }
  }
  const results = await reliableTools([new Weather()])
    .startRun()
    .answer(contentOf([{ name: 'weather', args: {} }]));
  expect(results?.parts).toMatchObject([{ functionResponse: { response: { output: 'Rain' } } }]);
});

describe('definitions', () => {
  it('are sent as given, without the function; tools that Google runs are kept', () => {
    const given = { ...fn('find', () => 1), response: { type: Type.STRING } };
    const search = { googleSearch: {} };
    const { definitions } = reliableTools([search, given]).startRun();
    const { run: _run, ...declaration } = given;
    expect(JSON.stringify(definitions)).toBe(JSON.stringify([{ functionDeclarations: [declaration] }, search]));
    expect(reliableTools([search]).startRun().definitions).toEqual([search]);
    expect(reliableTools([search]).startRun().callableTools()).toEqual([search]);
  });

  it('show the JSON Schema of a Standard Schema', async () => {
    const schema = z.object({ city: z.string(), days: z.number().default(3) });
    const run = reliableTools([fn('forecast', (args) => args, schema)]).startRun();
    expect(run.definitions[0]?.functionDeclarations?.[0]?.parametersJsonSchema).toMatchObject({ type: 'object', required: ['city'] });
    const results = await run.answer([
      { name: 'forecast', args: { city: 'Oslo' } },
      { name: 'forecast', args: { city: 5 } },
    ]);
    expect(results?.parts.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { output: { city: 'Oslo', days: 3 } },
      { error: expect.stringContaining("Parameter 'city'") as string },
    ]);
  });

  it("check arguments by a schema in Gemini's own form", async () => {
    const parameters = { type: Type.OBJECT, properties: { n: { type: Type.INTEGER } }, required: ['n'] };
    const run = reliableTools([{ name: 'count', parameters, run: (args) => args }]).startRun();
    expect(run.definitions).toEqual([{ functionDeclarations: [{ name: 'count', parameters }] }]);
    const results = await run.answer([{ name: 'count', args: { n: '4' } }, { name: 'count' }]);
    expect(results?.parts.map(({ functionResponse }) => functionResponse?.response)).toEqual([
      { output: { n: 4 } },
      { error: expect.stringContaining("'n' missing") as string },
    ]);
  });

  it('note an open circuit', async () => {
    const down = fn('down', () => Promise.reject(Object.assign(new Error('busy'), { status: 503 })));
    const run = reliableTools([down], {
      policy: { retry: { maxAttempts: 1 }, breaker: { failureThreshold: 1, openMs: 30_000 }, waitForRecovery: false },
    }).startRun();
    await run.answer([{ name: 'down' }]);
    expect(run.definitions[0]?.functionDeclarations?.[0]?.description).toMatch(/^The function down\.\n\nCurrently unavailable/);
  });
});

describe('repair', () => {
  const run = reliableTools([fn('find', () => 1)]).startRun();
  const result: Content = { role: 'user', parts: [{ functionResponse: { name: 'find', response: { output: 1 } } }] };

  it('of valid contents returns the same array or request', () => {
    const contents = [question, contentOf([{ name: 'find' }]), result];
    expect(run.repair(contents)).toBe(contents);
    for (const given of [contents, 'Weather?', [{ text: 'Weather?' }], 5, undefined]) {
      const request = { model: 'gemini-2.5-flash', contents: given };
      expect(run.repair(request)).toBe(request);
    }
  });

  it('adds lost responses, and joins the contents of streamed chunks', () => {
    const contents = [question, { role: 'model', parts: [{ text: 'Looking.' }] }, contentOf([{ name: 'find' }]), question];
    expect(run.repair(contents)).toMatchObject([
      question,
      { role: 'model', parts: [{ text: 'Looking.' }, { functionCall: { name: 'find' } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'find' } }, { text: 'Weather?' }] },
    ]);
  });

  it('of a request follows the rules of its model, and keeps its other fields', () => {
    const request = { model: 'gemini-3-pro', contents: [question, contentOf([{ name: 'find' }]), result], config: { temperature: 0 } };
    const repaired = run.repair(request);
    expect(repaired).toMatchObject({ model: 'gemini-3-pro', config: { temperature: 0 } });
    expect(repaired.contents[1]?.parts?.[0]).toHaveProperty('thoughtSignature');
  });
});

it('stops a loop without progress, and tells why', async () => {
  const run = reliableTools([fn('find', () => Promise.reject(Object.assign(new Error('none'), { status: 404 })))]).startRun();
  for (let answers = 0; answers < 20 && !run.stopped; answers++) await run.answer(answerOf([{ functionCall: { name: 'find' } }]));
  expect(run.stopped?.reason).toBe('repeated_failure');
});
