/** Values of the wrong type with a clear meaning, and values that must be kept. */
import type { JsonSchema } from '@holdfast/core';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coerce } from '../../src/schema/coerce.ts';

const of = (properties: Readonly<Record<string, unknown>>, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  required,
});
const integer = { type: 'integer' };
const said = (value: unknown, schema: JsonSchema): unknown => {
  const { value: repaired, coercions } = coerce(value, schema);
  return [repaired, ...coercions.map(({ kind, path }) => `${kind} ${path.join('.')}`)];
};

test.each<readonly [string, unknown, JsonSchema, unknown, string]>([
  ['a number', { a: '5' }, of({ a: { type: 'number' } }), { a: 5 }, 'text-to-number a'],
  ['a fraction', { a: '0.125' }, of({ a: { type: 'number' } }), { a: 0.125 }, 'text-to-number a'],
  ['a whole number with a decimal point', { a: '5.0' }, of({ a: integer }), { a: 5 }, 'text-to-number a'],
  [
    'a number through a reference',
    { a: '-1e3' },
    { ...of({ a: { $ref: '#/$defs/n' } }), $defs: { n: { type: 'number' } } },
    { a: -1000 },
    'text-to-number a',
  ],
  ['a number with allowed values', { a: '2' }, of({ a: { enum: [1, 2] } }), { a: 2 }, 'text-to-number a'],
  ['true', { a: 'True' }, of({ a: { type: 'boolean' } }), { a: true }, 'text-to-boolean a'],
  ['false', { a: 'false' }, of({ a: { type: 'boolean' } }), { a: false }, 'text-to-boolean a'],
  ['a list', { a: '[1]' }, of({ a: { type: 'array', items: integer } }), { a: [1] }, 'text-to-list a'],
  ['an object', { a: '{"b":1}' }, of({ a: of({ b: integer }) }), { a: { b: 1 } }, 'text-to-object a'],
  ['a list of one', { a: 'x' }, of({ a: { type: 'array', items: { type: 'string' } } }), { a: ['x'] }, 'value-to-list a'],
  [
    'an address for a list',
    { a: 'http://x.y/z' },
    of({ a: { type: 'array', items: { type: 'string' } } }),
    { a: ['http://x.y/z'] },
    'value-to-list a',
  ],
  ['null as a string for an optional list', { a: 'null' }, of({ a: { type: 'array', items: { type: 'string' } } }), {}, 'left-out a'],
  [
    'a list of one in a list of objects',
    { a: [{ b: 5 }] },
    of({ a: { type: 'array', items: of({ b: { type: 'array', items: integer } }) } }),
    { a: [{ b: [5] }] },
    'value-to-list a.0.b',
  ],
  ['a list of one number', { a: 5 }, of({ a: { type: 'array', items: integer } }), { a: [5] }, 'value-to-list a'],
  ['null', { a: 'null' }, of({ a: { type: ['integer', 'null'] } }, ['a']), { a: null }, 'text-to-null a'],
  ['null as a string', { a: null }, of({ a: { type: 'string' } }), {}, 'left-out a'],
  [
    'an allowed value in other case',
    { a: 'CELSIUS' },
    of({ a: { type: 'string', enum: ['celsius', 'kelvin'] } }),
    { a: 'celsius' },
    'letter-case a',
  ],
  ['a branch', { a: '5' }, of({ a: { anyOf: [integer, { type: 'null' }] } }), { a: 5 }, 'text-to-number a'],
  [
    'within a branch',
    { a: { b: '5' } },
    of({ a: { anyOf: [of({ b: integer }, ['b']), { type: 'null' }] } }),
    { a: { b: 5 } },
    'text-to-number a.b',
  ],
  ['within a list', { a: [1, '2'] }, of({ a: { type: 'array', items: integer } }), { a: [1, 2] }, 'text-to-number a.1'],
  ['any other property', { a: '1' }, { type: 'object', additionalProperties: integer }, { a: 1 }, 'text-to-number a'],
  ['upper-case types', { a: '1' }, { type: 'OBJECT', properties: { a: { type: 'INTEGER' } } }, { a: 1 }, 'text-to-number a'],
  ['all of several', { a: '1' }, { allOf: [of({ a: integer }), { required: ['a'] }] }, { a: 1 }, 'text-to-number a'],
])('%s', (_name, value, schema, expected, kind) => {
  expect(said(value, schema)).toEqual([expected, kind]);
});

test('JSON strings within a JSON string', () => {
  expect(said({ a: '["1",2]' }, of({ a: { type: 'array', items: integer } }))).toEqual([
    { a: [1, 2] },
    'text-to-list a',
    'text-to-number a.0',
  ]);
});

test('one value is repaired although another one cannot be', () => {
  expect(said({ a: '1', b: 'x' }, of({ a: integer, b: integer, c: integer }, ['c']))).toEqual([{ a: 1, b: 'x' }, 'text-to-number a']);
});

