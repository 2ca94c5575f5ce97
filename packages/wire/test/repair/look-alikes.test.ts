/** Valid requests that look like broken ones: none is touched. */
import { checkRequest, type WireFormat } from '@holdfast/provider-double/rules';
import { repair, validate, type Format } from '@holdfast/wire';
import { expect, test } from 'vitest';

interface LookAlike {
  readonly title: string;
  readonly format: Format;
  readonly profile?: 'openai' | 'deepseek' | 'mistral' | 'kimi' | 'vllm';
  readonly request: Readonly<Record<string, unknown>>;
  /** The double holds no state. */
  readonly unjudged?: true;
}

const call = (id: string, name = 't', text = '{}') => ({ id, type: 'function', function: { name, arguments: text } });
const asked = { role: 'user', content: 'go' };
const use = (id: string) => ({ type: 'tool_use', id, name: 't', input: {} });
const answer = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'ok' });
const functionCall = (call_id: string, more: object = {}) => ({ type: 'function_call', call_id, name: 't', arguments: '{}', ...more });
const functionOutput = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'ok' });
const reasoning = (id: string) => ({ type: 'reasoning', id, summary: [], encrypted_content: 'x' });
const bedrockTools = { tools: [{ toolSpec: { name: 't', inputSchema: { json: { type: 'object' } } } }] };
const claude = { model: 'claude-opus-4-8', max_tokens: 9 };

