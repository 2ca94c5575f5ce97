/** Repairing transcripts: valid ones are unchanged, repaired ones are accepted. */
import { AIMessage, AIMessageChunk, ChatMessage, HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages';
import type { BaseMessage } from '@langchain/core/messages';
import { load } from '@langchain/core/load';
import { validate } from '@holdfast/wire';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { reliableTools } from '@holdfast/langchain';
import { results } from './support/tools.ts';

const reliable = reliableTools([]);
const called = (...ids: readonly (string | undefined)[]): AIMessage =>
  new AIMessage({ content: '', tool_calls: ids.map((id) => ({ name: 'w', args: { id: id ?? '' }, ...(id === undefined ? {} : { id }) })) });
const result = (id: string, text = 'fine'): ToolMessage =>
  new ToolMessage({ content: text, tool_call_id: id, name: 'w', artifact: { of: id } });
const user = (text = 'Go on.'): HumanMessage => new HumanMessage(text);

test('a valid transcript is the same list', () => {
  const messages = [
    new SystemMessage('Be brief.'),
    user(),
    called('a', 'b'),
    result('a'),
    result('b'),
    new AIMessage('Done.'),
    new ChatMessage('x', 'critic'),
    user(),
  ];
  expect(reliable.repair(messages)).toBe(messages);
  expect(reliable.repair([])).toEqual([]);
});

test('messages that need no repair stay the same objects', () => {
  const messages = [user(), called('a', 'b'), result('b'), user(), result('a'), new AIMessage('Done.')];
  const repaired = reliable.repair(messages);
  expect(repaired).toHaveLength(messages.length);
  expect(new Set(repaired)).toEqual(new Set(messages));
  expect(repaired.slice(1, 4)).toEqual([messages[1], messages[4], messages[2]]);
});

test('a missing result is added as a failure, with the tool’s name', () => {
  const [, , added] = reliable.repair([user(), called('a')]);
  expect(added).toMatchObject({ type: 'tool', status: 'error', tool_call_id: 'a', name: 'w' });
});

test('calls without an id get one, and their results keep their content', () => {
  const repaired = reliable.repair([user(), called(undefined), result('undefined'), user()]);
  const [call] = (repaired[1] as AIMessage).tool_calls ?? [];
  expect(call?.id).toMatch(/^call_/);
  expect(repaired[2]).toMatchObject({ tool_call_id: call?.id, content: 'fine', artifact: { of: 'undefined' }, name: 'w' });
  expect(repaired[2]).toBeInstanceOf(ToolMessage);
});

describe('calls that LangChain could not read', () => {
  const unread = (extra: object = {}): AIMessage =>
    new AIMessage({
      content: '',
      tool_calls: [],
      invalid_tool_calls: [{ name: 'w', id: 'a', args: '{"city":', error: 'Malformed' }],
      additional_kwargs: { tool_calls: [{ id: 'a', type: 'function', function: { name: 'w', arguments: '{"city":' } }] },
      ...extra,
    });

  test('are still calls, and get a result', () => {
    const repaired = reliable.repair([user(), unread(), user()]);
    expect(repaired[1]).toMatchObject({ tool_calls: [{ name: 'w', id: 'a', args: {} }], invalid_tool_calls: [], additional_kwargs: {} });
    expect(results(repaired)).toMatchObject([{ tool_call_id: 'a', status: 'error' }]);
  });

  test('in the order of the model, when it is read', () => {
    const own = reliableTools([{ name: 'w', invoke: () => Promise.resolve('') } as never], { tools: { w: { effect: 'read' } } });
    const answer = new AIMessage({
      content: [
        { type: 'tool_use', id: 'a', name: 'w', input: '{' },
        { type: 'tool_use', id: 'b', name: 'w', input: {} },
      ],
      tool_calls: [{ name: 'w', id: 'b', args: {} }],
      invalid_tool_calls: [
        { name: 'w', id: 'a', args: "{'n': 1}" },
        { name: 'stranger', id: 'c', args: '{' },
        { name: 'w', args: '{' },
      ],
    });
    const read = own.readCalls(answer);
    expect(read.tool_calls).toMatchObject([
      { id: 'a', args: { n: 1 } },
      { id: 'b', args: {} },
    ]);
    expect(read.invalid_tool_calls).toMatchObject([{ id: 'c' }, { name: 'w' }]);
    expect(read.content).toMatchObject([{ id: 'a', input: { n: 1 } }, { id: 'b' }]);
    expect(own.readCalls(read)).toBe(read);
  });

  test('an answer without calls is the same object', () => {
    const answer = called('a');
    expect(reliable.readCalls(answer)).toBe(answer);
  });
});

test('blocks of calls are removed and changed with their calls; other blocks are kept', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 's' },
    { type: 'text', text: 'Looking.' },
    { type: 'tool_use', id: 'a', name: 'w', input: { n: 1 } },
    { type: 'tool_use', id: 'a', name: 'w', input: { n: 1 } },
  ];
  const twice = { name: 'w', id: 'a', args: { n: 1 } };
  const answer = new AIMessage({ content, tool_calls: [twice, { ...twice }] });
  const [, repaired] = reliable.repair([user(), answer, result('a'), user()]) as unknown as readonly [unknown, AIMessage];
  expect(repaired.tool_calls).toHaveLength(1);
  expect((repaired.content as readonly { readonly type: string }[]).map(({ type }) => type).slice(0, 2)).toEqual(['thinking', 'text']);
  expect(answer.content).toBe(content);
});

