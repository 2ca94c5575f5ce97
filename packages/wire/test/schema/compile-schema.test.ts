/** Schemas as servers and providers write them: cleaned, compiled when first needed, and never an obstacle to running a call. */
import type { JsonSchema } from '@holdfast/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cleanJsonSchema } from '../../src/schema/clean-schema.ts';
import { compileLenientSchema, type JsonSchemaCheck } from '../../src/schema/compile-schema.ts';
import { fromAjv } from '../../src/schema/from-ajv.ts';

const brief = (check: JsonSchemaCheck, value: unknown): readonly string[] =>
  check(value).map(({ path, message }) => `${path.join('.')}: ${message}`);

describe('foreign schemas', () => {
  test.each<readonly [string, unknown, unknown, unknown, readonly string[]]>([
    ['null keywords', { type: 'object', required: null, properties: null }, {}, 1, []],
    ['a null property', { type: 'object', properties: { a: null, b: { type: 'string' } } }, { a: 1 }, { b: 1 }, []],
    ['the empty lists of PHP', { type: 'object', properties: [], required: [] }, {}, 1, []],
    ['upper-case types', { type: 'OBJECT', properties: { a: { type: 'STRING', nullable: true } } }, { a: null }, { a: 1 }, []],
    ['types of other languages', { type: 'dict', properties: { a: { type: 'int' }, b: { type: 'any' } } }, { a: 1, b: [] }, { a: 'x' }, []],
    [
      'draft 07',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        type: 'object',
        definitions: { a: { type: 'string' } },
        properties: { x: { $ref: '#/definitions/a' } },
      },
      { x: 'a' },
      { x: 1 },
      [],
    ],
    ['draft 04', { type: 'number', minimum: 1, exclusiveMinimum: true }, 2, 1, []],
    ['Python groups', { type: 'string', pattern: '^(?P<year>\\d{4})-(?P=year)\\Z' }, '2020-2020', '2020-2021', []],
    ['a set beside a hyphen', { type: 'string', pattern: '^[\\w-.]+$' }, 'a-b.c', 'a b', []],
    ['needless backslashes', { type: 'string', pattern: '^\\@\\-x$' }, '@-x', 'x', []],
    ['sizes as strings', { type: 'string', maxLength: '3' }, 'abc', 'abcd', []],
    ['required as a boolean', { type: 'object', properties: { a: { type: 'string', required: true } } }, {}, { a: 1 }, []],
    ['a list of schemas for items', { type: 'array', items: [{ type: 'string' }] }, ['a'], [1], []],
    [
      'a vendor keyword with schemas',
      { $ref: '#/components/schemas/A', components: { schemas: { A: { type: 'string', required: null } } } },
      'a',
      1,
      [],
    ],
    ['an empty enum', { type: 'string', enum: [] }, 'a', 1, ['/enum']],
    ['an invalid pattern', { type: 'string', pattern: '(' }, 'a', 1, ['/pattern']],
    [
      'an unresolvable reference',
      { type: 'object', properties: { a: { $ref: '#/$defs/none' }, b: { type: 'string' } } },
      { a: 1 },
      { b: 1 },
      ['/properties/a/$ref'],
    ],
    [
      'an external reference',
      { properties: { a: { $ref: 'https://h/s.json' }, b: { type: 'string' } } },
      { a: 1 },
      { b: 1 },
      ['/properties/a/$ref'],
    ],
    ['an unknown type', { properties: { a: { type: 'money' }, b: { type: 'string' } } }, { a: 1 }, { b: 1 }, ['/properties/a/type']],
    ['a schema that is a string', { properties: { a: 'string', b: { type: 'string' } } }, { a: 1 }, { b: 1 }, ['/properties/a']],
    [
      'properties named like keywords',
      { properties: { type: { type: 'string' }, required: { type: 'string' }, pattern: { type: 'string' } } },
      { pattern: '(' },
      { type: 1 },
      [],
    ],
  ])('%s', (_name, schema, good, bad, warnings) => {
    const check = compileLenientSchema(schema as JsonSchema);
    expect(check(good)).toEqual([]);
    expect(check(bad)).not.toEqual([]);
    expect(check.warnings.map(({ path }) => path)).toEqual(warnings);
  });

  test('a frozen schema is neither changed nor kept', () => {
    const freeze = (value: unknown): unknown =>
      typeof value === 'object' && value !== null ? (Object.values(value).forEach(freeze), Object.freeze(value)) : value;
    const schema = freeze({
      type: 'OBJECT',
      'x-meta': { a: { $ref: '#' } },
      properties: { a: { type: 'STRING', default: { b: 1 }, examples: [{}] } },
    }) as JsonSchema;
    expect(compileLenientSchema(schema)({ a: 1 })).toHaveLength(1);
    const { schema: clean } = cleanJsonSchema(schema);
    expect(clean).not.toBe(schema);
  });

  test('nothing is compiled before the first value', () => {
    const circle = { $ref: '#' };
    const check = compileLenientSchema(circle);
    expect(() => check(1)).toThrow(TypeError);
  });

  test('a name of an object member can be required', () => {
    expect(brief(compileLenientSchema({ type: 'object', required: ['toString'] }), {})).toEqual(['toString: is required']);
  });
});

test('an issue has the path, the expected and actual types, the allowed values and the missing names', () => {
  const schema = {
    type: 'object',
    required: ['city'],
    properties: { unit: { enum: ['celsius', 'kelvin'] }, days: { type: 'integer', maximum: 14 } },
  };
  expect(compileLenientSchema(schema)({ unit: 'Celsius', days: 15 })).toEqual([
    { path: ['city'], keyword: 'required', expected: 'a value', missing: true, message: 'is required' },
    {
      path: ['unit'],
      keyword: 'enum',
      expected: 'one of "celsius","kelvin"',
      received: '"Celsius"',
      allowed: ['celsius', 'kelvin'],
      suggestion: 'celsius',
      message: 'must be one of "celsius","kelvin", got "Celsius"',
    },
    { path: ['days'], keyword: 'maximum', expected: '14 or less', received: '15', message: 'must be 14 or less, got 15' },
  ]);
});

