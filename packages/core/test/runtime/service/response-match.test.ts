import { expect, it } from 'vitest';
import { matchResponses } from '../../../src/runtime/service/response-match.ts';

const ids = (...list: readonly (string | undefined)[]): readonly { readonly callId?: string }[] =>
  list.map((callId) => (callId === undefined ? {} : { callId }));

it.each([
  ['one to one', ids('a', 'b'), ids('a', 'b'), { matches: true, missing: [], unexpected: [], reordered: false }],
  ['nothing', ids(), ids(), { matches: true }],
  ['repeated ids', ids('a', 'a'), ids('a', 'a'), { matches: true }],
  [
    'a missing one',
    ids('a', 'b'),
    ids('a'),
    { matches: false, missing: ['b'], problems: ['2 calls, but 1 results', "No result for call 'b'"] },
  ],
  ['a repeated one missing', ids('a', 'a'), ids('a'), { missing: ['a'] }],
  ['one too many', ids('a'), ids('a', 'x'), { unexpected: ['x'] }],
  ['another order', ids('a', 'b'), ids('b', 'a'), { matches: false, reordered: true, missing: [] }],
  ['calls without ids', ids(undefined, undefined), ids('call-1', 'call-2'), { matches: true }],
])('%s', (_name, calls, results, expected) => {
  expect(matchResponses(calls, results)).toMatchObject(expected);
});