test('arguments are written as text once, however often their messages are repaired', () => {
  let written = 0;
  const args = { toJSON: () => ({ n: ++written }) };
  const messages = [user(), new AIMessage({ content: '', tool_calls: [{ name: 'w', id: 'a', args }] }), result('a')];
  for (let step = 0; step < 3; step++) expect(reliable.repair(messages)).toBe(messages);
  expect(written).toBe(1);
});

test('a repaired streamed answer can be saved and restored', async () => {
  const chunk = { type: 'tool_call_chunk' as const, name: 'w', args: '{"n":1}', index: 0, id: 'long'.repeat(40) };
  const [, repaired] = reliable.repair([user(), new AIMessageChunk({ content: '', tool_call_chunks: [chunk], id: 'run-1' }), user()]);
  const saved = await load<AIMessage>(JSON.stringify(repaired));
  expect(saved.tool_calls).toMatchObject([{ name: 'w', args: { n: 1 }, id: (repaired as AIMessage).tool_calls?.[0]?.id }]);
  expect(saved.id).toBe('run-1');
});

const message = fc.oneof(
  fc.array(fc.constantFrom('a', 'b', 'c', '', undefined), { maxLength: 3 }).map((ids) => called(...ids)),
  fc.constantFrom('a', 'b', 'c', '').map((id) => result(id)),
  fc.constantFrom('Go on.', 'half \ud800').map(user),
  fc.constant(new AIMessage('Well.')),
  fc.constant(null).map(() => new AIMessage({ content: '', invalid_tool_calls: [{ name: 'w', id: 'c', args: '{' }] })),
);

test('for any transcript: the provider accepts it, the input is not modified, repairing again changes nothing', () => {
  const wire = (messages: readonly BaseMessage[]) => ({
    model: 'gpt-5.2',
    messages: messages.map((each) => {
      const calls = ((each as AIMessage).tool_calls ?? []).map(({ id, name, args }) => ({
        id,
        type: 'function',
        function: { name, arguments: JSON.stringify(args) },
      }));
      if (each.type === 'tool') return { role: 'tool', tool_call_id: (each as ToolMessage).tool_call_id, content: each.text };
      return each.type === 'ai'
        ? { role: 'assistant', content: each.text, ...(calls.length > 0 ? { tool_calls: calls } : {}) }
        : { role: 'user', content: each.text };
    }),
  });
  fc.assert(
    fc.property(fc.array(message, { maxLength: 12 }), (drawn) => {
      const messages = [user(), ...drawn];
      const before = JSON.stringify(messages);
      const repaired = reliable.repair(messages);
      expect(JSON.stringify(messages)).toBe(before);
      expect(validate(wire(repaired), { format: 'openai-chat' }).problems).toEqual([]);
      expect(reliable.repair(repaired)).toBe(repaired);
      const real = results(repaired).filter(({ status }) => status !== 'error');
      expect(real.every((each) => messages.some((given) => given.content === each.content))).toBe(true);
    }),
  );
});

test('an unreadable value is returned unchanged', () => {
  const hostile = [7, { type: 'ai', tool_calls: 'x' }] as never as BaseMessage[];
  expect(reliable.repair(hostile)).toBe(hostile);
});
