import { describe, expect, it } from 'vitest';
import { headerDeclarations, toolHeaders } from '../../src/client/tool-headers.ts';

const named = (name: unknown, rest: object = { type: 'string' }): object => ({ ...rest, 'x-mcp-header': name });
const schemaOf = (properties: object, rest: object = {}): object => ({ type: 'object', properties, ...rest });

describe('declarations', () => {
  it('are found at any depth of properties, and only there', () => {
    const nested = { type: 'object', properties: { inner: named('Inner', { type: 'integer' }) } };
    const schema = schemaOf({ region: named('Region'), nested, plain: { type: 'string' } });
    expect(headerDeclarations(schema)).toEqual([
      { name: 'Region', path: ['region'] },
      { name: 'Inner', path: ['nested', 'inner'] },
    ]);
    for (const none of [undefined, null, true, schemaOf({ 'x-mcp-header': { type: 'string' } }), { const: named('A') }])
      expect(headerDeclarations(none)).toEqual([]);
  });

  it.each([
    ['no name', schemaOf({ a: named('') })],
    ['a string that is not a name', schemaOf({ a: named('two words') })],
    ['a line break', schemaOf({ a: named('a\r\nX: y') })],
    ['a number', schemaOf({ a: named(5) })],
    ['a type that is not allowed in a header', schemaOf({ a: named('A', { type: 'number' }) })],
    ['no type', schemaOf({ a: named('A', {}) })],
    ['the same name twice', schemaOf({ a: named('Same'), b: named('sAME') })],
    ['items of a list', schemaOf({ a: { type: 'array', items: named('A') } })],
    ['one of several alternatives', schemaOf({ a: { oneOf: [named('A')] } })],
    ['a condition', schemaOf({}, { if: schemaOf({ a: named('A') }) })],
    ['a definition', schemaOf({}, { $defs: { a: named('A') } })],
    ['the root', { ...named('A', { type: 'object' }) }],
  ])('with %s are refused', (_what, schema) => {
    expect(headerDeclarations(schema)).toEqual(expect.stringContaining('x-mcp-header'));
  });
});

describe('headers', () => {
  const declared = [
    { name: 'Region', path: ['region'] },
    { name: 'Deep', path: ['a', 'b'] },
  ];
  it.each([
    [{ region: 'us', a: { b: 42 } }, ['Mcp-Param-Region', 'us', 'Mcp-Param-Deep', '42']],
    [{ region: false, a: { b: -7 } }, ['Mcp-Param-Region', 'false', 'Mcp-Param-Deep', '-7']],
    [{ region: null, a: 'text' }, []],
    [{ region: { toString: 'x' }, a: { b: 2 ** 60 } }, []],
    [{ region: 'ö' }, ['Mcp-Param-Region', '=?base64?w7Y=?=']],
    [undefined, []],
    [{ a: { __proto__: { b: 'inherited' } } }, []],
  ])('of %j', (args, headers) => {
    expect(toolHeaders(declared, args)).toEqual(headers);
  });
});
