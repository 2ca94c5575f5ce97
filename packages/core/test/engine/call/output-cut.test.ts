import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { deliverOutput } from '../../../src/engine/call/output.ts';

const converted = (value: unknown, maxChars = 1_000): unknown => {
  const { output, altered } = deliverOutput(value, maxChars);
  expect(altered).toBe('converted');
  return output;
};
const cut = (value: unknown, maxChars: number): unknown => {
  const { output, altered } = deliverOutput(value, maxChars);
  expect(altered).toBe('truncated');
  return output;
};
const nested = (depth: number, wrap: (inner: unknown) => unknown): unknown => {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = wrap(value);
  return value;
};

describe('delivered unchanged', () => {
  const shared = { a: 1 };
  it.each([
    ['a number', 5],
    ['nothing', undefined],
    ['null', null],
    ['a string with its quotes', 'x'.repeat(998)],
    ['the same part twice', { one: shared, two: [shared] }],
    ['undefined', { a: undefined, b: null }],
    ['functions and symbols, which JSON leaves out', { a: 1, run: () => 1, parts: [Symbol('s')], [Symbol('s')]: 2 }],
    ['bytes, four characters each', new Uint8Array(250)],
    ['a date', { at: new Date(0) }],
    ['a hundred levels', nested(100, (inner) => [inner])],
  ])('%s', (_name, value) => {
    const delivered = deliverOutput(value, 1_000);
    expect(delivered).not.toHaveProperty('altered');
    expect(delivered.output).toBe(value);
  });
});

describe('parts of a copy', () => {
  it('that need no change are the own ones of the tool', () => {
    const rows = Array.from({ length: 100 }, (_, index) => ({ index, of: [index] }));
    const list = cut(rows, 200) as readonly unknown[];
    expect(list.length).toBeGreaterThan(5);
    expect(list[0]).toBe(rows[0]);
    expect((cut({ rows, more: 1 }, 200) as { readonly rows: readonly unknown[] }).rows[1]).toBe(rows[1]);
    expect((converted([rows[0], 5n]) as readonly unknown[])[0]).toBe(rows[0]);
  });

  it.each([
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a function', { run: () => 1, a: 1 }, { a: 1 }],
    ['bytes', { bytes: new Uint8Array(3) }, { bytes: '[binary, 3 bytes]' }],
    ['a large number', { big: 7n }, { big: '7' }],
  ])('with %s are copies', (_name, part, expected) => {
    const [copy] = deliverOutput([part, 'x'.repeat(300)], 200).output as readonly unknown[];
    expect(copy).not.toBe(part);
    expect(copy).toEqual(expected);
  });
});

describe('values without a JSON representation are described', () => {
  it.each<readonly [string, unknown, unknown]>([
    ['a function', function run() {}, '[function run]'],
    ['a symbol', Symbol('s'), 'Symbol(s)'],
    ['no function or symbol among other values', { run: () => 1, kind: Symbol('s'), big: 1n }, { big: '1' }],
    ['a large number', 12n, '12'],
    ['bytes among other values', { bytes: new Uint8Array(10), big: 1n }, { bytes: '[binary, 10 bytes]', big: '1' }],
    [
      'plain values among others',
      { a: undefined, b: null, c: true, d: 2, e: 't', big: 1n },
      { a: undefined, b: null, c: true, d: 2, e: 't', big: '1' },
    ],
    ['a date among others', { at: new Date(0), big: 1n }, { at: '1970-01-01T00:00:00.000Z', big: '1' }],
    ['a value with toJSON', { toJSON: () => 5n }, '5'],
    ['a function that cannot be read', { made: new Proxy(() => 1, { get: () => assert.fail('locked') }), b: 1 }, { b: 1 }],
    [
      'an unreadable value',
      Object.defineProperty({ b: 1 }, 'a', {
        enumerable: true,
        get: () => {
          throw new Error('locked');
        },
      }),
      { b: 1, a: '[unreadable]' },
    ],
    [
      'an object with unreadable keys',
      {
        thing: new Proxy(
          {},
          {
            ownKeys: () => {
              throw new Error('locked');
            },
          },
        ),
      },
      { thing: '[unreadable]' },
    ],
  ])('%s', (_name, value, expected) => {
    expect(converted(value)).toEqual(expected);
  });

  it('a part that occurs twice is not a cycle', () => {
    const part = { a: 1 };
    expect(converted({ one: part, two: part, big: 1n })).toEqual({ one: { a: 1 }, two: { a: 1 }, big: '1' });
  });
});

describe('large values are truncated', () => {
  it.each<readonly [string, unknown, number, unknown]>([
    ['a string', 'x'.repeat(50), 20, `${'x'.repeat(20)}… [truncated, 50 characters]`],
    ['a list', Array.from({ length: 30 }, () => 1), 20, [1, 1, 1, 1, '[truncated, 30 items]']],
    ['fields', { aaaa: 1, bbbb: 2, cccc: 3 }, 20, { aaaa: 1, bbbb: 2, '[truncated]': true }],
    ['a part without remaining room', { abc: { d: 1 } }, 7, { abc: '[truncated]' }],
    ['texts in a list', ['x'.repeat(20), 'y'], 20, ['x'.repeat(20), '[truncated, 2 items]']],
    ['bytes', new Uint8Array(251), 1_000, '[binary, 251 bytes]'],
    ['a value with a long toJSON', { toJSON: () => 'x'.repeat(50) }, 20, `${'x'.repeat(20)}… [truncated, 50 characters]`],
  ])('%s', (_name, value, maxChars, expected) => {
    expect(cut(value, maxChars)).toEqual(expected);
  });

  it.each<readonly [string, (inner: unknown) => unknown]>([
    ['lists', (inner) => [inner]],
    ['fields', (inner) => ({ a: inner })],
  ])('%s nested a hundred levels deep', (_name, wrap) => {
    const expected = nested(100, wrap);
    const text = JSON.stringify(cut(nested(101, wrap), 10_000));
    expect(text).toBe(JSON.stringify(expected).replace('1', '"[truncated]"'));
  });
});
