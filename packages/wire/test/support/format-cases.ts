/** Converts plans into valid requests of each format. */
import type { Format } from '@holdfast/wire';
import { follow, type PlacedStep, type Plan } from './plans.ts';

type Json = Readonly<Record<string, unknown>>;

const schema = { type: 'object', properties: { city: { type: 'string' } } };
const names = ['get_weather', 'search', 'write-file'] as const;

export interface Case {
  readonly format: Exclude<Format, 'ai-sdk-ui'>;
  readonly profile?:
    | 'openai'
    | 'deepseek'
    | 'mistral'
    | 'qwen'
    | 'kimi'
    | 'minimax'
    | 'xai'
    | 'groq'
    | 'vllm'
    | 'llama-server'
    | 'ollama'
    | 'litellm';
  readonly write: (plan: Plan) => Json;
  /** Field with the messages. */
  readonly list: string;
}

interface ChatStyle {
  readonly idOf?: (index: number) => string;
  /** Messages of the model between results and the user, and contents beside calls. */
  readonly bridge?: boolean;
  /** Which calls come with their reasoning. */
  readonly reasoning?: 'none' | 'some' | 'all';
  readonly model?: string;
}

function chat(plan: Plan, { idOf = plainId, bridge = false, reasoning: kept = 'some', model = 'some-model' }: ChatStyle): Json {
  const messages: Json[] = [{ role: 'system', content: 'Be short.' }];
  let afterTool = false;
  follow(plan, {
    user: (content) => {
      if (bridge && afterTool) messages.push({ role: 'assistant', content: 'Well.' });
      afterTool = false;
      messages.push({ role: 'user', content });
    },
    step: ({ text, reasoning, calls, firstCall }) => {
      messages.push({
        role: 'assistant',
        content: text ?? (bridge ? '' : null),
        ...(kept === 'all' || (reasoning && kept === 'some') ? { reasoning_content: reasoning ? `because ${firstCall}` : '' } : {}),
        tool_calls: calls.map(({ name, input }, index) => ({
          id: idOf(firstCall + index),
          type: 'function',
          function: { name, arguments: JSON.stringify(input) },
        })),
      });
      calls.forEach(({ output }, index) => messages.push({ role: 'tool', tool_call_id: idOf(firstCall + index), content: output }));
      afterTool = true;
    },
    answer: (content) => {
      afterTool = false;
      messages.push({ role: 'assistant', content });
    },
  });
  return { model, messages, tools: names.map((name) => ({ type: 'function', function: { name, parameters: schema } })) };
}

const plainId = (index: number): string => `call_${index}`;

function responses(plan: Plan, together: boolean): Json {
  const input: Json[] = [];
  const output = ({ calls, firstCall }: PlacedStep, index: number): Json => ({
    type: 'function_call_output',
    call_id: `call_${firstCall + index}`,
    output: calls[index]?.output ?? '',
  });
  follow(plan, {
    user: (text) => input.push({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] }),
    step: (step) => {
      const { reasoning, text, calls, firstCall, number } = step;
      if (reasoning) input.push({ type: 'reasoning', id: `rs_${number}`, summary: [], encrypted_content: 'gAAA' });
      if (text !== undefined) input.push({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] });
      calls.forEach(({ name, input: given }, index) => {
        const id = reasoning && (together || index === 0) ? { id: `fc_${firstCall + index}` } : {};
        input.push({ type: 'function_call', ...id, call_id: `call_${firstCall + index}`, name, arguments: JSON.stringify(given) });
        if (!together) input.push(output(step, index));
      });
      if (together) calls.forEach((_call, index) => input.push(output(step, index)));
    },
    answer: (text) => input.push({ role: 'assistant', content: text }),
  });
  return {
    model: 'gpt-5.2',
    store: false,
    input,
    tools: names.map((name) => ({ type: 'function', name, parameters: schema, strict: false })),
  };
}

