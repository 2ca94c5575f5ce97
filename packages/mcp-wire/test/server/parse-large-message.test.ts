/** Large messages of clients are parsed in slices, with the result of small ones. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseLargeMessage } from '../../src/server/parse-large-message.ts';
import { parseMessage } from '../../src/server/parse-message.ts';

const key = fc.constantFrom('a', 'b', '"', 'c\\', ':', '{', '__proto__', 'x y');
const { value: anyJson } = fc.letrec<{ value: unknown; text: string }>((tie) => ({
  text: fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
  value: fc.oneof(
    { maxDepth: 5 },
    tie('text'),
    fc.constantFrom('1', '-2.5e3', 'true', 'null', '[]', '{}', '"\\\\"', '"\\""', '"{:["'),
    fc.array(tie('value')).map((items) => `[${items.join(' , ')}]`),
    // Names may be there twice.
    fc
      .array(fc.tuple(key, tie('value')))
      .map((members) => `{${members.map(([name, value]) => `${JSON.stringify(name)}:${String(value)}`).join(',')}}`),
  ),
}));
const message = fc.oneof(
  anyJson.map((value) => `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":${String(value)}}`),
  anyJson.map((value) => `{"jsonrpc":"2.0","method":"a","params":{"b":${String(value)}}}`),
  anyJson.map((value) => `[{"jsonrpc":"2.0","id":"x","method":"a","params":{"b":${String(value)}}}]`),
  anyJson.map(String),
);

test('the result is that of a message that is parsed at once', async () => {
  await fc.assert(
    fc.asyncProperty(message, fc.nat(9), fc.boolean(), async (text, depth, isCut) => {
      const given = isCut ? text.slice(0, -1) : text;
      expect(await parseLargeMessage(given, depth)).toEqual(parseMessage(given, depth));
    }),
    { numRuns: 300 },
  );
});

test.each([
  [
    '250,000 names in one object',
    `{${Array.from({ length: 250_000 }, (_, index) => `"k${index}":1`).join(',')}}`,
    { kind: 'fault', error: { message: 'Invalid request: it has an object with more than 50000 names' } },
  ],
  ['300,000 objects', `{"v":[${'{"a":1},'.repeat(299_999)}{"a":1}]}`, { kind: 'request' }],
  ['a long string', `{"v":"${'x'.repeat(3_900_000)}"}`, { kind: 'request' }],
  ['a string of escapes', `{"v":"${'\\"\\\\'.repeat(900_000)}"}`, { kind: 'request' }],
])('%s: others are served meanwhile', async (_name, args, expected) => {
  const text = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":${args}}}`;
  let longest = 0;
  let last = process.threadCpuUsage();
  const measure = (): void => {
    const now = process.threadCpuUsage();
    longest = Math.max(longest, now.user - last.user + now.system - last.system);
    last = now;
  };
  const timer = setInterval(measure, 1);
  const incoming = await parseLargeMessage(text, 128);
  measure();
  clearInterval(timer);
  expect(incoming).toMatchObject({ id: 7, ...expected });
  // Of CPU time, in microseconds: a garbage collection is part of it.
  expect(longest).toBeLessThan(60_000);
});
