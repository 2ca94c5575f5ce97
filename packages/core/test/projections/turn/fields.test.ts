import { expect, test } from 'vitest';
import * as fields from '../../../src/projections/turn/fields.ts';

test('record returns an object unchanged, and an empty one for anything else', () => {
  const value = { a: 1 };
  expect(fields.record(value)).toBe(value);
  for (const other of [undefined, null, 7, 'text', [value], () => value]) expect(fields.record(other)).toEqual({});
});

test('times are finite and not negative', () => {
  expect([0, 1.5, -1, Number.NaN, Number.POSITIVE_INFINITY, '7'].map((value) => fields.timeOrNone(value))).toEqual([
    0,
    1.5,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
});