const lookAlikes: readonly LookAlike[] = [
  {
    title: 'several system messages and developers',
    format: 'openai-chat',
    request: {
      model: 'm',
      messages: [{ role: 'system', content: 'a' }, { role: 'developer', content: 'b' }, asked, { role: 'system', content: 'c' }],
    },
  },
  {
    title: 'parts of text in a result',
    format: 'openai-chat',
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', tool_calls: [call('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'a' }] },
      ],
    },
  },
  {
    title: 'a refusal without content',
    format: 'openai-chat',
    request: { model: 'm', messages: [asked, { role: 'assistant', content: null, refusal: 'no' }, asked] },
  },
  {
    title: 'arguments that are no JSON, where nobody reads them',
    format: 'openai-chat',
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', content: null, tool_calls: [call('c1', 't', '{"a":')] },
        { role: 'tool', tool_call_id: 'c1', content: 'bad' },
      ],
    },
  },
  {
    title: 'an error told in the text of a result',
    format: 'openai-chat',
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', content: null, tool_calls: [call('c1')] },
        { role: 'tool', tool_call_id: 'c1', content: 'Error: no result was recorded' },
      ],
    },
  },
  {
    title: 'an id used again in a later turn',
    format: 'openai-chat',
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', content: null, tool_calls: [call('t:0')] },
        { role: 'tool', tool_call_id: 't:0', content: '1' },
        { role: 'assistant', content: null, tool_calls: [call('t:0')] },
        { role: 'tool', tool_call_id: 't:0', content: '2' },
      ],
    },
  },
  {
    title: 'native ids of Kimi',
    format: 'openai-chat',
    profile: 'kimi',
    request: {
      model: 'kimi-k2',
      messages: [
        asked,
        { role: 'assistant', content: null, tool_calls: [call('functions.t:0'), call('functions.t:1')] },
        { role: 'tool', tool_call_id: 'functions.t:0', content: '1' },
        { role: 'tool', tool_call_id: 'functions.t:1', content: '1' },
      ],
    },
  },
  {
    title: 'two equal calls with ids of their own',
    format: 'openai-chat',
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
        { role: 'tool', tool_call_id: 'b', content: '1' },
      ],
    },
  },
  {
    title: 'reasoning beside the calls',
    format: 'openai-chat',
    profile: 'deepseek',
    request: {
      model: 'deepseek-reasoner',
      messages: [
        asked,
        { role: 'assistant', content: '', reasoning_content: 'because', tool_calls: [call('a')] },
        { role: 'tool', tool_call_id: 'a', content: '1' },
      ],
    },
  },
  {
    title: 'a legacy function call',
    format: 'openai-chat',
    unjudged: true,
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', content: null, function_call: { name: 't', arguments: '{}' } },
        { role: 'function', name: 't', content: 'ok' },
      ],
    },
  },
  {
    title: 'a custom tool call with free text',
    format: 'openai-chat',
    unjudged: true,
    request: {
      model: 'm',
      messages: [
        asked,
        { role: 'assistant', content: null, tool_calls: [{ id: 'a', type: 'custom', custom: { name: 'x', input: 'not json' } }] },
        { role: 'tool', tool_call_id: 'a', content: 'ok' },
      ],
    },
  },
  { title: 'the form of text as content', format: 'openai-responses', request: { model: 'gpt-5.2', input: 'hello' } },
  {
    title: 'results far behind their calls',
    format: 'openai-responses',
    request: {
      model: 'gpt-5.2',
      input: [{ role: 'user', content: 'a' }, functionCall('c1'), { role: 'user', content: 'b' }, functionOutput('c1')],
    },
  },
  {
    title: 'one reasoning item for several calls',
    format: 'openai-responses',
    request: {
      model: 'gpt-5.2',
      store: false,
      input: [
        { role: 'user', content: 'a' },
        reasoning('rs_1'),
        functionCall('c1', { id: 'fc_1' }),
        functionCall('c2', { id: 'fc_2' }),
        functionOutput('c1'),
        functionOutput('c2'),
      ],
    },
  },
  {
    title: 'item ids of a model that does not reason',
    format: 'openai-responses',
    request: { model: 'gpt-4.1', input: [{ role: 'user', content: 'a' }, functionCall('c1', { id: 'fc_1' }), functionOutput('c1')] },
  },
  {
    title: 'results of calls that the provider holds',
    format: 'openai-responses',
    unjudged: true,
    request: { model: 'gpt-5.2', previous_response_id: 'resp_1', input: [functionOutput('c1'), functionOutput('c2')] },
  },
  {
    title: 'a conversation that the provider holds',
    format: 'openai-responses',
    unjudged: true,
    request: { model: 'gpt-5.2', conversation: { id: 'conv_1' }, input: [functionOutput('c1'), { role: 'user', content: 'x' }] },
  },
  {
    title: 'a reference to a stored item',
    format: 'openai-responses',
    unjudged: true,
    request: { model: 'gpt-5.2', input: [{ type: 'item_reference', id: 'fc_1' }, functionOutput('c1')] },
  },
  {
    title: 'items of tools that the provider runs',
    format: 'openai-responses',
    unjudged: true,
    request: {
      model: 'gpt-5.2',
      input: [
        { role: 'user', content: 'a' },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        {
          type: 'message',
          id: 'msg_1',
          role: 'assistant',
          status: 'completed',
          content: [{ type: 'output_text', text: 'x', annotations: [] }],
        },
        { role: 'user', content: 'b' },
      ],
    },
  },
  {
    title: 'results in two messages of the user',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [
        asked,
        { role: 'assistant', content: [use('a'), use('b')] },
        { role: 'user', content: [answer('a')] },
        { role: 'user', content: [answer('b'), { type: 'text', text: 'go on' }] },
      ],
    },
  },
  {
    title: 'a turn of the model in two messages',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [
        asked,
        { role: 'assistant', content: [use('a')] },
        { role: 'assistant', content: [use('b')] },
        { role: 'user', content: [answer('a'), answer('b')] },
      ],
    },
  },
  {
    title: 'results in another order than their calls',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [asked, { role: 'assistant', content: [use('a'), use('b')] }, { role: 'user', content: [answer('b'), answer('a')] }],
    },
  },
  {
    title: 'a result without content',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [asked, { role: 'assistant', content: [use('a')] }, { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a' }] }],
    },
  },
  {
    title: 'thinking in earlier turns, none asked for now',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [
        asked,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 's' }, use('a')] },
        { role: 'user', content: [answer('a')] },
      ],
    },
  },
  {
    title: 'redacted thinking first',
    format: 'anthropic-messages',
    request: {
      ...claude,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [
        asked,
        { role: 'assistant', content: [{ type: 'redacted_thinking', data: 'x' }, { type: 'text', text: 'a' }, use('a')] },
        { role: 'user', content: [answer('a')] },
      ],
    },
  },
  {
    title: 'thinking once in a turn, with an older model',
    format: 'anthropic-messages',
    unjudged: true,
    request: {
      model: 'claude-3-7-sonnet-20250219',
      max_tokens: 9,
      thinking: { type: 'enabled', budget_tokens: 1024 },
      messages: [
        asked,
        { role: 'assistant', content: [{ type: 'thinking', thinking: 'x', signature: 's' }, use('a')] },
        { role: 'user', content: [answer('a')] },
        { role: 'assistant', content: [use('b')] },
        { role: 'user', content: [answer('b')] },
      ],
    },
  },
  {
    title: 'adaptive thinking without a block',
    format: 'anthropic-messages',
    request: {
      ...claude,
      thinking: { type: 'adaptive' },
      messages: [asked, { role: 'assistant', content: [use('a')] }, { role: 'user', content: [answer('a')] }],
    },
  },
  {
    title: 'a tool of the provider with its result',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            use('a'),
          ],
        },
        { role: 'user', content: [answer('a')] },
      ],
    },
  },
  {
    title: 'a paused turn of the model',
    format: 'anthropic-messages',
    request: {
      ...claude,
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'a' },
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
          ],
        },
      ],
    },
  },
  {
    title: 'a beginning of the answer, with an older model',
    format: 'anthropic-messages',
    request: { model: 'claude-3-5-haiku-20241022', max_tokens: 9, messages: [asked, { role: 'assistant', content: '{' }] },
  },
  {
    title: 'tools in the transcript, none offered',
    format: 'anthropic-messages',
    request: { ...claude, messages: [asked, { role: 'assistant', content: [use('a')] }, { role: 'user', content: [answer('a')] }] },
  },
  {
    title: 'ids on both sides, with text beside the results',
    format: 'gemini',
    request: {
      model: 'gemini-2.5-flash',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ functionCall: { id: '1', name: 't', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { id: '1', name: 't', response: { output: 1 } } }, { text: 'go on' }] },
      ],
    },
  },
  {
    title: 'the role of functions',
    format: 'gemini',
    request: {
      model: 'gemini-2.5-flash',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ functionCall: { name: 't', args: {} } }] },
        { role: 'function', parts: [{ functionResponse: { name: 't', response: { output: 1 } } }] },
      ],
    },
  },
  {
    title: 'a call without arguments',
    format: 'gemini',
    request: {
      model: 'gemini-2.5-flash',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ functionCall: { name: 't' } }] },
        { role: 'user', parts: [{ functionResponse: { name: 't', response: { output: 1 } } }] },
      ],
    },
  },
  {
    title: 'the older spelling of fields',
    format: 'gemini',
    request: {
      model: 'gemini-2.5-flash',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ function_call: { name: 't', args: {} }, thought_signature: 's' }] },
        { role: 'user', parts: [{ function_response: { name: 't', response: { output: 1 } } }] },
      ],
    },
  },
  {
    title: 'a signature that came with an empty text',
    format: 'gemini',
    request: {
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ text: 'b' }, { text: '', thoughtSignature: 's' }] },
        { role: 'user', parts: [{ text: 'c' }] },
      ],
    },
  },
  {
    title: 'calls of earlier turns without signatures',
    format: 'gemini',
    request: {
      model: 'gemini-3-pro',
      contents: [
        { role: 'user', parts: [{ text: 'a' }] },
        { role: 'model', parts: [{ functionCall: { name: 't', args: {} } }] },
        { role: 'user', parts: [{ functionResponse: { name: 't', response: {} } }] },
        { role: 'model', parts: [{ text: 'ok' }] },
        { role: 'user', parts: [{ text: 'b' }] },
      ],
    },
  },
  {
    title: 'an empty result of a success',
    format: 'bedrock-converse',
    request: {
      modelId: 'anthropic.claude-3-5-sonnet',
      toolConfig: bedrockTools,
      messages: [
        { role: 'user', content: [{ text: 'a' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: '1', name: 't', input: {} } }] },
        { role: 'user', content: [{ toolResult: { toolUseId: '1', content: [] } }] },
      ],
    },
  },
  {
    title: 'binary data in a result',
    format: 'bedrock-converse',
    request: {
      modelId: 'anthropic.claude-3-5-sonnet',
      toolConfig: bedrockTools,
      messages: [
        { role: 'user', content: [{ text: 'a' }] },
        { role: 'assistant', content: [{ toolUse: { toolUseId: '1', name: 't', input: {} } }] },
        {
          role: 'user',
          content: [
            { toolResult: { toolUseId: '1', content: [{ image: { format: 'png', source: { bytes: new Uint8Array([1]) } } }] } },
            { text: 'b' },
          ],
        },
      ],
    },
  },
  {
    title: 'an answer to a request for approval',
    format: 'ai-sdk',
    request: {
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {} },
            { type: 'tool-approval-request', approvalId: 'ap', toolCallId: 'c' },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ap', approved: true }] },
      ],
    },
  },
  {
    title: 'a call that the provider ran',
    format: 'ai-sdk',
    request: {
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'c', toolName: 't', input: {}, providerExecuted: true },
            { type: 'tool-result', toolCallId: 'c', toolName: 't', output: { type: 'json', value: [] } },
            { type: 'text', text: 'ok' },
          ],
        },
        asked,
      ],
    },
  },
  {
    title: 'results in several tool messages',
    format: 'ai-sdk',
    request: {
      messages: [
        asked,
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'a', toolName: 't', input: {} },
            { type: 'tool-call', toolCallId: 'b', toolName: 't', input: {} },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'b', toolName: 't', output: { type: 'text', value: '' } }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', toolName: 't', output: { type: 'text', value: '' } }] },
      ],
    },
  },
];

test.each(lookAlikes)('$format: $title', ({ format, profile, request, unjudged }) => {
  const { request: same, changes, problems } = repair(request, { format, profile });
  expect(changes).toEqual([]);
  expect(problems).toEqual([]);
  expect(same).toBe(request);
  expect(validate(request, { format, profile }).valid).toBe(true);
  if (!unjudged) expect(checkRequest({ format: format as WireFormat, ...(profile ? { profile } : {}), request })).toEqual([]);
});