test('any value may be allowed', () => {
  expect(compileLenientSchema({ enum: [Object.create(null)] })('')).toMatchObject([{ keyword: 'enum', received: '""' }]);
});

test('ten thousand invalid items are fast', () => {
  const check = compileLenientSchema({ type: 'array', items: { type: 'object', properties: { a: { type: 'integer' } } } });
  const start = performance.now();
  expect(check(Array.from({ length: 10_000 }, () => ({ a: 'x' }))).length).toBeGreaterThan(5);
  expect(performance.now() - start).toBeLessThan(3_000);
});

test('for any schema, cleaning does not throw, and a compiled schema checks everything', () => {
  const keyword = fc.constantFrom(
    'type',
    'properties',
    '$ref',
    'items',
    'anyOf',
    'pattern',
    'enum',
    'required',
    '$defs',
    'minimum',
    'if',
    'not',
    'nullable',
    'default',
    '__proto__',
  );
  const { node } = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(null, true, 1, 'STRING', 'object', '#', '#/$defs/a', '(', '(?P<a>x)'),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(keyword, tie('node'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(node, fc.anything(), (schema, value) => {
      expect(Array.isArray(cleanJsonSchema(schema).warnings)).toBe(true);
      if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
      let outcome: readonly string[];
      try {
        outcome = compileLenientSchema(schema as JsonSchema)(value).map(({ message }) => message);
      } catch (error) {
        outcome = /TypeError: the schema does not compile/.test(String(error)) ? ['not compiled'] : [''];
      }
      expect(outcome).not.toContain('');
    }),
    { numRuns: 1_000 },
  );
});

test.each(['{}', [], null, undefined, 7, Promise.resolve({})])('%j is no schema', (schema) => {
  expect(() => compileLenientSchema(schema as never)).toThrow(/^compileLenientSchema: schema must be a JSON Schema object, got /u);
});

describe('by Ajv', () => {
  test.each([undefined, {}, Ajv2020])('is refused when it is no instance', (given) => {
    expect(() => fromAjv(given as never)).toThrow(
      /^fromAjv: ajv(?: must be an object with compile|\.compile must be of type function), got /u,
    );
  });

  const compile = fromAjv(new Ajv2020({ strict: false, allErrors: true, validateFormats: false }));

  test('returns the same issues in the same form', () => {
    const schema = {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'OBJECT',
      required: ['a/b'],
      additionalProperties: false,
      properties: { 'a/b': { type: 'STRING' }, unit: { enum: ['celsius'] }, days: { type: 'integer', maximum: 14 } },
    };
    const check = compile(schema);
    expect(check({ 'a/b': 'x', days: 3 })).toEqual([]);
    expect(check({ unit: 'celcius', days: 15, more: 1 })).toEqual([
      { path: ['a/b'], keyword: 'required', expected: 'a value', missing: true, message: 'is required' },
      { path: ['more'], keyword: 'additionalProperties', expected: 'nothing here', message: 'is not known here' },
      {
        path: ['unit'],
        keyword: 'enum',
        expected: 'one of "celsius"',
        received: '"celcius"',
        allowed: ['celsius'],
        suggestion: 'celsius',
        message: 'must be one of "celsius", got "celcius"',
      },
      { path: ['days'], keyword: 'maximum', expected: '<= 14', received: '15', message: 'must be <= 14, got 15' },
    ]);
    expect(check.warnings).toEqual([]);
  });

  test('a schema that Ajv cannot compile throws at the first value', () => {
    const check = compile({ $ref: '#', allOf: [{ $id: 'x' }, { $id: 'x' }] });
    expect(() => check(1)).toThrow(/resolves to more than one schema|schema/);
  });
});

describe('a union of objects', () => {
  const card = { type: 'object', properties: { kind: { const: 'card' }, number: { type: 'string' } }, required: ['kind', 'number'] };
  const iban = { type: 'object', properties: { kind: { const: 'iban' }, iban: { type: 'string' } }, required: ['kind', 'iban'] };
  const messageOf = (schema: JsonSchema, value: unknown): string =>
    compileLenientSchema(schema)(value)
      .map(({ message }) => message)
      .join();

  test('names its alternatives and what was sent', () => {
    expect(messageOf({ anyOf: [card, iban] }, { kind: 'paypal' })).toBe(
      'must be an object with kind "card", number or an object with kind "iban", iban, got {"kind":"paypal"}',
    );
  });
  test('also those that it refers to', () => {
    const schema = { $defs: { card }, oneOf: [{ $ref: '#/$defs/card' }, { type: 'null' }] };
    expect(messageOf(schema, 7)).toBe('must be an object with kind "card", number or null, got 7');
  });
  test('of objects without names, of values, and of many', () => {
    expect(messageOf({ anyOf: [{ type: 'object' }, { type: 'array' }] }, 1)).toBe('must be an object or a list, got 1');
    expect(messageOf({ anyOf: [{ enum: ['a', 'b'] }, { type: 'array' }] }, 1)).toBe('must be one of "a","b" or a list, got 1');
    const many = Array.from({ length: 9 }, (_, index) => ({ type: 'object', required: [`name${index}`] }));
    expect(messageOf({ anyOf: many }, {})).toMatch(/^must be an object with name0 or .* an object with name5 or one of 3 others, got {}$/);
  });
});
