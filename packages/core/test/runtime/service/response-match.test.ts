import { expect, it } from 'vitest';
import { defineTool, ToolExecutionService } from '../../../src/index.ts';
import { manualSystem } from '../../../src/testing/index.ts';
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

it.each<readonly [string, unknown, unknown, readonly string[]]>([
  ['results that are missing', ids('a'), undefined, ['1 calls, but 0 results', "No result for call 'a'"]],
  ['results that are null', ids('a'), null, ['The results are not an array', '1 calls, but 0 results', "No result for call 'a'"]],
  [
    'a result that is null',
    ids('a'),
    [null],
    ['Result 1 is not an object', "No result for call 'a'", "The result '' has no matching call"],
  ],
  ['calls that are an object', {}, [], ['The calls are not an array']],
  ['a call that is a string', ['a'], ids('call-1'), ['Call 1 is not an object']],
])('%s', (_name, calls, results, problems) => {
  expect(matchResponses(calls, results).problems).toEqual(problems);
});

it.each([
  ['numbers', [{ callId: 1 }, { callId: '2' }], [{ callId: '1' }, { callId: 2 }]],
  ['the names of other formats', [{ id: 'a' }, { tool_call_id: 'b' }], [{ tool_call_id: 'a' }, { toolCallId: 'b' }]],
])('ids as %s', (_name, calls, results) => {
  expect(matchResponses(calls, results).matches).toBe(true);
});

it('the service answers whatever it is given', () => {
  const service = new ToolExecutionService({ system: manualSystem(), tools: [defineTool({ name: 'a', run: () => 1 })] });
  const throwing = new Proxy([], {
    get: () => {
      throw new Error('no');
    },
  });
  for (const odd of [undefined, null, 'x', 7, {}, [null], [[]], [() => 1], throwing])
    for (const other of [[], undefined, odd])
      expect(service.validateResponseMatch(odd as never, other as never)).toMatchObject({ matches: expect.any(Boolean) });
});
