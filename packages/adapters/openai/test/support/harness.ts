/** The OpenAI SDK as played by the contract: handwritten loops over Chat Completions and Responses, and the SDK's own `runTools`. */
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/openai';
import type { OpenAIRun } from '@holdfast/openai';
import OpenAI from 'openai';
import OpenAI6 from 'openai-6';

type ChatMessage = OpenAI.ChatCompletionMessageParam;
type Item = OpenAI.Responses.ResponseInputItem;

const model = 'gpt-5.2';
/** A way of using the SDK, with any major version. */
type Play = (conversation: Conversation, client: OpenAI) => Promise<PlayResult>;

const withClient =
  (play: Play, Client: typeof OpenAI): AdapterHarness['play'] =>
  (conversation) =>
    play(conversation, new Client({ apiKey: 'key', baseURL: conversation.baseUrl, maxRetries: 0 }));

const asText = (output: unknown): string => (typeof output === 'string' ? output : JSON.stringify(output));

/** A careful handwritten loop. */
async function runBare({ tools, signal }: Conversation, name: string, text: string): Promise<string> {
  try {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`Unknown tool: ${name}`);
    return asText(await tool.run(JSON.parse(text) as never, signal));
  } catch (error) {
    return `Error: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function startRun({ tools, options }: Conversation): OpenAIRun {
  return reliableTools(
    tools.map(({ name, description, schema, run }) => ({
      name,
      description,
      parameters: schema,
      run: (args: never, { signal }) => run(args, signal),
    })),
    options,
  ).startRun();
}

// Chat Completions

const chatHistory = ({ history, prompt }: Conversation): ChatMessage[] => [...history.map(chatMessage), { role: 'user', content: prompt }];

function chatMessage(message: HistoryMessage): ChatMessage {
  if (message.role === 'tool') return { role: 'tool', tool_call_id: message.callId, content: message.text };
  if (message.role === 'user') return { role: 'user', content: message.text };
  const calls = message.calls?.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function' as const,
    function: { name, arguments: JSON.stringify(args) },
  }));
  return { role: 'assistant', content: message.text, ...(calls ? { tool_calls: calls } : {}) };
}

async function playChat(conversation: Conversation, client: OpenAI): Promise<PlayResult> {
  const { tools, streaming, wrapped, signal, maxAnswers } = conversation;
  const run = wrapped ? startRun(conversation) : undefined;
  const messages = chatHistory(conversation);
  const bareTools = tools.map(({ name, description, schema }) => ({
    type: 'function' as const,
    function: { name, description, parameters: { ...schema } },
  }));
  let text = '';
  for (let answers = 0; answers < maxAnswers && !run?.stopped; answers++) {
    const body = { model, messages: run?.repairChat(messages) ?? messages, tools: run?.chatTools ?? bareTools };
    const completion = streaming
      ? await client.chat.completions.stream(body, { signal }).finalChatCompletion()
      : await client.chat.completions.create(body, { signal });
    const message = completion.choices[0]?.message;
    if (!message) break;
    messages.push(message);
    text = message.content ?? '';
    if (!message.tool_calls?.length) break;
    if (run) messages.push(...(await run.answerChat(completion, { signal })));
    else messages.push(...(await Promise.all(message.tool_calls.map((call) => answerBare(conversation, call)))));
    signal?.throwIfAborted();
  }
  return { text, stopped: run?.stopped };
}

async function answerBare(conversation: Conversation, call: OpenAI.ChatCompletionMessageToolCall): Promise<ChatMessage> {
  if (call.type !== 'function') throw new Error('A custom tool');
  const { name, arguments: text } = call.function;
  return { role: 'tool', tool_call_id: call.id, content: await runBare(conversation, name, text) };
}

// Responses

function items(message: HistoryMessage): Item[] {
  if (message.role === 'tool') return [{ type: 'function_call_output', call_id: message.callId, output: message.text }];
  const said: Item[] = message.text === '' ? [] : [{ role: message.role, content: message.text }];
  const calls = message.role === 'assistant' ? (message.calls ?? []) : [];
  return [
    ...said,
    ...calls.map(({ id, name, arguments: args }): Item => ({ type: 'function_call', call_id: id, name, arguments: JSON.stringify(args) })),
  ];
}

async function playResponses(conversation: Conversation, client: OpenAI): Promise<PlayResult> {
  const { tools, streaming, wrapped, signal, maxAnswers } = conversation;
  const run = wrapped ? startRun(conversation) : undefined;
  const input: Item[] = [...conversation.history.flatMap(items), { role: 'user', content: conversation.prompt }];
  const bareTools = tools.map(({ name, description, schema }) => ({
    type: 'function' as const,
    name,
    description,
    parameters: { ...schema },
    strict: false,
  }));
  let text = '';
  for (let answers = 0; answers < maxAnswers && !run?.stopped; answers++) {
    const body = { model, input: run?.repairResponses(input) ?? input, tools: run?.responsesTools ?? bareTools };
    const response = streaming
      ? await client.responses.stream(body, { signal }).finalResponse()
      : await client.responses.create(body, { signal });
    input.push(...(response.output as Item[]));
    text = response.output_text;
    const calls = (response.output as OpenAI.Responses.ResponseOutputItem[]).filter(
      (item): item is OpenAI.Responses.ResponseFunctionToolCall => item.type === 'function_call',
    );
    if (calls.length === 0) break;
    if (run) input.push(...(await run.answerResponses(response, { signal })));
    else {
      const outputs = calls.map(async ({ call_id, name, arguments: written }): Promise<Item> => ({
        type: 'function_call_output',
        call_id,
        output: await runBare(conversation, name, written),
      }));
      input.push(...(await Promise.all(outputs)));
    }
    signal?.throwIfAborted();
  }
  return { text, stopped: run?.stopped };
}

// runTools

async function playRunTools(conversation: Conversation, client: OpenAI): Promise<PlayResult> {
  const { tools, streaming, wrapped, signal, maxAnswers } = conversation;
  const run = wrapped ? startRunTools(conversation) : undefined;
  const messages = chatHistory(conversation);
  const body = {
    model,
    messages: run?.repairChat(messages) ?? messages,
    tools: (run?.tools ?? tools.map((tool) => runnable(tool))) as never,
  };
  const options = { signal, maxChatCompletions: maxAnswers };
  const runner = streaming
    ? client.chat.completions.runTools({ ...body, stream: true }, options)
    : client.chat.completions.runTools(body, options);
  return { text: (await runner.finalContent()) ?? '', stopped: run?.stopped };
}

const runnable = ({
  name,
  description,
  schema,
  run,
}: Conversation['tools'][number]): OpenAI.ChatCompletionTool & { readonly type: 'function' } => ({
  type: 'function',
  function: {
    name,
    description,
    parameters: { ...schema },
    parse: JSON.parse,
    // Without a runner it is called as an alternative.
    function: (args: never, runner?: { readonly controller: AbortController }) => run(args, runner?.controller.signal),
  } as never,
});

const startRunTools = ({ tools, options }: Conversation): OpenAIRun => reliableTools(tools.map(runnable) as never, options).startRun();

const runToolsLacks: AdapterHarness['lacks'] = {
  unknown_tools: '`runTools` answers such calls itself and asks no tool.',
  advertising: '`runTools` reads the list of tools once.',
  truncation: '`runTools` itself rejects when an answer was cut off.',
  stopping: '`runTools` can only be ended by an abort, which rejects: `maxChatCompletions` ends it.',
};

/** The cases that are the same in every major version, under one name and version. */
const harnessesOf = (name: string, version: string, Client: typeof OpenAI): readonly AdapterHarness[] => [
  {
    id: `${name}-chat`,
    framework: `openai ${version}, own loop over Chat Completions`,
    adapter: '@holdfast/openai',
    format: 'openai-chat',
    play: withClient(playChat, Client),
  },
  {
    id: `${name}-responses`,
    framework: `openai ${version}, own loop over Responses`,
    adapter: '@holdfast/openai',
    format: 'openai-responses',
    play: withClient(playResponses, Client),
  },
  {
    id: `${name}-run-tools`,
    framework: `openai ${version}, \`runTools\``,
    adapter: '@holdfast/openai',
    format: 'openai-chat',
    lacks: runToolsLacks,
    play: withClient(playRunTools, Client),
  },
];

const olderMajor = harnessesOf('openai-6', '6.49.0', OpenAI6 as unknown as typeof OpenAI);

export const harnesses: readonly AdapterHarness[] = [...harnessesOf('openai', '7.57.0', OpenAI), ...olderMajor.slice(2)];

/** Custom loops depend on the SDK's major version only by the format of its answers: they are tested, but listed once in the table. */
export const olderLoops: readonly AdapterHarness[] = olderMajor.slice(0, 2);
