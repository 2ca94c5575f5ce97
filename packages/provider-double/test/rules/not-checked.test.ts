/** What no rule covers is accepted, and the limits of api.openai.com are those of no other backend. */
import { describe, expect, it } from 'vitest';
import { checkRequest, type BackendProfile, type WireFormat } from '@holdfast/provider-double/rules';

const others = [
  'deepseek',
  'mistral',
  'qwen',
  'kimi',
  'moonshot',
  'minimax',
  'xai',
  'groq',
  'vllm',
  'llama-server',
  'litellm',
  'ollama',
] as const;

const user = { role: 'user', content: 'go' };
const schema = { type: 'object', properties: {} };
const tool = (name: string, parameters: object = schema): object => ({ type: 'function', function: { name, parameters } });
const call = (id: string, written = '{}'): object => ({
  role: 'assistant',
  content: 'a',
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: written } }],
});

const rulesOf = (request: object, profile: BackendProfile = 'openai', format: WireFormat = 'openai-chat'): readonly string[] => [
  ...new Set(checkRequest({ format, profile, request: { model: 'm', ...request } }).map(({ rule }) => rule)),
];

describe('the limits of api.openai.com', () => {
  const id = 'i'.repeat(41);
  const beyond = {
    messages: [user, call(id), { role: 'tool', tool_call_id: id, content: 'ok' }],
    tools: [
      { ...tool('g', { type: 'object' }), type: undefined },
      tool('a'.repeat(65)),
      ...Array.from({ length: 127 }, (_, index) => tool(`f${index}`)),
    ],
  };

  it('apply to openai', () => {
    expect(rulesOf(beyond)).toEqual(['call-id-form', 'tool-count', 'tool-form', 'tool-schema', 'tool-name-form']);
  });

  it.each(others.filter((profile) => profile !== 'mistral'))('do not apply to %s', (profile) => {
    expect(rulesOf(beyond, profile)).toEqual([]);
  });

  it('do not apply to mistral, which has its own form of ids and names', () => {
    expect(rulesOf(beyond, 'mistral')).toEqual(['tool-name-form', 'call-id-form']);
  });

  it('of Responses do not apply to deepseek', () => {
    const request = { input: 'go', tools: [{ name: 'f' }, { type: 'function', name: 'a.b', parameters: { type: 'object' } }] };
    expect(rulesOf(request, 'openai', 'openai-responses')).toEqual(['tool-form', 'tool-name-form', 'tool-schema']);
    expect(rulesOf(request, 'deepseek', 'openai-responses')).toEqual([]);
  });
});

describe('arguments of an earlier call', () => {
  const withArguments = (written: string): object => ({
    messages: [user, call('c1', written), { role: 'tool', tool_call_id: 'c1', content: 'ok' }],
  });

  it.each(['qwen', 'vllm', 'litellm', 'llama-server', 'ollama'] as const)('that are no JSON object are refused by %s', (profile) => {
    for (const written of ['{"a', '[1]', '1', 'null'])
      expect([written, rulesOf(withArguments(written), profile)]).toEqual([written, ['arguments-form']]);
  });

  it('that are an empty string are refused by ollama alone', () => {
    const accepting = others.filter((profile) => profile !== 'mistral' && rulesOf(withArguments(''), profile).length === 0);
    expect(accepting).toEqual(others.filter((profile) => profile !== 'mistral' && profile !== 'ollama'));
  });
});

describe('accepted', () => {
  it('schemas of any depth', () => {
    let deep: object = { type: 'string' };
    for (let depth = 0; depth < 200; depth += 1) deep = { type: 'object', properties: { a: deep } };
    expect(rulesOf({ messages: [user], tools: [tool('f', deep)] })).toEqual([]);
  });

  it('any number and names of tools where no limit is known', () => {
    const tools = Array.from({ length: 2_000 }, (_, index) => tool(`tool/${index} of mine`));
    expect(rulesOf({ messages: [user], tools }, 'vllm')).toEqual([]);
  });

  it.each(others)('neighbours of one role at %s', (profile) => {
    expect(
      rulesOf({ messages: [user, user, { role: 'assistant', content: 'a' }, { role: 'assistant', content: 'b' }, user] }, profile),
    ).toEqual([]);
  });

  it.each<[WireFormat, object]>([
    ['openai-chat', { messages: [user] }],
    ['openai-responses', { input: 'go' }],
    ['anthropic-messages', { messages: [user] }],
    ['gemini', { contents: 'go' }],
    ['bedrock-converse', { messages: [{ role: 'user', content: [{ text: 'go' }] }] }],
  ])('fields that are not related to messages and tools: %s', (format, request) => {
    expect(checkRequest({ format, request: { model: 'm', temperature: 'hot', nonsense: 1, ...request } })).toEqual([]);
  });
});
