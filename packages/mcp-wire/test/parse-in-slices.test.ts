/** Parsing in slices gives what `JSON.parse` gives, and pauses. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInSlices } from '../src/parse-in-slices.ts';
import { parseJsonOrUndefined } from '../src/message.ts';

const range = <Item>(length: number, make: (index: number) => Item): readonly Item[] => Array.from({ length }, (_, index) => make(index));
const filler = 'x'.repeat(20_000);

describe('the value is that of JSON.parse', () => {
  const values: readonly (readonly [string, unknown])[] = [
    ['many numbers', { jsonrpc: '2.0', id: 1, result: { structuredContent: { v: range(60_000, (n) => n % 7) } } }],
    ['many members', Object.fromEntries(range(20_000, (n) => [`key ${n}`, { n, text: `"\\ ${n}` }]))],
    [
      'blocks, with large ones between',
      { content: range(40, (n) => ({ type: 'text', text: n % 3 === 0 ? `${filler}\\"` : 'b', list: range(3_000, () => [n]) })) },
    ],
    ['large members beside small ones', [1, range(9_000, String), 2, { a: filler, b: range(9_000, String), c: [] }, filler, []]],
    ['integers as names', { b: filler, 2: range(9_000, String), a: 1, 1: filler }],
    ['what is small', { a: 1 }],
    ['one string', filler],
    ['nothing in it', {}],
  ];
  test.each(values)('%s', async (_name, value) => {
    for (const text of [JSON.stringify(value), ` ${JSON.stringify(value, undefined, 1)}\n`]) {
      const parsed = await parseInSlices(text);
      expect(JSON.stringify(parsed)).toBe(JSON.stringify(JSON.parse(text)));
    }
  });

  test('a name twice, and __proto__, are taken as JSON.parse takes them', async () => {
    const text = `{"a":1,"b":"${filler}","a":[${'1,'.repeat(20_000)}1],"__proto__":{"x":1},"c":"${filler}","b":2,"__proto__":[${'1,'.repeat(20_000)}2]}`;
    const parsed = (await parseInSlices(text)) as object;
    expect(parsed).toEqual(JSON.parse(text));
    expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
    expect(Object.keys(parsed)).toEqual(Object.keys(JSON.parse(text) as object));
  });

  test('what nests too deeply is still parsed', async () => {
    const deep = `${'['.repeat(2_000)}"${filler}",{"a":[1,2]}${']'.repeat(2_000)}`;
    const text = `{"a":${deep},"b":[${'1,'.repeat(20_000)}1]}`;
    expect(JSON.stringify(await parseInSlices(text))).toBe(text);
    expect(await parseInSlices(text.replace('{"a":[1,2]}', '{"a":[1,2}]'))).toBeUndefined();
  });
});

describe('what is not JSON is undefined', () => {
  const list = range(9_000, String).join();
  test.each([
    ['a comma too many at the end', `[${list},]`],
    ['a comma too many at the start', `[,${list}]`],
    ['a comma too many between', `[${list},,${list}]`],
    ['a blank part', `[${list},${' '.repeat(20_000)},${list}]`],
    ['a comma after a large member', `[[${list}],]`],
    ['no comma after a large member', `[[${list}] [${list}]]`],
    ['a member before a large one without a comma', `[1 [${list}]]`],
    ['something after a large member', `[[${list}] 1,2]`],
    ['a large member without a name', `{[${list}]}`],
    ['a name that is not a string', `{"a":1,2:[${list}]}`],
    ['a name without a colon', `{"a" [${list}]}`],
    ['another bracket', `[${list}}`],
    ['two values', `[${list}][${list}]`],
    ['something after the value', `[${list}] x`],
    ['something before the value', `x [${list}]`],
    ['no end', `[${list}`],
    ['a string without an end', `["${filler}`],
    ['an open escape', `["${filler}\\"]`],
    ['nothing', ''],
  ])('%s', async (_name, text) => {
    expect(parseJsonOrUndefined(text)).toBeUndefined();
    expect((await parseInSlices(text)) === undefined).toBe(true);
  });
});

test('any change of one character is judged as JSON.parse judges it', async () => {
  const value = { id: 1, a: [range(3_000, (n) => n), { b: range(3_000, (n) => `${n}"`), c: filler }], d: { e: range(3_000, () => []) } };
  const text = JSON.stringify(value);
  const change = fc.record({
    at: fc.nat(text.length),
    insert: fc.constantFrom('', ',', ':', '[', ']', '{', '}', '"', '\\', ' ', '1', 'x'),
    drop: fc.nat(2),
  });
  await fc.assert(
    fc.asyncProperty(change, async ({ at, insert, drop }) => {
      const changed = text.slice(0, at) + insert + text.slice(at + drop);
      expect(JSON.stringify(await parseInSlices(changed)) === JSON.stringify(parseJsonOrUndefined(changed))).toBe(true);
    }),
    { numRuns: 300 },
  );
});

test('others run meanwhile', async () => {
  const text = JSON.stringify(range(500_000, (n) => n % 9));
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  expect(await parseInSlices(text)).toHaveLength(500_000);
  isDone = true;
  expect(turns).toBeGreaterThan(3);
});
