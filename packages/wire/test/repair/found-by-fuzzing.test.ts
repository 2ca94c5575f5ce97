/** Cases found by fuzzing: each was once refused, lost, reported wrongly or slow. */
import { checkRequest, type WireFormat } from '@holdfast/provider-double';
import { repair } from '@holdfast/wire';
import { describe, expect, it } from 'vitest';

interface Found {
  readonly title: string;
  readonly format: WireFormat;
  readonly profile?: 'deepseek' | 'kimi' | 'openai';
  readonly request: object;
  /** What the repaired request must contain. */
  readonly keeps?: readonly string[];
}

const chat = (content: unknown, role = 'user'): object => ({
  messages: [{ role, content }, ...(role === 'user' ? [] : [{ role: 'user', content: 'u' }])],
});
const use = (id: string): object => ({ type: 'tool_use', id, name: 'a', input: {} });
const result = (id: string): object => ({ type: 'tool_result', tool_use_id: id, content: 'r' });

const found: readonly Found[] = [
  {
    title: 'pieces of a content that are nothing',
    format: 'openai-chat',
    request: chat([null, {}, { type: 'text', text: 'kept' }]),
    keeps: ['kept'],
  },
  {
    title: 'a piece of text that does not say what it is',
    format: 'openai-chat',
    request: chat([{ text: 'kept' }, 'bare']),
    keeps: ['kept', 'bare'],
  },
  { title: 'a content that is a number', format: 'openai-chat', request: chat(7), keeps: ['7'] },
  {
    title: 'an image in a result',
    format: 'openai-chat',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'image', url: 'kept' }] },
      ],
    },
    keeps: ['kept'],
  },
  {
    title: 'nothing behind the calls of a message',
    format: 'openai-chat',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'a', arguments: '{}' } }, null] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
      ],
    },
  },
  {
    title: 'pieces of a result that are nothing',
    format: 'bedrock-converse',
    request: {
      modelId: 'amazon.nova-pro-v1:0',
      toolConfig: { tools: [{ toolSpec: { name: 'a', inputSchema: { json: { type: 'object' } } } }] },
      messages: [
        { role: 'user', content: [{ text: 'u' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'a', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [null, Number.NaN, 'kept'] } }] },
      ],
    },
    keeps: ['kept'],
  },
  {
    title: 'pieces of a result that are nothing',
    format: 'anthropic-messages',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [use('toolu_1')] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: [null, 'kept'] }] },
      ],
    },
    keeps: ['kept'],
  },
  {
    title: 'pieces of an item that are nothing',
    format: 'openai-responses',
    request: { input: [{ role: 'user', content: [null, {}, { text: 'kept' }] }] },
    keeps: ['kept'],
  },
  {
    title: 'item ids with blanks, or of another type',
    format: 'openai-responses',
    request: {
      input: [
        { type: 'message', role: 'user', id: 'item_1', content: 'u' },
        { type: 'function_call', id: 'fc_a b', call_id: 'c', name: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'r' },
      ],
    },
  },
  {
    title: 'instructions between reasoning and its call',
    format: 'openai-responses',
    request: {
      input: [
        { role: 'user', content: 'u' },
        { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'kept' },
        { role: 'developer', content: 'd' },
        { type: 'function_call', id: 'fc_1', call_id: 'c', name: 'a', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'r' },
      ],
    },
    keeps: ['kept', 'fc_1'],
  },
  {
    title: 'a call before the server tools of the next message of the same turn',
    format: 'anthropic-messages',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [use('toolu_1')] },
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 's', content: [] },
          ],
        },
        { role: 'user', content: [result('toolu_1')] },
      ],
    },
  },
  {
    title: 'a server tool without a result, in front of another message of the model',
    format: 'anthropic-messages',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [{ type: 'server_tool_use', id: 's', name: 'web_search', input: {} }] },
        { role: 'assistant', content: 'kept' },
        { role: 'user', content: 'u' },
      ],
    },
    keeps: ['kept'],
  },
  {
    title: 'a last turn of nothing, behind which results were put',
    format: 'anthropic-messages',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [use('toolu_1')] },
        { role: 'assistant', content: [] },
      ],
    },
  },
  {
    title: 'an MCP tool without a result',
    format: 'anthropic-messages',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [{ type: 'mcp_tool_use', id: 'm', name: 'q', server_name: 's', input: {} }] },
        { role: 'user', content: 'u' },
      ],
    },
  },
  {
    title: 'a message with nothing but a result of no server tool',
    format: 'anthropic-messages',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [{ type: 'web_search_tool_result', tool_use_id: 'none', content: [] }] },
        { role: 'user', content: 'kept' },
      ],
    },
    keeps: ['kept'],
  },
  {
    title: 'thinking of a later step that is lost',
    format: 'anthropic-messages',
    profile: 'deepseek',
    request: {
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [{ type: 'thinking', thinking: 't', signature: 's' }, use('toolu_1')] },
        { role: 'user', content: [result('toolu_1')] },
        { role: 'assistant', content: [use('toolu_2')] },
        { role: 'user', content: [result('toolu_2')] },
      ],
    },
  },
  {
    title: 'a document beside results',
    format: 'bedrock-converse',
    request: {
      modelId: 'anthropic.claude-sonnet-4-v1:0',
      toolConfig: { tools: [{ toolSpec: { name: 'a', inputSchema: { json: { type: 'object' } } } }] },
      messages: [
        { role: 'user', content: [{ text: 'u' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'a', input: {} } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: 'c', content: [{ text: 'r' }] } },
            { text: 'u' },
            { document: { name: 'kept', format: 'txt', source: {} } },
          ],
        },
      ],
    },
    keeps: ['kept'],
  },
  {
    title: 'tools that are made of names which are not allowed',
    format: 'bedrock-converse',
    request: {
      modelId: 'amazon.nova-pro-v1:0',
      messages: [
        { role: 'user', content: [{ text: 'u' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: 'c', name: 'a.b', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: 'c', content: [{ text: 'r' }] } }] },
      ],
    },
  },
  {
    title: 'words in a message of results',
    format: 'ai-sdk',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} }] },
        {
          role: 'tool',
          content: [
            { type: 'tool-result', toolCallId: 'c', toolName: 'a', output: { type: 'text', value: 'r' } },
            { type: 'text', text: 'kept' },
            'bare',
          ],
        },
      ],
    },
    keeps: ['kept', 'bare'],
  },
  {
    title: 'an approval of an earlier call with the same id',
    format: 'ai-sdk',
    request: {
      messages: [
        { role: 'user', content: 'u' },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} },
            { type: 'tool-approval-request', approvalId: 'p', toolCallId: 'c' },
          ],
        },
        {
          role: 'tool',
          content: [
            { type: 'tool-approval-response', approvalId: 'p', approved: true },
            { type: 'tool-result', toolCallId: 'c', toolName: 'a', output: { type: 'text', value: 'r' } },
          ],
        },
        { role: 'user', content: 'u' },
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'a', input: {} }] },
        { role: 'tool', content: [] },
      ],
    },
  },
];

