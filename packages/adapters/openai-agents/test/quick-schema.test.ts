/** The schema of a tool is converted once, each conversation has its own rejections, and a schema runs once for a call. */
import { reliableTools } from '@holdfast/openai-agents';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { quickSchemaOf } from '../src/watched-schema.ts';
import { done, play, resultTexts } from './support/play.ts';

const one = (args: unknown): { calls: { name: string; arguments: unknown }[] } => ({ calls: [{ name: 'plan', arguments: args }] });

/** A Standard Schema that counts how often it is converted. */
function countedSchema(validate: (value: unknown) => unknown): { readonly schema: object; readonly conversions: () => number } {
  let conversions = 0;
  const convert = (): object => {
    conversions += 1;
    return { type: 'object', properties: { days: { type: 'number' } }, required: ['days'], additionalProperties: false };
  };
  const schema = { '~standard': { version: 1, vendor: 'test', validate, jsonSchema: { input: convert, output: convert } } };
  return { schema, conversions: () => conversions };
}

const byDays = (value: unknown): object =>
  typeof (value as { readonly days?: unknown }).days === 'number' ? { value } : { issues: [{ message: 'no number', path: ['days'] }] };

describe('the schema of a tool', () => {
  it('is converted once for all conversations', async () => {
    const { schema, conversions } = countedSchema(byDays);
    const plan = { name: 'plan', description: 'Plans', parameters: schema as never, execute: (args: never) => JSON.stringify(args) };
    const reliable = reliableTools([plan]);
    await play(reliable.startRun(), [one({ days: 1 }) as never, done]);
    const before = conversions();
    for (const days of [2, 3]) {
      await play(reliable.startRun(), [one({ days }) as never, done]);
      expect(resultTexts()).toEqual([`{"days":${days}}`]);
    }
    expect(conversions()).toBe(before);
  });

  it('reads an optional field that the model left out as null', async () => {
    const parameters = z.object({ days: z.number(), note: z.string().optional() });
    const plan = { name: 'plan', description: 'Plans', parameters, execute: (args: unknown) => JSON.stringify(args) };
    await play(reliableTools([plan]).startRun(), [one({ days: 2, note: null }) as never, done]);
    expect(resultTexts()).toEqual(['{"days":2}']);
  });

  it('that is asynchronous is refused by the SDK, as without Holdfast', async () => {
    const { schema } = countedSchema((value) => Promise.resolve({ value }));
    const plan = { name: 'plan', description: 'Plans', parameters: schema as never, execute: () => 'ran' };
    await expect(play(reliableTools([plan]).startRun(), [one({ days: 1 }) as never, done])).rejects.toThrow(
      /Failed to run function tools: InvalidToolInputError/,
    );
  });
});

describe('conversations that run at once', () => {
  it('are told their own mistakes only', async () => {
    const parameters = z.object({ days: z.number(), town: z.string() });
    const plan = { name: 'plan', description: 'Plans', parameters, execute: () => 'planned' };
    const runs = [reliableTools([plan])].flatMap((reliable) => [reliable.startRun(), reliable.startRun()]);
    const [first, second] = runs.map(({ tools }) => tools[0]);
    const texts = await Promise.all([first?.invoke({} as never, '{"days":"x","town":"Oslo"}'), second?.invoke({} as never, '{"days":1}')]);
    expect(texts[0]).toMatch(/'days'/);
    expect(texts[0]).not.toMatch(/'town'/);
    expect(texts[1]).toMatch(/'town'/);
    expect(texts[1]).not.toMatch(/'days'/);
  });
});

describe('the functions of a schema', () => {
  it.each([
    ['Zod', (seen: () => void) => z.object({ days: z.number().refine(() => (seen(), true)) })],
    [
      'Zod with optional fields',
      (seen: () => void) => z.object({ days: z.number().refine(() => (seen(), true)), note: z.string().optional() }),
    ],
    ['a Standard Schema', (seen: () => void) => countedSchema((value) => (seen(), byDays(value))).schema as never],
  ])('run once for a call: %s', async (_what, schemaOf) => {
    let calls = 0;
    const parameters = schemaOf(() => void (calls += 1));
    const plan = { name: 'plan', description: 'Plans', parameters, execute: () => 'planned' };
    const reliable = reliableTools([plan]);
    const run = reliable.startRun();
    expect(calls).toBe(0);
    await play(run, [one({ days: 1 }) as never, done]);
    expect([calls, resultTexts()]).toEqual([1, ['planned']]);
  });
});

describe('a schema that the SDK must convert for each conversation', () => {
  const shown = { type: 'object', properties: { note: { type: ['string', 'null'] } } };
  const standard = countedSchema(byDays).schema;

  it.each([
    ['has optional fields', z.object({ note: z.string().optional() }), shown],
    ['is no object', z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]), { type: 'object' }],
    ['is of a library with a parser of its own', { ...standard, parse: byDays }, { type: 'object' }],
    ['is a JSON Schema', { type: 'object' }, { type: 'object' }],
  ])('%s', (_what, parameters, converted) => {
    expect(quickSchemaOf(parameters, converted)).toBe(undefined);
  });

  it('is not that of other objects', () => {
    expect(quickSchemaOf(z.object({ note: z.string() }), { type: 'object' })).toBeTypeOf('function');
    expect(quickSchemaOf(standard, { type: 'object' })).toBeTypeOf('function');
  });
});
