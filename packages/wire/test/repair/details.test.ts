/** Single decisions of a repair that the corpus does not cover. */
import { repair, type Change } from '@holdfast/wire';
import { describe, expect, test } from 'vitest';

const asked = { role: 'user', content: 'go' };
const call = (id: string, name = 't', text = '{}') => ({ id, type: 'function', function: { name, arguments: text } });
const calls = (...list: readonly object[]) => ({ role: 'assistant', content: null, tool_calls: list });
const result = (id: string, content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content });
const rulesOf = (changes: readonly Change[]): readonly string[] => changes.map(({ rule }) => rule);
const contents = (request: { readonly messages: readonly object[] }): readonly unknown[] =>
  request.messages.map((message) => ('content' in message ? message.content : undefined));
const chat = (...messages: readonly object[]) => repair({ model: 'm', messages }, { format: 'openai-chat' });

describe('pairing', () => {
  test('a result before its call is moved behind it', () => {
    const { request, changes } = chat(asked, result('a', '1'), calls(call('a')));
    expect(contents(request)).toEqual(['go', null, '1']);
    expect(changes).toEqual([{ rule: 'result-place', action: 'moved', path: 'messages.1', before: 'messages.1', after: 'messages.2' }]);
  });

  test('the late result of a reused id belongs to the open turn', () => {
    const { request } = chat(asked, calls(call('x')), result('x', 'first'), asked, calls(call('x')), asked, result('x', 'second'));
    expect(contents(request)).toEqual(['go', null, 'first', 'go', null, 'second', 'go']);
  });

  test('a second result of an earlier turn is not used for an open call of a later one', () => {
    const { request, changes } = chat(asked, calls(call('x')), result('x', 'first'), result('x', 'first'), asked, calls(call('x')));
    expect(contents(request)).toHaveLength(6);
    expect(contents(request)[2]).toBe('first');
    expect(contents(request)[5]).toMatch(/no result was recorded/);
    expect(rulesOf(changes)).toEqual(['duplicate-result', 'missing-result']);
  });

  test('of adjacent different results the last counts, and a real one before a placeholder', () => {
    expect(contents(chat(asked, calls(call('a')), result('a', '1'), result('a', '2')).request)).toEqual(['go', null, '2']);
    const placeholder = chat(asked, calls(call('a'))).request.messages[2] ?? {};
    expect(contents(chat(asked, calls(call('a')), result('a', 'real'), placeholder).request)).toEqual(['go', null, 'real']);
    expect(contents(chat(asked, calls(call('a')), placeholder, result('a', 'real')).request)).toEqual(['go', null, 'real']);
  });

  test('a result with an unknown id is never used for an open call', () => {
    const { request, changes } = chat(asked, calls(call('a')), result('b', 'secret of another call'));
    expect(JSON.stringify(request)).not.toContain('secret');
    expect(rulesOf(changes).toSorted()).toEqual(['missing-result', 'orphan-result']);
  });

  test('different calls with one id get separate ids, in order', () => {
    const { request } = chat(asked, calls(call('x', 't', '{"n":1}'), call('x', 't', '{"n":2}')), result('x', '1'), result('x', '2'));
    const [, assistant, first, second] = request.messages as readonly {
      tool_calls?: readonly { id: string }[];
      tool_call_id?: string;
      content: unknown;
    }[];
    expect(assistant?.tool_calls?.map(({ id }) => id)).toEqual([first?.tool_call_id, second?.tool_call_id]);
    expect([first?.content, second?.content]).toEqual(['1', '2']);
    expect(first?.tool_call_id).toBe('x');
  });
});

describe('ids and names', () => {
  test('two long ids with the same prefix remain different', () => {
    const [one, other] = [`${'x'.repeat(60)}1`, `${'x'.repeat(60)}2`];
    const { request, mapping } = chat(asked, calls(call(one), call(other)), result(one), result(other));
    const ids = (request.messages[1] as { tool_calls: readonly { id: string }[] }).tool_calls.map(({ id }) => id);
    expect(new Set(ids).size).toBe(2);
    expect(ids.map(mapping.toOriginal)).toEqual([one, other]);
    expect(ids.every((id) => id.length <= 40)).toBe(true);
  });

  test('names that would become equal remain different, in definitions, choice and transcript', () => {
    const { request, mapping } = repair(
      {
        model: 'claude-opus-4-8',
        tools: [
          { name: 'foo/bar', input_schema: { type: 'object' } },
          { name: 'foo_bar', input_schema: { type: 'object' } },
        ],
        tool_choice: { type: 'tool', name: 'foo/bar' },
        messages: [
          asked,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'foo/bar', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] },
        ],
      },
      { format: 'anthropic-messages' },
    );
    const [first, second] = request.tools;
    expect(second?.name).toBe('foo_bar');
    expect(first?.name).not.toBe('foo_bar');
    expect(request.tool_choice.name).toBe(first?.name);
    expect(JSON.stringify(request.messages[1])).toContain(`"name":"${first?.name ?? ''}"`);
    expect(mapping.toOriginal(first?.name ?? '')).toBe('foo/bar');
  });

  test('later messages do not change earlier repairs', () => {
    const start = [asked, calls(call('ü')), result('ü'), asked, calls(call('')), result('')];
    const short = chat(...start).request.messages;
    const long = chat(...start, asked, calls(call('ü')), result('ü'), calls(call(''))).request.messages;
    expect(long.slice(0, short.length)).toEqual(short);
  });

  test('unchanged messages are the same objects', () => {
    const messages = [asked, calls(call('a')), result('a'), asked, calls(call('b'))];
    const { request } = repair({ messages }, { format: 'openai-chat' });
    expect(request.messages.slice(0, 5).every((message, index) => message === messages[index])).toBe(true);
    expect(request.messages).toHaveLength(6);
  });
});