function anthropic(plan: Plan, model = 'claude-opus-4-8'): Json {
  const messages: Json[] = [];
  follow(plan, {
    user: (text) => messages.push({ role: 'user', content: plan.seed % 2 === 0 ? text : [{ type: 'text', text }] }),
    step: ({ text, calls, firstCall }) => {
      const uses = calls.map(({ name, input }, index) => ({ type: 'tool_use', id: `toolu_${firstCall + index}`, name, input }));
      // With thinking, each turn of the model starts with it.
      const thinking = { type: 'thinking', thinking: `because ${firstCall}`, signature: `SIG${firstCall}` };
      messages.push({ role: 'assistant', content: [thinking, ...(text === undefined ? [] : [{ type: 'text', text }]), ...uses] });
      messages.push({
        role: 'user',
        content: calls.map(({ output, failed }, index) => ({
          type: 'tool_result',
          tool_use_id: `toolu_${firstCall + index}`,
          content: failed ? [{ type: 'text', text: output }] : output,
          ...(failed ? { is_error: true } : {}),
        })),
      });
    },
    answer: (text) => messages.push({ role: 'assistant', content: [{ type: 'text', text }] }),
  });
  return { model, max_tokens: 4096, messages, tools: names.map((name) => ({ name, input_schema: schema })) };
}

function gemini(plan: Plan, model: string): Json {
  const contents: Json[] = [];
  const withIds = plan.seed % 2 === 0;
  follow(plan, {
    user: (text) => contents.push({ role: 'user', parts: [{ text }] }),
    step: ({ text, reasoning, calls, firstCall }) => {
      const id = (index: number): Json => (withIds ? { id: `c${firstCall + index}` } : {});
      contents.push({
        role: 'model',
        parts: [
          ...(reasoning ? [{ text: `because ${firstCall}`, thought: true }] : []),
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map(({ name, input }, index) => ({
            functionCall: { ...id(index), name, args: input },
            ...(index === 0 ? { thoughtSignature: `SIG${firstCall}` } : {}),
          })),
        ],
      });
      contents.push({
        role: 'user',
        parts: calls.map(({ name, output }, index) => ({ functionResponse: { ...id(index), name, response: { output } } })),
      });
    },
    answer: (text) => contents.push({ role: 'model', parts: [{ text }] }),
  });
  return { model, contents, tools: [{ functionDeclarations: names.map((name) => ({ name, parametersJsonSchema: schema })) }] };
}

function bedrock(plan: Plan, modelId: string): Json {
  const messages: Json[] = [];
  follow(plan, {
    user: (text) => {
      // Adjacent messages of one role count as one turn, and some models require results in a separate one.
      if (messages.at(-1)?.['role'] === 'user') messages.push({ role: 'assistant', content: [{ text: 'Well.' }] });
      messages.push({ role: 'user', content: [{ text }] });
    },
    step: ({ text, reasoning, calls, firstCall }) => {
      const thought = { reasoningContent: { reasoningText: { text: `because ${firstCall}`, signature: 'SIG' } } };
      const uses = calls.map(({ name, input }, index) => ({ toolUse: { toolUseId: `tooluse_${firstCall + index}`, name, input } }));
      messages.push({ role: 'assistant', content: [...(reasoning ? [thought] : []), ...(text === undefined ? [] : [{ text }]), ...uses] });
      messages.push({
        role: 'user',
        content: calls.map(({ output, failed }, index) => ({
          toolResult: { toolUseId: `tooluse_${firstCall + index}`, content: [{ text: output }], ...(failed ? { status: 'error' } : {}) },
        })),
      });
    },
    answer: (text) => messages.push({ role: 'assistant', content: [{ text }] }),
  });
  return { modelId, messages, toolConfig: { tools: names.map((name) => ({ toolSpec: { name, inputSchema: { json: schema } } })) } };
}

