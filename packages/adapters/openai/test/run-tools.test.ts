/** Functions for `runTools`: whose words the model reads, and what an alternative receives. */
import { startProviderDouble } from '@holdfast/provider-double';
import type { ConversationScript, ProviderDouble } from '@holdfast/provider-double';
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

async function start(script: ConversationScript): Promise<OpenAI> {
  double = await startProviderDouble({ script });
  return new OpenAI({ apiKey: 'key', baseURL: double.baseUrlFor('openai-chat'), maxRetries: 0 });
}

const resultTexts = (): readonly string[] =>
  double?.requests.at(-1)?.neutral.messages.flatMap(({ results }) => results.map(({ text }) => text)) ?? [];

describe('runTools', () => {
  it('functions and parsers run on the object that has them, such as an instance of a class', async () => {
    class Weather {
      readonly name = 'weather';
      readonly description = 'Weather';
      readonly parameters = schema;
      readonly #sky = 'Rain';
      parse(text: string): object {
        return { ...(JSON.parse(text) as object), sky: this.#sky };
      }
      function({ city, sky }: { city: string; sky: string }): string {
        return `${this.#sky === sky ? sky : '?'} in ${city}`;
      }
      run({ city }: { city: string }): string {
        return `${this.#sky} over ${city}`;
      }
    }
    const calls = ['weather', 'run'].map((name) => ({ name, arguments: { city: 'Oslo' } }));
    const client = await start([{ calls }, { text: 'Done.' }]);
    const named = Object.assign(new Weather(), { name: 'run' });
    const tools = reliableTools([{ type: 'function', function: new Weather() as never }, named]).startRun().tools;
    await client.chat.completions.runTools({ model, messages: [question], tools } as never).done();
    expect(resultTexts()).toEqual(['Rain in Oslo', 'Rain over Oslo']);
  });

  it('sends the definitions that the SDK would send: without a description if there is none, with `strict: null`', async () => {
    const tools = [
      { type: 'function', function: { name: 'plain', function: (text: string) => text } },
      { type: 'function', function: { name: 'open', parameters: schema, strict: null, description: '', function: () => 'open' } },
    ] as const;
    const definitions: unknown[] = [];
    for (const offered of [tools, reliableTools(tools).startRun().tools]) {
      const client = await start([{ text: 'Done.' }]);
      await client.chat.completions.runTools({ model, messages: [question], tools: offered } as never).done();
      definitions.push(JSON.stringify((double?.requests[0]?.body as { readonly tools: unknown } | undefined)?.tools));
      await double?.close();
    }
    expect(definitions[1]).toBe(definitions[0]);
    expect(reliableTools(tools).startRun().responsesTools[1]?.strict).toBe(false);
  });

  it('sends the words with which a parser of the user’s own rejects arguments, until the attempts are used up', async () => {
    const invalid = { calls: [{ name: 'count', arguments: '[1]' }] };
    const client = await start([invalid, invalid, invalid, { text: 'Done.' }]);
    const parse = (text: string): object => {
      const value: unknown = JSON.parse(text);
      if (Array.isArray(value)) throw new Error('must be an object');
      return value as object;
    };
    const count = {
      name: 'count',
      parameters: { type: 'object', properties: {} },
      parse,
      function: (value: object) => Object.keys(value).length,
    };
    const run = reliableTools([{ type: 'function', function: count }]).startRun();
    await client.chat.completions.runTools({ model, messages: [question], tools: run.tools } as never).done();
    expect(resultTexts()).toEqual(['must be an object', 'must be an object', expect.stringMatching(/^Error INVALID_ARGUMENTS/)]);
    expect(run.stopped?.reason).toBe('validation_exhausted');
  });

  it('describes arguments itself where the parser has only the words of JSON.parse or of a schema', async () => {
    const calls = ['json', 'zod'].map((name) => ({ name, arguments: '{"city":7}' }));
    const client = await start([{ calls }, { text: 'Done.' }]);
    const zod = z.object({ city: z.string() });
    const functions = [
      { name: 'json', parameters: schema, parse: (text: string) => JSON.parse(`${text}?`) as unknown, function: () => 1 },
      { name: 'zod', parameters: schema, parse: (text: string) => zod.parse(JSON.parse(text)), function: () => 1 },
    ].map((each) => ({ type: 'function', function: each }) as const);
    const run = reliableTools(functions).startRun();
    await client.chat.completions.runTools({ model, messages: [question], tools: run.tools } as never).done();
    for (const text of resultTexts()) expect(text).toMatch(/^Error INVALID_ARGUMENTS: Parameter 'city': must be text, got 7/);
  });

  it('a function that runs as an alternative receives neither the runner nor toolContext', async () => {
    const client = await start([{ calls: [{ name: 'primary', arguments: { city: 'Oslo' } }] }, { text: 'Done.' }]);
    const seen: unknown[] = [];
    const parameters = z.object({ city: z.string() });
    const primary = zodFunction({
      name: 'primary',
      parameters,
      function: () => Promise.reject(Object.assign(new Error('gone'), { status: 410 })),
    });
    const backup = zodFunction({
      name: 'backup',
      parameters,
      function: (...given: readonly unknown[]) => (seen.push(...given), 'backed up'),
    });
    const run = reliableTools([primary, backup], { tools: { primary: { alternatives: ['backup'] } } }).startRun();
    await client.chat.completions.runTools({ model, messages: [question], tools: run.tools, toolContext: { user: 7 } } as never).done();
    expect(resultTexts()).toEqual(['backed up']);
    expect(seen).toEqual([{ city: 'Oslo' }]);
  });
});
