import type { ArgumentsOf } from '@holdfast/adapter-kit';
import { readDeclaredSchema } from '@holdfast/adapter-kit';
import { expect, it } from 'vitest';
import { z } from 'zod';

/** Compiles only if both types are the same. */
type Same<One, Other> = (<T>() => T extends One ? 1 : 2) extends <T>() => T extends Other ? 1 : 2 ? true : false;
const same = <One, Other>(is: Same<One, Other>): boolean => is;

it('types the arguments by the literals of a JSON Schema', () => {
  const schema = {
    type: 'object',
    properties: {
      city: { type: 'string' },
      days: { type: 'integer' },
      tags: { type: 'array', items: { enum: ['a', 'b'] } },
      at: { type: 'OBJECT', properties: { lat: { type: 'NUMBER', nullable: true } }, required: ['lat'] },
      wind: { type: ['number', 'null'] },
      kind: { const: 'x' },
      other: {},
    },
    required: ['city', 'tags', 'at', 'wind', 'kind'],
  } as const;
  interface Expected {
    city: string;
    tags: ('a' | 'b')[];
    at: { lat: number | null };
    wind: number | null;
    kind: 'x';
    days?: number;
    other?: unknown;
  }
  const args: ArgumentsOf<typeof schema> = { city: 'Oslo', tags: ['a'], at: { lat: null }, wind: null, kind: 'x' };
  const expected: Expected = args;
  expect(expected).toBe(args);
  const standard = z.object({ n: z.string().transform(Number) });
  expect(same<ArgumentsOf<typeof standard>, { n: number }>(true)).toBe(true);
  expect(same<ArgumentsOf<Record<string, unknown>>, never>(true)).toBe(true);
  expect(same<ArgumentsOf<unknown>, Readonly<Record<string, unknown>>>(true)).toBe(true);
  expect(same<ArgumentsOf<{ readonly type: 'object' }>, Record<string, unknown>>(true)).toBe(true);
});

it('reads a JSON Schema as it is', () => {
  const schema = { type: 'object' };
  expect(readDeclaredSchema(schema, 'find')).toEqual({ input: schema, shown: schema });
  expect(readDeclaredSchema(schema, 'find').shown).toBe(schema);
  expect(readDeclaredSchema(undefined, 'find')).toEqual({ input: undefined, shown: undefined });
});

it('writes a Standard Schema as JSON Schema, without its dialect', () => {
  const schema = z.object({ city: z.string(), days: z.number().default(1) });
  const { input, shown } = readDeclaredSchema(schema, 'find');
  expect(input).toBe(schema);
  expect(shown).toEqual({
    type: 'object',
    properties: { city: { type: 'string' }, days: { type: 'number', default: 1 } },
    required: ['city'],
  });
});

it.each([undefined, { input: () => undefined }, { input: () => JSON.parse('{') as never }])(
  'refuses a Standard Schema with the writer %o',
  (jsonSchema) => {
    const schema = { '~standard': { version: 1, vendor: 'x', validate: (value: unknown) => ({ value }), jsonSchema } };
    expect(() => readDeclaredSchema(schema, 'find')).toThrow("The schema of 'find' has no JSON Schema");
  },
);
