/** The AI SDK as played by the contract: versions 6 and 7, each with `generateText` and, for streaming, `streamText`. */
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/ai-sdk';
import type { ModelMessage, ToolSet } from 'ai';
import { z } from 'zod';
import type { Sdk } from './sdks.ts';
import { sdk6, sdk7 } from './sdks.ts';

function messageOf(message: HistoryMessage): ModelMessage {
  if (message.role === 'user') return { role: 'user', content: message.text };
  if (message.role === 'tool') {
    const { callId, toolName, text } = message;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId: callId, toolName, output: { type: 'text', value: text } }] };
  }
  const calls = (message.calls ?? []).map(({ id, name, arguments: input }) => ({
    type: 'tool-call' as const,
    toolCallId: id,
    toolName: name,
    input,
  }));
  const said = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
  return { role: 'assistant', content: [...said, ...calls] };
}

/** The SDK's own time limit, if it has one. */
const ownTimeout = ({ options }: Conversation): object => {
  const limits = Object.entries(options.tools ?? {}).flatMap(([name, { timeoutMs } = {}]) => (timeoutMs ? [[`${name}Ms`, timeoutMs]] : []));
  return limits.length > 0 ? { timeout: { tools: Object.fromEntries(limits) as object } } : {};
};

async function play(sdk: Sdk, api: 'chat' | 'responses', conversation: Conversation): Promise<PlayResult> {
  const { baseUrl, history, prompt, signal, maxAnswers, streaming, wrapped } = conversation;
  const tools: ToolSet = Object.fromEntries(
    conversation.tools.map(({ name, description, schema, run }) => [
      name,
      sdk.tool({
        description,
        inputSchema: z.fromJSONSchema(schema),
        execute: (input: unknown, { abortSignal }: { readonly abortSignal?: AbortSignal }) => run(input as never, abortSignal),
      } as never),
    ]),
  );
  const stopWhen = sdk.stepCount(maxAnswers);
  const run = wrapped ? reliableTools(tools, conversation.options).startRun() : undefined;
  const provider = sdk.createOpenAI({ apiKey: 'key', baseURL: baseUrl });
  const request = {
    model: provider[api]('gpt-5.2'),
    messages: [...history.map(messageOf), { role: 'user', content: prompt } as const],
    maxRetries: 0,
    ...(signal ? { abortSignal: signal } : {}),
    ...(run ? { ...run.settings, ...run.loop({ stopWhen }) } : { tools, stopWhen, ...ownTimeout(conversation) }),
  };
  if (!streaming) return { text: (await sdk.generateText(request)).text, stopped: run?.stopped };
  let failure: { readonly error: unknown } | undefined;
  const result = sdk.streamText({
    ...request,
    onError: (given) => {
      failure = given;
    },
  });
  await result.consumeStream();
  if (failure) throw failure.error;
  return { text: await result.text, stopped: run?.stopped };
}

const harness = (sdk: Sdk, id: string, version: string, api: 'chat' | 'responses', words: string): AdapterHarness => ({
  id: `ai-sdk-${id}`,
  framework: `ai ${version}, ${words}`,
  adapter: '@holdfast/ai-sdk',
  format: `openai-${api}`,
  client: 'ai-sdk',
  play: (conversation) => play(sdk, api, conversation),
});

export const harnesses: readonly AdapterHarness[] = [
  harness(sdk7, '7', '7.0.173', 'chat', 'Chat Completions'),
  harness(sdk6, '6', '6.0.326', 'responses', 'Responses'),
];
