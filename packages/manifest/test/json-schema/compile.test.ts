import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema } from '@holdfast/core';
import { checkJsonSchema, compileJsonSchema } from '../../src/index.ts';

const schema: JsonSchema = {
  type: 'object',
  required: ['symbol'],
  additionalProperties: false,
  properties: {
    symbol: { type: 'string', minLength: 2, pattern: '^[A-Z]+$' },
    days: { $ref: '#/$defs/days' },
    unit: { enum: ['celsius', 'fahrenheit'] },
    legs: { type: 'array', minItems: 1, items: { type: 'object', required: ['to'], properties: { to: { type: 'string' } } } },
    maybe: { anyOf: [{ type: 'string' }, { type: 'null' }] },
    shape: { oneOf: [{ type: 'object', required: ['radius'], properties: { radius: { type: 'number' } } }, { type: 'string' }] },
    fixed: { const: 4 },
    'a/b~c d': { type: 'boolean' },
  },
  $defs: { days: { type: ['integer', 'null'], minimum: 1, maximum: 14 } },
};
const validate = compileJsonSchema(schema);
const brief = (value: unknown): readonly string[] => validate(value).map(({ path, message }) => `${path.join('.')}: ${message}`);

test.each<readonly [string, unknown, readonly string[]]>([
  ['a valid value', { symbol: 'AB', days: 3, unit: 'celsius', legs: [{ to: 'x' }], maybe: null, shape: 'round', fixed: 4 }, []],
  ['a missing parameter', {}, ['symbol: is required']],
  ['an unknown parameter', { symbol: 'AB', unti: 'celsius' }, ["unti: is not known here (did you mean 'unit'?)"]],
  ['a string that is too short', { symbol: 'A' }, ['symbol: must be at least 2 characters long, got "A"']],
  ['a string that does not match the pattern', { symbol: 'ab' }, ['symbol: must be a string that matches /^[A-Z]+$/, got "ab"']],
  ['through a reference', { symbol: 'AB', days: 15 }, ['days: must be 14 or less, got 15']],
  ['another type through a reference', { symbol: 'AB', days: 'x' }, ['days: must be a whole number or null, got "x"']],
  ['a misspelt choice', { symbol: 'AB', unit: 'celcius' }, ['unit: must be one of "celsius","fahrenheit", got "celcius"']],
  [
    'within a list',
    { symbol: 'AB', legs: [{ to: 'x' }, {}, { to: 1 }, 7] },
    ['legs.1.to: is required', 'legs.2.to: must be text, got 1', 'legs.3: must be an object, got 7'],
  ],
  ['an empty list', { symbol: 'AB', legs: [] }, ['legs: must be a list of at least 1, got []']],
  ['a union without a matching branch', { symbol: 'AB', maybe: 3 }, ['maybe: must be text or null, got 3']],
  ['a union with one similar branch', { symbol: 'AB', shape: { radius: 'x' } }, ['shape.radius: must be a number, got "x"']],
  ['a constant', { symbol: 'AB', fixed: 5 }, ['fixed: must be 4, got 5']],
  ['a name that needs escaping in a pointer', { symbol: 'AB', 'a/b~c d': 1 }, ['a/b~c d: must be true or false, got 1']],
  ['another type of the whole value', 7, [': must be an object, got 7']],
  ['nothing', undefined, [': must be an object, got undefined']],
  ['a value that is not JSON', 7n, [': could not be checked: Instances of "bigint" type are not supported.']],
  ['undefined inside counts as absent', { symbol: undefined }, ['symbol: is required']],
])('%s', (_, value, expected) => {
  expect(brief(value)).toEqual(expected);
});

test('issues have machine-readable fields', () => {
  expect(validate({ unit: 'celcius' })).toEqual([
    { path: ['symbol'], keyword: 'required', expected: 'a value', missing: true, message: 'is required' },
    {
      path: ['unit'],
      keyword: 'enum',
      expected: 'one of "celsius","fahrenheit"',
      received: '"celcius"',
      allowed: ['celsius', 'fahrenheit'],
      suggestion: 'celsius',
      message: 'must be one of "celsius","fahrenheit", got "celcius"',
    },
  ]);
});

test('a frozen schema compiles and is not changed', () => {
  const frozen = Object.freeze({
    type: 'object',
    properties: Object.freeze({ a: Object.freeze({ $ref: '#/$defs/a' }) }),
    $defs: Object.freeze({ a: Object.freeze({ type: 'string' }) }),
  });
  expect(compileJsonSchema(frozen)({ a: 1 })).toHaveLength(1);
  expect(Reflect.ownKeys(frozen)).toEqual(['type', 'properties', '$defs']);
});

test.each<readonly [string, unknown, string]>([
  ['an unknown type', { type: 'obect' }, "'type' is 'obect'"],
  ['a broken pattern', { pattern: '(' }, "'(' is not a regular expression"],
  ['a broken name pattern', { patternProperties: { '[': {} } }, "'[' is not a regular expression"],
  ['an unresolvable reference', { properties: { a: { $ref: '#/$defs/none' } } }, "'$ref' '#/$defs/none' does not resolve"],
  ['an external reference', { $ref: 'other.json' }, "'$ref' 'other.json' points outside the schema"],
  ['a misspelt keyword', { requried: ['a'] }, "'requried' is not a JSON Schema keyword"],
  ['a limit that is not a number', { minimum: '3' }, "'minimum' is '3'"],
  ['a schema that is a list', [], "'schema' is an empty list"],
  ['an empty union', { anyOf: [] }, "'anyOf' is an empty list"],
  ['properties as a list', { properties: ['a'] }, "'properties' is a list"],
  ['a circular reference', { $ref: '#' }, 'the schema does not compile: a $ref leads back to itself'],
])('%s does not compile', (_, broken, message) => {
  expect(checkJsonSchema(broken).map((flaw) => flaw.message)).toEqual([message]);
  expect(() => compileJsonSchema(broken as JsonSchema)).toThrow(TypeError);
});

test.each<readonly [string, JsonSchema]>([
  [
    'annotations and vendor keywords',
    { type: 'object', 'x-order': 1, nullable: true, examples: [1], default: {}, deprecated: true, discriminator: { propertyName: 'a' } },
  ],
  ['a recursive schema', { properties: { child: { $ref: '#' } } }],
  ['anchors and ids', { $id: 'http://h/s', properties: { a: { $ref: '#x' } }, $defs: { x: { $anchor: 'x', type: 'string' } } }],
  [
    'draft 07 with definitions',
    { $schema: 'http://json-schema.org/draft-07/schema#', $ref: '#/definitions/a', definitions: { a: { type: 'string' } } },
  ],
  ['properties named like keywords', { properties: { type: { type: 'string' }, pattern: { type: 'string' }, requird: {} } }],
])('%s compile', (_, sound) => {
  expect(checkJsonSchema(sound)).toEqual([]);
});

test('neither a schema nor a value makes it throw', () => {
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
  );
  const part = fc.letrec<{ node: unknown }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(true, 1, 'string', 'object', '#', '#/$defs/a', '('),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(keyword, tie('node'), { maxKeys: 4 }),
    ),
  })).node;
  fc.assert(
    fc.property(part, fc.anything({ withBigInt: true, withDate: true }), (candidate, value) => {
      if (checkJsonSchema(candidate).length > 0) return;
      for (const issue of compileJsonSchema(candidate as JsonSchema)(value)) expect(issue.message.length).toBeGreaterThan(0);
    }),
    { numRuns: 1_000 },
  );
});
