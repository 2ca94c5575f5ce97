/** The Anthropic SDK as played by the contract: a handwritten loop with `messages.create`, and the SDK's own `toolRunner`. */
import Anthropic from '@anthropic-ai/sdk';
import { betaTool } from '@anthropic-ai/sdk/helpers/beta/json-schema';
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/anthropic';
import type { AnthropicRun } from '@holdfast/anthropic';

const model = 'claude-opus-4-8';
const version = '1.12.0';
const max_tokens = 4_096;

const clientOf = ({ baseUrl }: Conversation): Anthropic => new Anthropic({ apiKey: 'key', baseURL: baseUrl, maxRetries: 0 });

/** A typical handwritten loop. */
const asText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output));

const textOf = (content: readonly { readonly type: string; readonly text?: string }[]): string =>
  content.map((block) => (block.type === 'text' ? block.text : '')).join('');

const messagesOf = ({ history, prompt }: Conversation): Anthropic.MessageParam[] => [
  ...history.map(messageOf),
  { role: 'user', content: prompt },
];

function messageOf(message: HistoryMessage): Anthropic.MessageParam {
  if (message.role === 'tool')
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: message.callId, content: message.text }] };
  if (message.role === 'user') return { role: 'user', content: message.text };
  const calls = message.calls?.map(({ id, name, arguments: input }) => ({ type: 'tool_use' as const, id, name, input })) ?? [];
  const said = message.text === '' ? [] : [{ type: 'text' as const, text: message.text }];
  return { role: 'assistant', content: [...said, ...calls] };
}

// messages.create

async function playMessages(conversation: Conversation): Promise<PlayResult> {
  const { tools, options, streaming, wrapped, signal, maxAnswers } = conversation;
  const client = clientOf(conversation);
  const own = tools.map(({ name, description, schema, run }) => ({
    name,
    description,
    input_schema: schema as Anthropic.Tool.InputSchema,
    run: (args: never, context: { readonly signal: AbortSignal }) => run(args, context.signal),
  }));
  const run = wrapped ? reliableTools(own, options).startRun() : undefined;
  const definitions = own.map(({ run: _run, ...definition }) => definition);
  const messages = messagesOf(conversation);
  let text = '';
  for (let answers = 0; answers < maxAnswers && !run?.stopped; answers++) {
    const body = { model, max_tokens, messages: run?.repair(messages) ?? messages, tools: run?.definitions ?? definitions };
    const message = streaming
      ? await client.messages.stream(body, { signal }).finalMessage()
      : await client.messages.create(body, { signal });
    messages.push({ role: 'assistant', content: message.content });
    text = textOf(message.content);
    const results = run ? await run.answer(message, { signal }) : await answerBare(conversation, message);
    if (!results) break;
    messages.push(results);
    signal?.throwIfAborted();
  }
  return { text, stopped: run?.stopped };
}

async function answerBare({ tools, signal }: Conversation, { content }: Anthropic.Message): Promise<Anthropic.MessageParam | undefined> {
  const calls = content.filter((block) => block.type === 'tool_use');
  if (calls.length === 0) return undefined;
  const results = calls.map(async ({ id, name, input }) => {
    const answer = { type: 'tool_result', tool_use_id: id } as const;
    try {
      const tool = tools.find((each) => each.name === name);
      if (!tool) throw new Error(`Unknown tool: ${name}`);
      return { ...answer, content: asText(await tool.run(input as never, signal)) };
    } catch (error) {
      return { ...answer, content: `Error: ${(error as Error).message}`, is_error: true };
    }
  });
  return { role: 'user', content: await Promise.all(results) };
}

// toolRunner

async function playRunner(conversation: Conversation): Promise<PlayResult> {
  const { tools, options, streaming, wrapped, signal, maxAnswers } = conversation;
  const client = clientOf(conversation);
  const own = tools.map(({ name, description, schema, run: runTool }) =>
    betaTool({
      name,
      description,
      inputSchema: schema as { readonly type: 'object' },
      run: async (args, context) => {
        const output = await runTool(args as never, context?.signal ?? undefined);
        // The runner accepts only text; with Holdfast a tool may return any value.
        return wrapped ? (output as string) : asText(output);
      },
    }),
  );
  const run: AnthropicRun | undefined = wrapped ? reliableTools(own, options).startRun() : undefined;
  const messages = messagesOf(conversation);
  const runner = client.beta.messages.toolRunner(
    {
      model,
      max_tokens,
      max_iterations: maxAnswers,
      messages: run?.repair(messages) ?? messages,
      tools: run?.tools ?? own,
      stream: streaming,
    },
    { signal },
  );
  let text = '';
  for await (const answer of runner) {
    const message = 'finalMessage' in answer ? await answer.finalMessage() : answer;
    text = textOf(message.content);
    if (!run) continue;
    await runner.generateToolResponse();
    if (run.stopped) break;
  }
  return { text, stopped: run?.stopped };
}

const parsed = 'Anthropic sends arguments as objects, not as text.';

export const harnesses: readonly AdapterHarness[] = [
  {
    id: 'anthropic-messages',
    framework: `@anthropic-ai/sdk ${version}, own loop over Messages`,
    adapter: '@holdfast/anthropic',
    format: 'anthropic-messages',
    lacks: { raw_arguments: parsed },
    play: playMessages,
  },
  {
    id: 'anthropic-tool-runner',
    framework: `@anthropic-ai/sdk ${version}, \`toolRunner\``,
    adapter: '@holdfast/anthropic',
    format: 'anthropic-messages',
    lacks: {
      raw_arguments: parsed,
      unknown_tools: '`toolRunner` answers such calls itself and asks no tool.',
      truncation: '`toolRunner` itself ends when an answer was cut off.',
      advertising: '`toolRunner` keeps its conversation on the server, where tools cannot change.',
    },
    play: playRunner,
  },
];
