import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonInSlices } from '../../src/calls/json-in-slices.ts';

const range = <Item>(length: number, make: (index: number) => Item): readonly Item[] => Array.from({ length }, (_, index) => make(index));

test.each<readonly [string, unknown]>([
  ['many items', range(30_000, (n) => ({ n, text: `"${n}"` }))],
  ['many names', Object.fromEntries(range(20_000, (n) => [`name "${n}"`, [n]]))],
  ['a long string', { a: ['😀"\\\n€'.repeat(40_000), 1] }],
  ['a long string of halves', `x${'😀'.repeat(70_000)}`],
  ['large parts in large parts', { a: range(1_500, (n) => (n % 500 === 0 ? range(20_000, String) : n)), b: {}, c: [] }],
  ['nothing', undefined],
  ['null', null],
])('%s', async (_name, value) => {
  expect((await jsonInSlices(value)) === (JSON.stringify(value) ?? 'null')).toBe(true);
});

test('any JSON', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (value) => {
      const large = [value, { value, filler: range(7_000, () => 'xxxxxxxxxx') }];
      expect((await jsonInSlices(large)) === JSON.stringify(large)).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('others run meanwhile', async () => {
  let turns = 0;
  let isDone = false;
  const turn = (): void => {
    turns += 1;
    if (!isDone) setImmediate(turn);
  };
  turn();
  await jsonInSlices({ a: range(300_000, (n) => ({ n })) });
  isDone = true;
  expect(turns).toBeGreaterThan(1);
});
