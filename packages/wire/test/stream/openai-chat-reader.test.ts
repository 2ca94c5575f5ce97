/** Streams of servers with OpenAI's format, and the calls read from them. */
import { describe, expect, test } from 'vitest';
import { assembleStream } from '../../src/stream/assemble-stream.ts';

interface Piece {
  readonly index?: number;
  readonly id?: string | null;
  readonly name?: string;
  readonly arguments?: unknown;
}

const delta = (...pieces: readonly Piece[]): unknown => ({
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: pieces.map(({ index, id, ...called }) => ({ ...(index === undefined ? {} : { index }), id, function: called })),
      },
    },
  ],
});
const end = (reason: string): unknown => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const assemble = (chunks: readonly unknown[]): ReturnType<ReturnType<typeof assembleStream>['finish']> => {
  const assembly = assembleStream('openai-chat');
  for (const chunk of chunks) assembly.push(chunk);
  return assembly.finish();
};
const brief = (chunks: readonly unknown[], reason = 'tool_calls'): readonly string[] =>
  assemble([...chunks, end(reason)]).calls.map(
    ({ callId, toolName, arguments: given, truncated }) =>
      `${callId.length > 20 ? 'made' : callId} ${toolName} ${typeof given === 'string' ? given : JSON.stringify(given)}${truncated ? ' cut' : ''}`,
  );

test.each<readonly [string, readonly Piece[][], readonly string[]]>([
  [
    'one call in pieces',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '' }], [{ index: 0, arguments: '{"x"' }], [{ index: 0, arguments: ':1}' }]],
    ['c1 a {"x":1}'],
  ],
  ['no arguments at all', [[{ index: 0, id: 'c1', name: 'a' }]], ['c1 a {}']],
  [
    'index missing',
    [[{ id: 'c1', name: 'a', arguments: '{"x":1}' }], [{ id: 'c2', name: 'b', arguments: '{"y":2}' }]],
    ['c1 a {"x":1}', 'c2 b {"y":2}'],
  ],
  [
    'index missing, in pieces',
    [[{ id: 'c1', name: 'a', arguments: '{"x"' }], [{ arguments: ':1}' }], [{ id: 'c2', name: 'b' }], [{ arguments: '{}' }]],
    ['c1 a {"x":1}', 'c2 b {}'],
  ],
  [
    'index always 0',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x":1}' }], [{ index: 0, id: 'c2', name: 'b', arguments: '{"y":2}' }]],
    ['c1 a {"x":1}', 'c2 b {"y":2}'],
  ],
  [
    'index always 0, in pieces',
    [
      [{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }],
      [{ index: 0, arguments: ':1}' }],
      [{ index: 0, id: 'c2', name: 'a', arguments: '{' }],
      [{ index: 0, arguments: '}' }],
    ],
    ['c1 a {"x":1}', 'c2 a {}'],
  ],
  [
    'index changing',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }], [{ index: 1, arguments: ':1}' }], [{ index: 2, arguments: '' }]],
    ['c1 a {"x":1}'],
  ],
  [
    'index changing with the id',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }], [{ index: 1, id: 'c1', arguments: ':1}' }]],
    ['c1 a {"x":1}'],
  ],
  [
    'id on each piece',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }], [{ index: 0, id: 'c1', arguments: ':1}' }]],
    ['c1 a {"x":1}'],
  ],
  [
    'id and name on each piece',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }], [{ index: 0, id: 'c1', name: 'a', arguments: ':1}' }]],
    ['c1 a {"x":1}'],
  ],
  [
    'id changing on each piece',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }], [{ index: 0, id: 'c9', arguments: ':1}' }]],
    ['c1 a {"x":1}'],
  ],
  ['id late', [[{ index: 0, name: 'a', arguments: '{"x"' }], [{ index: 0, id: 'c1', arguments: ':1}' }]], ['c1 a {"x":1}']],
  [
    'id blank',
    [[{ index: 0, id: '', name: 'a', arguments: '{"x":1}' }], [{ index: 1, id: '', name: 'b', arguments: '{}' }]],
    ['made a {"x":1}', 'made b {}'],
  ],
  ['id null', [[{ index: 0, id: null, name: 'a', arguments: '{"x":1}' }]], ['made a {"x":1}']],
  [
    'id blank, index always 0',
    [[{ index: 0, id: '', name: 'a', arguments: '{"x":1}' }], [{ index: 0, id: '', name: 'a', arguments: '{"x":2}' }]],
    ['made a {"x":1}', 'made a {"x":2}'],
  ],
  [
    'two calls with the same id',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"x":1}' }], [{ index: 1, id: 'c1', name: 'a', arguments: '{"x":1}' }]],
    ['c1 a {"x":1}', 'made a {"x":1}'],
  ],
  [
    'name split',
    [[{ index: 0, id: 'c1', name: 'get_' }], [{ index: 0, name: 'weather' }], [{ index: 0, arguments: '{}' }]],
    ['c1 get_weather {}'],
  ],
  ['name growing', [[{ index: 0, id: 'c1', name: 'get_' }], [{ index: 0, name: 'get_weather', arguments: '{}' }]], ['c1 get_weather {}']],
  ['name blank later', [[{ index: 0, id: 'c1', name: 'a', arguments: '{' }], [{ index: 0, name: '', arguments: '}' }]], ['c1 a {}']],
  [
    'arguments repeated',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"a":1}' }], [{ index: 0, id: 'c1', arguments: '{"a":1}' }]],
    ['c1 a {"a":1}'],
  ],
  [
    'arguments growing',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{"a"' }], [{ index: 0, arguments: '{"a":1' }], [{ index: 0, arguments: '{"a":1}' }]],
    ['c1 a {"a":1}'],
  ],
  ['arguments as an object', [[{ index: 0, id: 'c1', name: 'a', arguments: { a: 1 } }]], ['c1 a {"a":1}']],
  [
    'an object after an initial value',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{}' }], [{ index: 0, arguments: { a: 1 } }]],
    ['c1 a {"a":1}'],
  ],
  [
    'a preceding initial value',
    [[{ index: 0, id: 'c1', name: 'a', arguments: '{}' }], [{ index: 0, arguments: '{"a"' }], [{ index: 0, arguments: ':1}' }]],
    ['c1 a {"a":1}'],
  ],
  ['two different objects in one', [[{ index: 0, id: 'c1', name: 'a', arguments: '{"a":1}{"b":2}' }]], ['c1 a {"a":1}{"b":2}']],
  [
    'calls interleaved',
    [
      [{ index: 0, id: 'c1', name: 'a', arguments: '{"x"' }],
      [{ index: 1, id: 'c2', name: 'b', arguments: '{"y"' }],
      [{ index: 0, arguments: ':1}' }],
      [{ index: 1, arguments: ':2}' }],
    ],
    ['c1 a {"x":1}', 'c2 b {"y":2}'],
  ],
  [
    'several pieces in one chunk',
    [
      [
        { index: 0, id: 'c1', name: 'a', arguments: '{}' },
        { index: 1, id: 'c2', name: 'b', arguments: '{}' },
      ],
    ],
    ['c1 a {}', 'c2 b {}'],
  ],
  ['no name ever', [[{ index: 0, id: 'c1', arguments: '{}' }]], []],
  ['readable before its end', [[{ index: 0, id: 'c1', name: 'a', arguments: '1' }], [{ index: 0, arguments: '2' }]], ['c1 a 12']],
])('%s', (_name, chunks, expected) => {
  expect(brief(chunks.map((pieces) => delta(...pieces)))).toEqual(expected);
});