function aiSdk(plan: Plan): Json {
  const messages: Json[] = [{ role: 'system', content: 'Be short.' }];
  follow(plan, {
    user: (content) => messages.push({ role: 'user', content }),
    step: ({ text, reasoning, calls, firstCall }) => {
      const uses = calls.map(({ name, input }, index) => ({
        type: 'tool-call',
        toolCallId: `c${firstCall + index}`,
        toolName: name,
        input,
      }));
      messages.push({
        role: 'assistant',
        content: [
          ...(reasoning ? [{ type: 'reasoning', text: `because ${firstCall}`, providerOptions: { openai: { itemId: 'rs_1' } } }] : []),
          ...(text === undefined ? [] : [{ type: 'text', text }]),
          ...uses,
        ],
      });
      messages.push({
        role: 'tool',
        content: calls.map(({ name, output, failed }, index) => ({
          type: 'tool-result',
          toolCallId: `c${firstCall + index}`,
          toolName: name,
          output: { type: failed ? 'error-text' : 'text', value: output },
        })),
      });
    },
    answer: (content) => messages.push({ role: 'assistant', content }),
  });
  return { messages };
}

const chatCase = (profile: NonNullable<Case['profile']>, style: ChatStyle = {}): Case => ({
  format: 'openai-chat',
  profile,
  list: 'messages',
  write: (plan) => chat(plan, style),
});
const kimiId = (index: number): string => `functions.t:${index}`;

export const cases: readonly Case[] = [
  chatCase('openai'),
  chatCase('deepseek'),
  chatCase('deepseek', { model: 'deepseek-reasoner', reasoning: 'all' }),
  chatCase('deepseek', { model: 'deepseek-v4-pro', reasoning: 'all' }),
  chatCase('mistral', { idOf: (index) => `abcd${String(index).padStart(5, '0')}`, bridge: true }),
  chatCase('qwen'),
  chatCase('kimi', { idOf: kimiId }),
  chatCase('kimi', { idOf: kimiId, model: 'kimi-k2.6', reasoning: 'all' }),
  chatCase('minimax'),
  chatCase('xai', { bridge: true }),
  // The field is refused.
  chatCase('groq', { reasoning: 'none' }),
  chatCase('vllm'),
  chatCase('llama-server'),
  chatCase('ollama'),
  chatCase('litellm'),
  { format: 'openai-responses', list: 'input', write: (plan) => responses(plan, plan.seed % 2 === 0) },
  { format: 'openai-responses', profile: 'deepseek', list: 'input', write: (plan) => responses(plan, true) },
  { format: 'anthropic-messages', list: 'messages', write: (plan) => anthropic(plan) },
  { format: 'anthropic-messages', profile: 'deepseek', list: 'messages', write: (plan) => anthropic(plan, 'deepseek-v4-pro') },
  {
    format: 'anthropic-messages',
    list: 'messages',
    write: (plan) => ({ ...anthropic(plan), thinking: { type: 'enabled', budget_tokens: 2048 } }),
  },
  { format: 'gemini', list: 'contents', write: (plan) => gemini(plan, 'gemini-2.5-flash') },
  { format: 'gemini', list: 'contents', write: (plan) => gemini(plan, 'gemini-3-pro-preview') },
  { format: 'bedrock-converse', list: 'messages', write: (plan) => bedrock(plan, 'anthropic.claude-3-5-sonnet-20241022-v2:0') },
  { format: 'bedrock-converse', list: 'messages', write: (plan) => bedrock(plan, 'us.meta.llama4-maverick-17b-instruct-v1:0') },
  { format: 'ai-sdk', list: 'messages', write: aiSdk },
];

export const titleOf = ({ format, profile, write }: Case): string => {
  const request = write({ rounds: [{ user: 'a', steps: [], answer: 'b' }], open: true, seed: 0 });
  const models = [request['modelId'], request['model']].filter((each) => typeof each === 'string');
  return [format, profile ?? '', ...models, 'thinking' in request ? 'thinking' : ''].join(' ').trim();
};
