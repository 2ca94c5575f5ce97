/** The OpenAI Agents SDK as played by the contract: over Responses and over Chat Completions. */
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/openai-agents';
import type { AgentInputItem, FunctionTool, ModelProvider } from '@openai/agents';
import { Agent, OpenAIProvider, Runner, tool } from '@openai/agents';
import OpenAI from 'openai';

const version = '0.20.0';

type Api = 'responses' | 'chat_completions';

/** Not strict: a strict schema would be rewritten, and the cases have their own schemas. */
const optionsOf = ({ name, description, schema, run }: Conversation['tools'][number]) => ({
  name,
  description,
  parameters: schema as never,
  strict: false as const,
  execute: (input: unknown, _context?: unknown, details?: { readonly signal?: AbortSignal }) => run(input as never, details?.signal),
});

/** The SDK's own time limit, if the case requests one. */
function bareTool(given: Conversation['tools'][number], { tools, policy }: Conversation['options']): FunctionTool {
  const timeoutMs = tools?.[given.name]?.timeoutMs ?? policy?.timeoutMs;
  return tool({ ...optionsOf(given), ...(typeof timeoutMs === 'number' ? { timeoutMs } : {}) } as never) as FunctionTool;
}

function itemsOf(message: HistoryMessage): AgentInputItem[] {
  if (message.role === 'tool') {
    const { callId, toolName: name, text } = message;
    return [{ type: 'function_call_result', callId, name, status: 'completed', output: { type: 'text', text } }];
  }
  if (message.role === 'user') return [{ role: 'user', content: message.text }];
  const said: AgentInputItem[] =
    message.text === '' ? [] : [{ role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: message.text }] }];
  const calls = message.calls ?? [];
  return [
    ...said,
    ...calls.map(({ id, name, arguments: args }): AgentInputItem => ({
      type: 'function_call',
      callId: id,
      name,
      status: 'completed',
      arguments: JSON.stringify(args),
    })),
  ];
}

function providerOf({ baseUrl }: Conversation, api: Api): ModelProvider {
  const openAIClient = new OpenAI({ apiKey: 'key', baseURL: baseUrl, maxRetries: 0 });
  return new OpenAIProvider({ openAIClient: openAIClient as never, useResponses: api === 'responses' });
}

async function play(conversation: Conversation, api: Api): Promise<PlayResult> {
  const { tools, options, wrapped, streaming, signal, maxAnswers: maxTurns, history, prompt } = conversation;
  const run = wrapped ? reliableTools(tools.map(optionsOf) as never, { ...options, api }).startRun() : undefined;
  const provider = providerOf(conversation, api);
  const runner = new Runner({ modelProvider: run?.modelProvider(provider) ?? provider, tracingDisabled: true });
  const agent = new Agent({ name: 'Agent', model: 'gpt-5.2', tools: run?.tools ?? tools.map((each) => bareTool(each, options)) });
  const input: AgentInputItem[] = [...history.flatMap(itemsOf), { role: 'user', content: prompt }];
  const settings = { ...run?.settings, maxTurns, ...(signal ? { signal } : {}) };
  if (!streaming) return { text: (await runner.run(agent, input, settings)).finalOutput ?? '', stopped: run?.stopped };
  const result = await runner.run(agent, input, { ...settings, stream: true });
  await result.completed;
  return { text: result.finalOutput ?? '', stopped: run?.stopped };
}

export const harnesses: readonly AdapterHarness[] = [
  {
    id: 'openai-agents-responses',
    framework: `@openai/agents ${version}, over Responses`,
    adapter: '@holdfast/openai-agents',
    format: 'openai-responses',
    lacks: { truncation: 'Over Responses the SDK itself rejects when an answer was cut off.' },
    play: (conversation) => play(conversation, 'responses'),
  },
  {
    id: 'openai-agents-chat',
    framework: `@openai/agents ${version}, over Chat Completions`,
    adapter: '@holdfast/openai-agents',
    format: 'openai-chat',
    play: (conversation) => play(conversation, 'chat_completions'),
  },
];