test('deltas without a chunk, and the old format of calls', () => {
  expect(brief([{ tool_calls: [{ id: 'c1', function: { name: 'a', arguments: '{}' } }] }])).toEqual(['c1 a {}']);
  expect(brief([{ function_call: { name: 'a', arguments: '{"x"' } }, { function_call: { arguments: ':1}' } }])).toEqual(['made a {"x":1}']);
});

describe('incomplete answers are marked', () => {
  const whole = delta({ index: 0, id: 'c1', name: 'a', arguments: '{}' });
  const half = delta({ index: 0, id: 'c1', name: 'a', arguments: '{"x' });

  test.each<readonly [string, readonly unknown[], string, boolean]>([
    ['an end', [whole, end('tool_calls')], 'complete', false],
    ['another end', [whole, end('stop')], 'complete', false],
    ['the finish reason after the last chunk', [whole, '[DONE]'], 'complete', false],
    ['no end', [whole], 'cut-off', true],
    ['the limit', [whole, end('length')], 'cut-off', true],
    ['a filter', [whole, end('content_filter')], 'cut-off', true],
    ['a finish reason that does not show truncated arguments', [half, end('tool_calls')], 'complete', true],
    ['an error in the stream', [whole, { error: { message: 'overloaded' } }], 'fault', true],
  ])('%s', (_name, chunks, ending, truncated) => {
    const answer = assemble(chunks);
    expect(answer.ending).toBe(ending);
    expect(answer.calls.map((call) => call.truncated)).toEqual([truncated]);
  });
});

test('generated ids are reproducible and unique', () => {
  const chunks = [delta({ index: 0, name: 'a', arguments: '{}' }, { index: 1, name: 'a', arguments: '{}' }), end('stop')];
  const ids = assemble(chunks).calls.map(({ callId }) => callId);
  expect(new Set(ids).size).toBe(2);
  expect(assemble(chunks).calls.map(({ callId }) => callId)).toEqual(ids);
  for (const id of ids) expect(id).toMatch(/^call_[A-Za-z0-9]{20}$/);
});