test.each<readonly [string, unknown, JsonSchema]>([
  ['a valid value', { a: '5' }, of({ a: { type: 'string' } })],
  ['a string where one is allowed', { a: '[1]' }, of({ a: { type: ['array', 'string'] } })],
  [
    'a string where one is allowed, in another form',
    { a: '[1]' },
    of({ a: { anyOf: [{ type: 'string', maxLength: 1 }, { type: 'array' }] } }),
  ],
  ['a number out of range', { a: '50' }, of({ a: { ...integer, maximum: 5 } })],
  ['a number with words', { a: '5 apples' }, of({ a: integer })],
  ['a number with a point that may separate thousands', { a: '1.000' }, of({ a: { type: 'number' } })],
  ['a number in another notation', { a: '0x10' }, of({ a: integer })],
  ['a fraction for a whole number', { a: '1.5' }, of({ a: integer })],
  ['a number that would be rounded', { a: '12345678901234567890' }, of({ a: { type: 'number' } })],
  ['null for a number', { a: null }, of({ a: integer }, ['a'])],
  ['1 for true', { a: 1 }, of({ a: { type: 'boolean' } })],
  ['true for 1', { a: true }, of({ a: integer })],
  ['a number for a string', { a: 5 }, of({ a: { type: 'string' } })],
  ['an empty string that is required', { a: '' }, of({ a: integer }, ['a'])],
  ['an empty string where strings are allowed', { a: '' }, of({ a: { type: 'string', minLength: 1 } })],
  ['a word that is allowed as a string and as a boolean', { a: 'True' }, of({ a: { enum: [true, 'true'] } })],
  ['two similar allowed values', { a: 'AB' }, of({ a: { enum: ['ab', 'Ab'] } })],
  ['an empty string for an optional number', { a: '' }, of({ a: integer })],
  ['the word none', { a: 'none' }, of({ a: { type: ['integer', 'null'] } })],
  ['a word for nothing', { a: 'None' }, of({ a: { type: 'array', items: { type: 'string' } } }, ['a'])],
  ['null as a string, required', { a: 'null' }, of({ a: { type: 'array', items: { type: 'string' } } }, ['a'])],
  ['a list of paths', { a: '/usr/bin:/bin' }, of({ a: { type: 'array', items: { type: 'string' } } })],
  ['a list with typographic commas', { a: '茶、酒' }, of({ a: { type: 'array', items: { type: 'string' } } })],
  ['an empty object for a list', { a: {} }, of({ a: { type: 'array' } })],
  ['a list in the form of an object', { a: { 0: 'x' } }, of({ a: { type: 'array' } })],
  ['false for a list', { a: false }, of({ a: { type: 'array' } })],
  ['a list with blanks', { a: 'x y' }, of({ a: { type: 'array', items: { type: 'string' } } })],
  ['a list with commas', { a: 'x,y' }, of({ a: { type: 'array', items: { type: 'string' } } })],
  ['an incomplete list', { a: '["x", "y' }, of({ a: { type: 'array', items: { type: 'string' } } })],
  ['a list of Python', { a: "['x', 'y']" }, of({ a: { type: 'array', items: { type: 'string' } } })],
  ['a name twice in a string', { a: '{"b":1,"b":2}' }, of({ a: of({ b: integer }) })],
  ['a number in a string that would be rounded', { a: '[12345678901234567890]' }, of({ a: { type: 'array' } })],
  ['a number that would become zero', { a: '1e-400' }, of({ a: { type: 'number' } })],
  ['a number or a list', { a: '5' }, of({ a: { anyOf: [integer, { type: 'array', items: { type: 'string' } }] } })],
  [
    'two branches that disagree',
    { a: { b: '5' } },
    of({ a: { anyOf: [of({ b: integer }, ['b']), of({ b: { type: 'array', items: integer } }, ['b'])] } }),
  ],
  ['a large value', { a: '5', b: Array.from({ length: 60_000 }, () => 1) }, of({ a: integer, b: { type: 'array', items: integer } })],
  ['a list of invalid values', { a: 'x' }, of({ a: { type: 'array', items: integer } })],
  ['an invalid schema', { a: '1' }, { $ref: '#' }],
  ['not an object', 'x', of({})],
])('%s is unchanged', (_name, value, schema) => {
  const before = structuredClone(value);
  const { value: same, coercions } = coerce(value, schema);
  expect(same).toBe(value);
  expect(coercions).toEqual([]);
  expect(value).toEqual(before);
});

test('a valid value is the same object, and a repaired value is valid', () => {
  const leaf = fc.constantFrom(
    { type: 'integer' },
    { type: 'string' },
    { type: 'boolean' },
    { type: ['null', 'number'] },
    { type: 'array', items: { type: 'integer' } },
  );
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), fc.constantFrom('1', 'true', 'null', '', '[1]', '["1"]', '{}'));
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('a', 'b', 'c'), leaf),
      fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), value),
      (properties, given) => {
        const schema = of(properties);
        const once = coerce(given, schema);
        const twice = coerce(once.value, schema);
        expect(twice.value).toBe(once.value);
        expect(once.coercions.length === 0).toBe(once.value === given);
      },
    ),
    { numRuns: 1_000 },
  );
});

test('a schema with endless branches is fast', () => {
  const schema: JsonSchema = {
    $defs: { n: { anyOf: [of({ a: { $ref: '#/$defs/n' } }, ['x']), of({ a: { $ref: '#/$defs/n' } }, ['y']), integer] } },
    $ref: '#/$defs/n',
  };
  let value: unknown = 'x';
  for (let depth = 0; depth < 30; depth += 1) value = { a: value };
  // Processor time, so that a busy machine does not matter.
  const start = process.cpuUsage();
  expect(coerce(value, schema).value).toBe(value);
  expect(process.cpuUsage(start).user / 1_000).toBeLessThan(5_000);
});
