/** Schemas that Gemini's `parameters` refuses are moved to `parametersJsonSchema`; the same arguments stay valid. */
import type { JsonSchema } from '@holdfast/core';
import { checkRequest } from '@holdfast/provider-double/rules';
import { compileLenientSchema, repair } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

const request = (parameters: unknown) => ({
  model: 'gemini-2.5-flash',
  contents: [{ role: 'user', parts: [{ text: 'go' }] }],
  tools: [{ functionDeclarations: [{ name: 'f', parameters }] }],
});
const withLevel = (level: unknown) => ({ type: 'OBJECT', properties: { level } });

function moved(parameters: unknown): unknown {
  const given = request(parameters);
  const repaired = repair(given, { format: 'gemini' });
  expect(repaired.problems).toEqual([]);
  expect(checkRequest({ format: 'gemini', request: repaired.request })).toEqual([]);
  expect(repair(repaired.request, { format: 'gemini' }).request).toBe(repaired.request);
  const [declaration] = repaired.request.tools[0]?.functionDeclarations ?? [];
  return repaired.request === given ? 'unchanged' : (declaration as unknown as Record<string, unknown>)['parametersJsonSchema'];
}

const level = (schema: unknown) => ({ type: 'object', properties: { level: schema } });

test.each<[string, unknown, unknown]>([
  ['numbers in an enum of strings', { type: 'STRING', enum: [2, 'x'] }, { type: 'string', enum: ['2', 'x'] }],
  ['an enum of integers', { type: 'INTEGER', enum: [1, 2] }, { type: 'integer', enum: [1, 2] }],
  ['texts in an enum of integers', { type: 'INTEGER', enum: ['1', '2'] }, { type: 'integer', enum: [1, 2] }],
  ['an enum without a type', { enum: ['low'] }, { enum: ['low'] }],
  ['an empty enum', { type: 'STRING', format: 'enum', enum: [] }, { type: 'string' }],
  ['an empty type', { type: '', description: 'd' }, { description: 'd' }],
  ['an unknown type', { type: 'any' }, {}],
  ['a list of types', { type: ['STRING', 'null'] }, { type: ['string', 'null'] }],
  ['a name instead of a schema', 'object', {}],
  ['a list instead of a schema', [], {}],
  ['a schema for each element', { type: 'ARRAY', items: [{ type: 'STRING' }] }, { type: 'array', prefixItems: [{ type: 'string' }] }],
  ['no schema for elements', { type: 'ARRAY', items: [] }, { type: 'array' }],
  [
    'a property with the name of a keyword',
    { type: 'OBJECT', properties: { type: { type: 'STRING' }, enum: { type: ['string'] } } },
    {
      type: 'object',
      properties: { type: { type: 'string' }, enum: { type: ['string'] } },
    },
  ],
])('%s', (_title, given, expected) => {
  expect(moved(withLevel(given))).toEqual(level(expected));
});

test('a required property that is not defined is defined as any value', () => {
  const schema = moved({ ...withLevel({ type: 'STRING' }), required: ['city', 'level'] });
  expect(schema).toEqual({ type: 'object', properties: { level: { type: 'string' }, city: {} }, required: ['city', 'level'] });
});

test('parameters that are no schema become those of any object', () => {
  expect(moved('object')).toEqual({ type: 'object' });
});

test.each([
  { type: 'STRING', enum: ['low'], format: 'enum' },
  { type: 'STRING', enum: [] },
  { type: 'ARRAY', items: { type: 'string' }, nullable: true },
  { type: 'STRING', items: null, description: 'd' },
  { anyOf: [{ type: 'STRING' }, { type: 'NULL' }] },
])('%j stays', (given) => {
  expect(moved(withLevel(given))).toBe('unchanged');
});

describe('what is valid stays valid', () => {
  const cases: readonly (readonly [unknown, unknown, boolean])[] = [
    [{ type: 'INTEGER', enum: ['1', '2'] }, 1, true],
    [{ type: 'INTEGER', enum: ['1', '2'] }, 3, false],
    [{ type: 'ARRAY', items: [{ type: 'STRING' }] }, ['a', 1], true],
    [{ type: 'ARRAY', items: [{ type: 'STRING' }] }, [1], false],
    ['object', { anything: true }, true],
  ];
  test.each(cases)('%j: %j is valid: %s', (given, value, valid) => {
    const validate = compileLenientSchema(moved(withLevel(given)) as JsonSchema);
    expect(validate({ level: value }).length === 0).toBe(valid);
  });
});

/** Schemas of any dialect, and values in the place of schemas. */
const { schema } = fc.letrec((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, true, 'object', 7, []),
    fc.record(
      {
        type: fc.constantFrom<unknown>('STRING', 'object', 'ARRAY', 'integer', '', 'any', null, ['string', 'null'], 7, {}),
        enum: fc.constantFrom<unknown>([], ['a'], [1], ['1', 2], null, 'a'),
        format: fc.constantFrom('enum', 'date-time'),
        required: fc.constantFrom<unknown>(['a'], ['a', 'z'], null, [7]),
        properties: fc.dictionary(fc.constantFrom('a', 'type', '__proto__'), tie('schema'), { maxKeys: 2 }),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        anyOf: fc.array(tie('schema'), { maxLength: 2 }),
        nullable: fc.boolean(),
        default: fc.constantFrom<unknown>({ type: 7 }, null),
      },
      { requiredKeys: [] },
    ),
  ),
}));

test('whatever a schema is, the repaired request is accepted and is not repaired again', () => {
  fc.assert(
    fc.property(schema, (given) => {
      moved(withLevel(given));
    }),
    { numRuns: 500 },
  );
});
