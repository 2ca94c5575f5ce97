import { expect, test } from 'vitest';
import { parseJsonOrUndefined, parseStructure } from '../../../src/engine/plain/parse-json.ts';

test('JSON is parsed, anything else is undefined', () => {
  expect(['{"a":[1]}', 'null', '0', '"text"'].map(parseJsonOrUndefined)).toEqual([{ a: [1] }, null, 0, 'text']);
  expect(['', '{', 'text', 'undefined'].map(parseJsonOrUndefined)).toEqual([undefined, undefined, undefined, undefined]);
});

test('of texts, only objects and lists are parsed', () => {
  expect([' {"a":1}', '\n[1, 2]'].map(parseStructure)).toEqual([{ a: 1 }, [1, 2]]);
  for (const text of ['17', 'null', '"quoted"', '{ not JSON', '[1', 'text', '']) expect(parseStructure(text)).toBe(text);
});
