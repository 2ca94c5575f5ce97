import fc from 'fast-check';
import { expect, test } from 'vitest';
import { repeatsName } from '../../../src/engine/plain/repeats-name.ts';

const repeats = (text: string): boolean => repeatsName(text, JSON.parse(text));

test.each([
  '{"a":1,"a":2}',
  '{"a":1,"a":1}',
  '{"a":1,"\\u0061":2}',
  '{"a":{"b":[{"c":1,"c":2}]}}',
  '{"__proto__":1,"__proto__":2}',
  '{"1":1,"1":2}',
  '{"":1,"":2}',
  '[{"a":1},{"a":1,"a":1}]',
])('%s has a name twice', (text) => {
  expect(repeats(text)).toBe(true);
});

test.each([
  '{}',
  '[]',
  'null',
  '5',
  '"a:a"',
  '{"a":"a:\\"b\\":"}',
  '{"a:b":{"a:b":1}}',
  '[{"a":1},{"a":1}]',
  '{"a":{"a":{"a":1}}}',
  '{"a\\\\":":"}',
])('%s has none', (text) => {
  expect(repeats(text)).toBe(false);
});

test('what JSON.stringify writes has no name twice', () => {
  fc.assert(fc.property(fc.jsonValue(), (value) => !repeats(JSON.stringify(value)) && !repeats(JSON.stringify(value, undefined, 2))));
});
