import { expect, test } from 'vitest';
import { fieldsOf, isObject, isObjectOrFunction, isRecord } from '../../../src/engine/plain/is-object.ts';
import { withoutUndefined } from '../../../src/engine/plain/without-undefined.ts';

test.each([
  ['an object', { a: 1 }, [true, true, true]],
  ['an array', [1], [false, true, true]],
  ['a function', () => 1, [false, false, true]],
  ['null', null, [false, false, false]],
  ['undefined', undefined, [false, false, false]],
  ['a string', 'text', [false, false, false]],
])('%s is a record, an object, an object or function', (_name, value, expected) => {
  expect([isRecord(value), isObject(value), isObjectOrFunction(value)]).toEqual(expected);
});

test('a value that is not an object has no fields', () => {
  const value = { a: 1 };
  expect(fieldsOf(value)).toBe(value);
  expect(fieldsOf(null)).toEqual({});
  expect(fieldsOf('text')).toEqual({});
});

test('a copy without undefined fields keeps null and false', () => {
  expect(Object.keys(withoutUndefined({ a: undefined, b: null, c: false, d: 0 }))).toEqual(['b', 'c', 'd']);
});
