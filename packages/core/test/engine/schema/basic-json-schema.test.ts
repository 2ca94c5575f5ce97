import { describe, expect, it } from 'vitest';
import { checkBasics } from '../../../src/engine/schema/basic-json-schema.ts';
import type { JsonSchema } from '../../../src/engine/schema/standard-schema.ts';

const samples: Readonly<Record<string, unknown>> = {
  string: 'text',
  number: 2.5,
  boolean: false,
  array: [],
  object: {},
  null: null,
};

describe('a type', () => {
  it.each(Object.keys(samples))('%s accepts its own values and no others', (type) => {
    const taken = Object.keys(samples).filter((kind) => checkBasics({ type }, samples[kind]).length === 0);
    expect(taken).toEqual([type]);
  });

  it('integer accepts only whole numbers', () => {
    expect([3, -3, 2.5, '3', null].map((value) => checkBasics({ type: 'integer' }, value).length)).toEqual([0, 0, 1, 1, 1]);
  });

  it('may be one of several', () => {
    const schema: JsonSchema = { type: ['string', 'null'] };
    expect([checkBasics(schema, 'a'), checkBasics(schema, null)]).toEqual([[], []]);
    expect(checkBasics(schema, 7)).toEqual([{ path: [], message: 'expected string or null, got number' }]);
  });

  it('that is unknown, or missing, accepts everything', () => {
    expect(checkBasics({ type: 'date' }, 7)).toEqual([]);
    expect(checkBasics({}, 7)).toEqual([]);
  });

  it.each([
    [null, 'null'],
    [[1], 'array'],
    ['a', 'string'],
  ])('%j has the right type name', (value, name) => {
    expect(checkBasics({ type: 'boolean' }, value)).toEqual([{ path: [], message: `expected boolean, got ${name}` }]);
  });
});

describe('an object', () => {
  it.each<readonly [unknown, readonly unknown[]]>([
    [{}, [{ path: ['symbol'], message: 'required', missing: true }]],
    [{ symbol: undefined }, [{ path: ['symbol'], message: 'required', missing: true }]],
    [{ symbol: null }, []],
  ])('%j and its required name', (value, issues) => {
    expect(checkBasics({ required: ['symbol'] }, value)).toEqual(issues);
  });

  it('requires nothing when `required` is not a list of names', () => {
    expect(checkBasics({ required: 'symbol' }, {})).toEqual([]);
    expect(checkBasics({ required: [7] }, {})).toEqual([]);
    expect(checkBasics({}, {})).toEqual([]);
  });

  it('may have unknown names unless they are forbidden', () => {
    expect(checkBasics({ properties: { side: {} } }, { sied: 1 })).toEqual([]);
    expect(checkBasics({ properties: { side: {} }, additionalProperties: false }, { sied: 1, elsewhere: 2 })).toEqual([
      { path: ['sied'], message: "unknown name, did you mean 'side'?" },
      { path: ['elsewhere'], message: 'unknown name' },
    ]);
  });
});

/** `{ a: { a: … 7 } }` and the schema that requires a string at the bottom. */
const nested = (depth: number): readonly [JsonSchema, unknown] => {
  let [schema, value]: [JsonSchema, unknown] = [{ type: 'string' }, 7];
  for (let level = 0; level < depth; level++) [schema, value] = [{ properties: { a: schema } }, { a: value }];
  return [schema, value];
};

it('checks 32 levels and no deeper', () => {
  expect(checkBasics(...nested(32))).toEqual([{ path: Array.from({ length: 32 }, () => 'a'), message: 'expected string, got number' }]);
  expect(checkBasics(...nested(33))).toEqual([]);
});

it('does not check a part whose schema is not an object', () => {
  expect(checkBasics({ properties: { a: true, b: null } }, { a: 1, b: 2 })).toEqual([]);
  expect(checkBasics({ items: 'text' }, [1, 2])).toEqual([]);
});