describe.each(found)('$format: $title', ({ format, profile, request, keeps }) => {
  const options = { format, ...(profile ? { profile } : {}) };
  it('is repaired by one repair', () => {
    const repaired = repair(request, options);
    expect(repaired.problems).toEqual([]);
    expect(repaired.changes).not.toEqual([]);
    expect(checkRequest({ ...options, request: repaired.request })).toEqual([]);
    expect(repair(repaired.request, options).request).toBe(repaired.request);
    for (const word of keeps ?? []) expect(JSON.stringify(repaired.request)).toContain(word);
  });
});

describe('reports', () => {
  it('contain removed messages as they were', () => {
    const orphan = { role: 'tool', tool_call_id: 'none', content: null };
    const { changes } = repair({ messages: [{ role: 'user', content: 'u' }, orphan] }, { format: 'openai-chat' });
    expect(changes).toEqual([{ rule: 'orphan-result', action: 'removed', path: 'messages.1', before: orphan }]);
  });

  it('contain added messages as they are sent', () => {
    const given = { messages: [{ role: 'user', content: [{ type: 'text', text: 'u' }, use('toolu_1'), result('toolu_1')] }] };
    const { request, changes } = repair(given, { format: 'anthropic-messages' });
    const added = changes.filter(({ action, rule }) => action === 'added' && rule === 'role');
    expect(added.length).toBeGreaterThan(0);
    for (const { path, after } of added) expect(request.messages[Number(path.split('.')[1])]).toEqual(after);
  });
});