describe('tools and requests', () => {
  test('a result that matches none of the calls held by the provider is reported', () => {
    const request = { model: 'gpt-5.2', previous_response_id: 'resp_1', input: [{ type: 'function_call_output', output: 'ok' }] };
    const repaired = repair(request, { format: 'openai-responses' });
    expect(repaired.problems).toMatchObject([{ rule: 'server-state', kind: 'state', path: 'input.0' }]);
    expect(repaired.request).toBe(request);
  });

  test('choices without tools, empty lists, null keywords', () => {
    const { request, problems } = repair(
      { messages: [asked], tools: [], tool_choice: 'auto', parallel_tool_calls: true },
      { format: 'openai-chat' },
    );
    expect(request).toEqual({ messages: [asked] });
    expect(problems).toEqual([]);
    const parameters = { type: 'object', properties: { a: { type: 'object', properties: {}, required: null } }, required: null };
    const cleaned = repair(
      { messages: [asked], tools: [{ type: 'function', function: { name: 'f', parameters } }] },
      { format: 'openai-chat' },
    );
    expect(JSON.stringify(cleaned.request.tools)).not.toContain('null');
    const chosen = {
      messages: [asked],
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: { type: 'function', function: { name: 'g' } },
    };
    expect(repair(chosen, { format: 'openai-chat' }).problems.map(({ rule, kind }) => [rule, kind])).toEqual([
      ['tool-choice', 'definition'],
    ]);
  });

  test('a call of the provider within the transcript gets its result; a result without its call is removed', () => {
    const use = { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} };
    const messages = [asked, { role: 'assistant', content: [use] }, { role: 'user', content: 'next' }];
    const { request, changes } = repair({ model: 'claude-opus-4-8', messages }, { format: 'anthropic-messages' });
    expect(JSON.stringify(request.messages[1])).toContain('web_search_tool_result_error');
    expect(rulesOf(changes)).toEqual(['server-tool-pair']);
    const stray = [
      asked,
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'web_search_tool_result', tool_use_id: 'x', content: [] },
        ],
      },
      asked,
    ];
    expect(repair({ messages: stray }, { format: 'anthropic-messages' }).changes).toMatchObject([
      { rule: 'server-tool-pair', action: 'removed' },
    ]);
  });

  test('UI messages: a call that waits for an approval that was not given is denied', () => {
    const part = { type: 'tool-rm', toolCallId: 'c', state: 'approval-requested', input: {}, approval: { id: 'ap' } };
    const running = { type: 'tool-rm', toolCallId: 'd', state: 'input-available', input: {} };
    const messages = [
      { role: 'user', parts: [] },
      { role: 'assistant', parts: [part, running] },
      { role: 'user', parts: [{ type: 'text', text: 'never mind' }] },
    ];
    const { request, changes } = repair({ uiMessages: messages }, { format: 'ai-sdk-ui' });
    expect(request.uiMessages[1]?.parts).toMatchObject([
      { state: 'output-denied', approval: { id: 'ap', approved: false } },
      { state: 'output-error', errorText: expect.stringMatching(/may or may not have run/) as string },
    ]);
    expect(rulesOf(changes)).toEqual(['missing-result', 'missing-result']);
    expect(repair(request, { format: 'ai-sdk-ui' }).request).toBe(request);
    const open = { uiMessages: messages.slice(0, 2) };
    expect(repair(open, { format: 'ai-sdk-ui' }).request).toBe(open);
  });

  test('an approval that was refused is reported as refused', () => {
    const messages = [
      asked,
      {
        role: 'assistant',
        content: [
          { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} },
          { type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'c' },
        ],
      },
      asked,
    ];
    const { request } = repair({ messages }, { format: 'ai-sdk' });
    expect(JSON.stringify(request.messages[2])).toContain('execution-denied');
  });

  test('the result of a call of the provider that was denied is kept as the framework wrote it', () => {
    const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'mcp.pay', input: {}, providerExecuted: true };
    const request = { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'c1' };
    const response = { type: 'tool-approval-response', approvalId: 'a1', approved: false, reason: 'no', providerExecuted: true };
    const denied = { type: 'tool-result', toolCallId: 'c1', toolName: 'mcp.pay', output: { type: 'execution-denied', reason: 'no' } };
    const answered = (content: readonly unknown[]): object => ({
      messages: [
        asked,
        { role: 'assistant', content: [call, request] },
        { role: 'tool', content },
        { role: 'assistant', content: 'Denied.' },
        asked,
      ],
    });
    for (const content of [[response, denied], [response]]) {
      const given = answered(content);
      expect(repair(given, { format: 'ai-sdk' })).toMatchObject({ changes: [], problems: [] });
      expect(repair(given, { format: 'ai-sdk' }).request).toBe(given);
    }
    const other = { ...denied, output: { type: 'text', value: 'paid' } };
    expect(repair(answered([other]), { format: 'ai-sdk' }).changes.map(({ rule }) => rule)).toContain('orphan-result');
  });
});
