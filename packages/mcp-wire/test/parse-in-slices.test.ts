/** Parsing in slices gives what `JSON.parse` gives, and pauses. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseInSlices } from '../src/parse-in-slices.ts';
import { unreadIn } from '../src/unread-part.ts';
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

  test.each([
    ['letters', 'x'.repeat(200_000)],
    ['escapes', '"\\\n\u0001€😀'.repeat(30_000)],
    ['backslashes', '\\'.repeat(150_001)],
  ])('long strings of %s', async (_name, string) => {
    const value = { a: string, list: [1, string, { b: [string, 2] }], last: 3 };
    const escaped = JSON.stringify(value).replaceAll(/[€😀]/gu, (char) =>
      [...Array(char.length).keys()].map((at) => `\\u${char.charCodeAt(at).toString(16).padStart(4, '0')}`).join(''),
    );
    for (const text of [JSON.stringify(value), escaped, JSON.stringify(value, undefined, 2)])
      expect(JSON.stringify(await parseInSlices(text)) === JSON.stringify(value)).toBe(true);
    expect(await parseInSlices(JSON.stringify(string))).toBe(string);
    expect(await parseInSlices(`["${string.slice(0, 199_999).replaceAll('\\', '')}\n${'x'.repeat(99)}"]`)).toBeUndefined();
    expect(JSON.stringify(await parseInSlices(JSON.stringify({ [string]: 1 })))).toBe(JSON.stringify({ [string]: 1 }));
  });
});

describe('a part that is not read', () => {
  const deep = (levels: number): string => `${'[{"a":'.repeat(levels / 2)}["]",1]${'}]'.repeat(levels / 2)}`;

  test.each([
    ['is nested more than 500 levels deep', `{"id":1,"a":${deep(100_000)},"b":[2]}`],
    [
      'has an object with more than 50000 names',
      `{"id":1,"a":${JSON.stringify(Object.fromEntries(range(50_001, (n) => [`n${n}`, n])))},"b":[2]}`,
    ],
  ])('%s: the rest is read, and the message knows why', async (reason, text) => {
    const value = (await parseInSlices(text)) as { readonly a: unknown; readonly b: unknown };
    expect(value).toMatchObject({ id: 1, b: [2] });
    expect(unreadIn(value)).toBe(reason);
    const list = (await parseInSlices(`[${text},{"id":2}]`)) as readonly object[];
    expect(list.map((message) => unreadIn(message))).toEqual([reason, reason]);
    expect(unreadIn({})).toBeUndefined();
  });

  test('what is less deep and less wide is read', async () => {
    for (const text of [deep(400), JSON.stringify(Object.fromEntries(range(50_000, (n) => [`n${n}`, n])))]) {
      const value = (await parseInSlices(`[${text},"${filler}"]`)) as object;
      expect(unreadIn(value)).toBeUndefined();
      expect(JSON.stringify(value) === `[${text},"${filler}"]`).toBe(true);
    }
  });

  test('brackets that are not closed are no JSON', async () => {
    expect(await parseInSlices(`{"a":${deep(2_000)}]}`)).toBeUndefined();
    expect(await parseInSlices(`{"a":${deep(2_000).slice(0, -1)}}`)).toBeUndefined();
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
