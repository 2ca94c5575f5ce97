import { expect, test } from 'vitest';
import { unwrapCalls } from '../../src/arguments/unwrap-calls.ts';

const uses = {
  tool_uses: [
    { recipient_name: 'functions.read', parameters: { path: 'a' } },
    { recipient_name: 'write', parameters: '{"path":"b"}' },
    { recipient_name: 'list' },
  ],
};
const inside = [
  { toolName: 'read', callId: 'c1_1', arguments: { path: 'a' } },
  { toolName: 'write', callId: 'c1_2', arguments: '{"path":"b"}' },
  { toolName: 'list', callId: 'c1_3', arguments: {} },
];

test.each(['multi_tool_use.parallel', 'multi_tool_use_parallel', 'parallel'])('calls within %s replace it', (toolName) => {
  const other = { toolName: 'read', callId: 'c0', arguments: '{}' };
  for (const wrapped of [uses, JSON.stringify(uses)])
    expect(unwrapCalls([other, { toolName, callId: 'c1', arguments: wrapped }])).toEqual([other, ...inside]);
});

test('the fields of the call are kept', () => {
  const [first] = unwrapCalls([{ toolName: 'parallel', callId: 'c', arguments: uses, truncated: true }]);
  expect(first).toMatchObject({ toolName: 'read', truncated: true });
});

test.each<readonly [string, string, unknown, readonly string[]]>([
  ['an offered tool', 'parallel', uses, ['parallel']],
  ['another tool', 'read', uses, []],
  ['no list', 'parallel', { tool_uses: 'read' }, []],
  ['an empty list', 'parallel', { tool_uses: [] }, []],
  ['a use without a name', 'parallel', { tool_uses: [{ parameters: {} }] }, []],
  ['a nested wrapper', 'parallel', { tool_uses: [{ recipient_name: 'multi_tool_use.parallel', parameters: {} }] }, []],
  ['a name twice', 'parallel', '{"tool_uses":[{"recipient_name":"read","parameters":{"path":"a","path":"/"}}]}', []],
  [
    'an integer that would be rounded',
    'parallel',
    '{"tool_uses":[{"recipient_name":"read","parameters":{"id":12345678901234567890}}]}',
    [],
  ],
  ['arguments under another name', 'parallel', { tool_uses: [{ recipient_name: 'read', args: { path: 'a' } }] }, []],
  ['truncated', 'parallel', '{"tool_uses":[{"recipient_name":"read"', []],
])('%s is unchanged', (_name, toolName, given, offered) => {
  const calls = [{ toolName, callId: 'c1', arguments: given }];
  expect(unwrapCalls(calls, offered)).toBe(calls);
});
