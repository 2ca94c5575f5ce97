/** LangChain as played by the contract: `createAgent` with the middleware, for one run and for all conversations, and a custom graph with `ToolNode`. */
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/langchain';
import type { ReliableTools } from '@holdfast/langchain';
import type { BaseMessage } from '@langchain/core/messages';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { StructuredToolInterface } from '@langchain/core/tools';
import { tool } from '@langchain/core/tools';
import type { JSONSchema } from '@langchain/core/utils/json_schema';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
import { ToolNode, toolsCondition } from '@langchain/langgraph/prebuilt';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const version = '1.5.14';
const graphVersion = '1.7.3';

const modelOf = ({ baseUrl, streaming }: Conversation): ChatOpenAI =>
  new ChatOpenAI({
    model: 'gpt-5.2',
    apiKey: 'key',
    configuration: { baseURL: baseUrl },
    maxRetries: 0,
    streaming,
    useResponsesApi: false,
  });

const toolsOf = ({ tools }: Conversation): StructuredToolInterface[] =>
  tools.map(({ name, description, schema, run }) => {
    const func = (args: unknown, config: { readonly signal?: AbortSignal }): unknown => run(args as never, config.signal);
    return tool(func, { name, description, schema: { ...schema } as JSONSchema }) as unknown as StructuredToolInterface;
  });

const messagesOf = ({ history, prompt }: Conversation): BaseMessage[] => [...history.map(messageOf), new HumanMessage(prompt)];

function messageOf(message: HistoryMessage): BaseMessage {
  if (message.role === 'user') return new HumanMessage(message.text);
  if (message.role === 'tool') return new ToolMessage({ content: message.text, tool_call_id: message.callId, name: message.toolName });
  const calls = message.calls?.map(({ id, name, arguments: args }) => ({ type: 'tool_call' as const, id, name, args: { ...args } }));
  return new AIMessage({ content: message.text, tool_calls: calls ?? [] });
}

interface Runnable {
  invoke(input: object, config: object): Promise<{ readonly messages: BaseMessage[] }>;
  stream(input: object, config: object): Promise<AsyncIterable<unknown>>;
}

/** All messages of the conversation, from any source. */
async function play(runnable: unknown, conversation: Conversation): Promise<readonly BaseMessage[]> {
  const { streaming, signal, maxAnswers } = conversation;
  const agent = runnable as Runnable;
  const input = { messages: messagesOf(conversation) };
  const config = { signal, recursionLimit: maxAnswers * 2 };
  if (!streaming) return (await agent.invoke(input, config)).messages;
  let messages: readonly BaseMessage[] = [];
  for await (const chunk of await agent.stream(input, { ...config, streamMode: ['messages', 'values'] })) {
    const [mode, state] = chunk as ['messages', unknown] | ['values', { readonly messages: BaseMessage[] }];
    if (mode === 'values') messages = state.messages;
  }
  return messages;
}

const textOf = (messages: readonly BaseMessage[]): string => messages.at(-1)?.text ?? '';

async function playAgent(conversation: Conversation): Promise<PlayResult> {
  const tools = toolsOf(conversation);
  const run = conversation.wrapped ? reliableTools(tools, conversation.options).startRun() : undefined;
  const agent = createAgent({ model: modelOf(conversation), tools, middleware: run ? [run.middleware] : [] });
  const messages = await play(agent, conversation);
  return { text: textOf(messages), stopped: run?.stopped };
}

/** Nothing is created per conversation: the shared middleware finds its run. */
async function playSharedAgent(conversation: Conversation): Promise<PlayResult> {
  const tools = toolsOf(conversation);
  const reliable = conversation.wrapped ? reliableTools(tools, conversation.options) : undefined;
  const agent = createAgent({ model: modelOf(conversation), tools, middleware: reliable ? [reliable.middleware] : [] });
  const messages = await play(agent, conversation);
  return { text: textOf(messages), stopped: messages.at(-1)?.response_metadata['stopped'] as PlayResult['stopped'] };
}

function bareGraph(model: ChatOpenAI, tools: StructuredToolInterface[]): unknown {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }, config) => ({ messages: [await model.bindTools(tools).invoke(messages, config)] }))
    .addNode('tools', new ToolNode(tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addEdge('tools', 'model')
    .compile();
}

function reliableGraph(model: ChatOpenAI, reliable: ReliableTools<StructuredToolInterface>): unknown {
  return new StateGraph(MessagesAnnotation)
    .addNode('model', async ({ messages }, config) => {
      const answer = await model.bindTools(reliable.tools).invoke(reliable.repair(messages), config);
      return { messages: [reliable.readCalls(answer)] };
    })
    .addNode('tools', new ToolNode(reliable.tools))
    .addEdge(START, 'model')
    .addConditionalEdges('model', toolsCondition)
    .addConditionalEdges('tools', ({ messages }) => (reliable.runOf(messages).stopped ? END : 'model'))
    .compile();
}

async function playGraph(conversation: Conversation): Promise<PlayResult> {
  const tools = toolsOf(conversation);
  const model = modelOf(conversation);
  if (!conversation.wrapped) return { text: textOf(await play(bareGraph(model, tools), conversation)) };
  const reliable = reliableTools(tools, conversation.options);
  const messages = await play(reliableGraph(model, reliable), conversation);
  return { text: textOf(messages), stopped: reliable.runOf(messages).stopped };
}

export const harnesses: readonly AdapterHarness[] = [
  {
    id: 'langchain',
    framework: `langchain ${version}, \`createAgent\``,
    adapter: '@holdfast/langchain',
    format: 'openai-chat',
    play: playAgent,
  },
  {
    id: 'langgraph',
    framework: `@langchain/langgraph ${graphVersion}, own graph with \`ToolNode\``,
    adapter: '@holdfast/langchain',
    format: 'openai-chat',
    lacks: { unknown_tools: '`ToolNode` answers such calls itself and asks no tool.' },
    play: playGraph,
  },
];

/** The same agent, created once. */
export const sharedAgents: readonly AdapterHarness[] = [
  {
    id: 'langchain-shared',
    framework: `langchain ${version}, \`createAgent\`, one middleware for all conversations`,
    adapter: '@holdfast/langchain',
    format: 'openai-chat',
    play: playSharedAgent,
  },
];
