/** Whatever schema and value: a check ends after a bounded number of steps, and what it could not check passes. */
import { compileLenientSchema, type LenientSchemaOptions } from '@holdfast/wire';
import { expect, test } from 'vitest';
import { coerce } from '../../../src/schema/coerce.ts';

const range = <T>(length: number, make: (index: number) => T): T[] => Array.from({ length }, (_, index) => make(index));
const string = { type: 'string' };

interface Checked {
  readonly issues: readonly { readonly message: string }[];
  readonly notes: readonly string[];
}

function check(schema: object, value: unknown, options: LenientSchemaOptions = {}): Checked {
  const notes: string[] = [];
  const run = compileLenientSchema(schema as never, { ...options, onUnchecked: (reasons) => notes.push(...reasons) });
  return { issues: run(value), notes };
}

const fan = {
  type: 'object',
  properties: { message: { $ref: '#/$defs/0' } },
  $defs: {
    30: string,
    ...Object.fromEntries(range(30, (n) => [n, { allOf: [{ $ref: `#/$defs/${n + 1}` }, { $ref: `#/$defs/${n + 1}` }] }])),
  },
};
const twice = { $defs: { a: { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] } }, properties: { a: { $ref: '#/$defs/a' } } };
const nested = (depth: number): unknown => range(depth, String).reduce<unknown>((inner) => ({ a: inner }), {});
const tree = { $ref: '#/$defs/node', $defs: { node: { type: 'object', properties: { a: { $ref: '#/$defs/node' } } } } };
const name = (index: number): readonly [string, number] => [`${'x'.repeat(8)}${index}`, index];

test.each<readonly [string, object, unknown, RegExp]>([
  ['a pattern with nested repetitions', { pattern: '^(a+)+$' }, `${'a'.repeat(34)}!`, /the pattern \^\(a\+\)\+\$ could take long/],
  ['references that double thirty times', fan, { message: 'hello' }, /too many steps/],
  ['a reference to itself', { properties: { message: { $ref: '#/properties/message' } } }, { message: 'hello' }, /leads back to itself/],
  ['references to itself that double', twice, { a: 1 }, /too many steps/],
  ['a value of 5,000 levels', tree, nested(5_000), /inside each other|call stack/],
  ['many branches for many items', { items: { oneOf: range(2_000, (n) => ({ const: n })) } }, range(200, () => -1), /too many steps/],
  [
    'many patterns for many names',
    { patternProperties: Object.fromEntries(range(200, (n) => [`^(x+${n}+)+$`, string])) },
    Object.fromEntries(range(2_000, name)),
    /too many steps/,
  ],
  ['large texts that must differ', { uniqueItems: true }, range(40, (n) => ({ a: 'x'.repeat(100_000) + n })), /too many steps/],
  ['a format for a long string', { format: 'uri-template' }, '{a'.repeat(5_000), /too long for format/],
  [
    'names evaluated by many branches',
    { unevaluatedProperties: false, anyOf: range(300, () => ({ minProperties: 1 })) },
    Object.fromEntries(range(5_000, name)),
    /too many steps/,
  ],
])('%s: the value passes, with a note', (_name, schema, value, note) => {
  const started = performance.now();
  const { issues, notes } = check(schema, value);
  expect(issues).toEqual([]);
  expect(notes.join()).toMatch(note);
  // A hundred times what it takes; without a limit, most of these take years.
  expect(performance.now() - started).toBeLessThan(5_000);
});

test('60,000 ids are compared in linear time', () => {
  const ids = range(60_000, (n) => `id-${n}`);
  expect(check({ type: 'array', uniqueItems: true }, ids)).toEqual({ issues: [], notes: [] });
  expect(check({ type: 'array', uniqueItems: true }, [...ids, 'id-7']).issues).toHaveLength(1);
});

test('items are alike whatever the order of their properties, and no number is a string', () => {
  const unique = { uniqueItems: true };
  expect(
    check(unique, [
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ]).issues,
  ).toHaveLength(1);
  expect(check(unique, [1, '1', true, 'true', null, 'null', [1], '[1]', { a: 1 }, '{"a":1}', '"1', 0, false]).issues).toEqual([]);
});

test('a schema with very many parts checks nothing, and says so', () => {
  const schema = { properties: Object.fromEntries(range(20_000, (n) => [`a${n}`, { type: 'string', minLength: 1 }])) };
  const run = compileLenientSchema(schema);
  expect(run({ a1: 1 })).toEqual([]);
  expect(run.warnings).toEqual([{ path: '', message: 'too large: nothing is checked' }]);
});

test('many mismatches with many known names are described in bounded time', () => {
  const schema = { properties: Object.fromEntries(range(4_000, (n) => [`known-${n}`, true])), additionalProperties: false };
  const { issues } = check(schema, Object.fromEntries(range(2_000, (n) => [`unknown-${n}`, n])));
  expect(issues.length).toBeGreaterThan(100);
  expect(issues[0]?.message).toMatch(/known-59 and 3940 more/);
  expect(Math.max(...issues.map(({ message }) => message.length))).toBeLessThan(1_500);
});

test('a pattern that cannot be tried neither rejects by `not`, `oneOf`, `if` and `additionalProperties`, nor accepts', () => {
  const slow = { pattern: '^(a+)+$' };
  const value = 'a'.repeat(40);
  expect(check({ not: slow }, value).issues).toEqual([]);
  expect(check({ oneOf: [slow, { minLength: 1 }] }, value).issues).toEqual([]);
  expect(
    check(
      Object.fromEntries([
        ['if', slow],
        ['else', { maxLength: 2 }],
      ]),
      value,
    ).issues,
  ).toEqual([]);
  expect(check({ patternProperties: { '^(a+)+$': true }, additionalProperties: false }, { [value]: 1, b: 1 }).issues).toHaveLength(1);
  expect(check({ contains: slow, maxContains: 1 }, [value, value]).issues).toEqual([]);
  expect(check({ allOf: [slow, { maxLength: 3 }] }, value).issues).toHaveLength(1);
});

test('patterns can be run by another engine, which is asked once for each', () => {
  const asked: string[] = [];
  const patterns = (source: string) => {
    asked.push(source);
    return { steps: () => 1, test: (text: string) => text === 'by the engine' };
  };
  const schema = { items: { pattern: '^(a+)+$' } };
  expect(check(schema, ['by the engine', 'aa', 'by the engine'], { patterns }).issues).toHaveLength(1);
  expect(asked).toEqual(['^(a+)+$']);
});

test('coercing values shares one budget', () => {
  const value = { message: '1', list: range(20_000, String) };
  const schema = { properties: { message: { $ref: '#/$defs/0' }, list: { items: { type: 'integer' } } }, $defs: fan.$defs };
  expect(coerce(value, schema).value).toBe(value);
});
