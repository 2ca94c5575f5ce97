/** Bedrock Converse as played by the contract: a handwritten loop with `ConverseCommand`, or with `ConverseStreamCommand`. */
import { ConverseCommand, ConverseStreamCommand } from '@aws-sdk/client-bedrock-runtime';
import type {
  BedrockRuntimeClient,
  ContentBlock,
  ConverseCommandInput,
  Message,
  Tool,
  ToolResultContentBlock,
  ToolUseBlock,
} from '@aws-sdk/client-bedrock-runtime';
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/bedrock';
import type { BedrockRun } from '@holdfast/bedrock';
import { clientFor } from './client.ts';
import { readStream } from './read-stream.ts';

const modelId = 'anthropic.claude-sonnet-4-5-20250929-v1:0';

function startRun({ tools, options, wrapped }: Conversation): BedrockRun | undefined {
  if (!wrapped) return undefined;
  const own = tools.map(({ name, description, schema, run }) => ({
    toolSpec: { name, description, inputSchema: { json: schema } },
    run: (args: never, { signal }: { readonly signal: unknown }) => run(args, signal as AbortSignal),
  }));
  return reliableTools(own, options).startRun();
}

const definitionsOf = ({ tools }: Conversation): Tool[] =>
  tools.map(({ name, description, schema }): Tool => ({ toolSpec: { name, description, inputSchema: { json: schema as never } } }));

const messagesOf = ({ history, prompt }: Conversation): Message[] => [
  ...history.map(messageOf),
  { role: 'user', content: [{ text: prompt }] },
];

function messageOf(message: HistoryMessage): Message {
  if (message.role === 'tool')
    return { role: 'user', content: [{ toolResult: { toolUseId: message.callId, content: [{ text: message.text }] } }] };
  if (message.role === 'user') return { role: 'user', content: [{ text: message.text }] };
  const calls = message.calls?.map(({ id, name, arguments: input }): ContentBlock => ({
    toolUse: { toolUseId: id, name, input: input as never },
  }));
  return { role: 'assistant', content: [...(message.text === '' ? [] : [{ text: message.text }]), ...(calls ?? [])] };
}

async function ask(client: BedrockRuntimeClient, request: ConverseCommandInput, { streaming, signal }: Conversation) {
  const options = signal ? { abortSignal: signal } : {};
  if (streaming) return readStream(await client.send(new ConverseStreamCommand(request), options));
  const { output, stopReason } = await client.send(new ConverseCommand(request), options);
  return { output: { message: output?.message as Message }, stopReason };
}

async function play(conversation: Conversation): Promise<PlayResult> {
  const { baseUrl, signal, maxAnswers } = conversation;
  const client = clientFor(baseUrl);
  const run = startRun(conversation);
  const messages = messagesOf(conversation);
  let text = '';
  for (let answers = 0; answers < maxAnswers && !run?.stopped; answers++) {
    const request: ConverseCommandInput = { modelId, messages, toolConfig: { tools: run?.definitions ?? definitionsOf(conversation) } };
    const answer = await ask(client, run?.repair(request) ?? request, conversation);
    const { message } = answer.output;
    messages.push(message);
    text = message.content?.map((block) => block.text ?? '').join('') ?? '';
    const results = run ? await run.answer(answer, { signal }) : await answerBare(conversation, message);
    if (!results) break;
    messages.push(results);
    signal?.throwIfAborted();
  }
  return { text, stopped: run?.stopped };
}

/** Results as in the examples of AWS: objects as JSON, errors as text with a status. */
async function answerBare(conversation: Conversation, { content = [] }: Message): Promise<Message | undefined> {
  const calls = content.flatMap(({ toolUse }) => toolUse ?? []);
  if (calls.length === 0) return undefined;
  return { role: 'user', content: await Promise.all(calls.map((call) => resultOf(conversation, call))) };
}

async function resultOf({ tools, signal }: Conversation, { toolUseId, name = '', input }: ToolUseBlock): Promise<ContentBlock> {
  try {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`Unknown tool: ${name}`);
    return { toolResult: { toolUseId, content: [contentOf(await tool.run(input as never, signal))] } };
  } catch (error) {
    return { toolResult: { toolUseId, content: [{ text: (error as Error).message }], status: 'error' } };
  }
}

function contentOf(output: unknown): ToolResultContentBlock {
  if (typeof output === 'string') return { text: output };
  return typeof output === 'object' && output !== null && !Array.isArray(output)
    ? { json: output as never }
    : { text: JSON.stringify(output) };
}

export const harnesses: readonly AdapterHarness[] = [
  {
    id: 'bedrock-converse',
    framework: '@aws-sdk/client-bedrock-runtime 3.1164.0, own loop over Converse',
    adapter: '@holdfast/bedrock',
    format: 'bedrock-converse',
    lacks: { raw_arguments: 'Converse sends arguments as objects; only its streams have them as text.' },
    play,
  },
];
