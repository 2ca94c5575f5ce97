/** The Google Gen AI SDK as played by the contract: a handwritten loop, and the SDK's automatic function calling. */
import { GoogleGenAI } from '@google/genai';
import type { CallableTool, Content, FunctionCall, GenerateContentParameters, GenerateContentResponse, Part, Tool } from '@google/genai';
import type { AdapterHarness, Conversation, HistoryMessage, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/google-genai';
import type { GoogleGenAIRun } from '@holdfast/google-genai';
import { GoogleGenAI as GoogleGenAI2 } from 'google-genai-2';

/** Models before Gemini 3 give calls no ids. */
const models = { own: 'gemini-3-pro', automatic: 'gemini-2.5-flash' };

/** A way of using the SDK, with any major version. */
type Play = (conversation: Conversation, client: GoogleGenAI) => Promise<PlayResult>;

const withClient =
  (play: Play, Client: typeof GoogleGenAI): AdapterHarness['play'] =>
  (conversation) =>
    play(conversation, new Client({ apiKey: 'key', httpOptions: { baseUrl: conversation.baseUrl } }));

function startRun({ tools, options, wrapped }: Conversation): GoogleGenAIRun | undefined {
  if (!wrapped) return undefined;
  const functions = tools.map(({ name, description, schema, run }) => ({
    name,
    description,
    parametersJsonSchema: schema,
    run: (args: never, { signal }: { readonly signal: unknown }) => run(args, signal as AbortSignal),
  }));
  return reliableTools(functions, options).startRun();
}

const declarationsOf = ({ tools }: Conversation): Tool[] => [
  { functionDeclarations: tools.map(({ name, description, schema }) => ({ name, description, parametersJsonSchema: schema })) },
];

const contentsOf = ({ history, prompt }: Conversation): Content[] => [
  ...history.map(contentOf),
  { role: 'user', parts: [{ text: prompt }] },
];

function contentOf(message: HistoryMessage): Content {
  if (message.role === 'tool')
    return {
      role: 'user',
      parts: [{ functionResponse: { id: message.callId, name: message.toolName, response: { output: message.text } } }],
    };
  if (message.role === 'user') return { role: 'user', parts: [{ text: message.text }] };
  const calls = message.calls?.map(({ id, name, arguments: args }): Part => ({ functionCall: { id, name, args } })) ?? [];
  return { role: 'model', parts: [...(message.text === '' ? [] : [{ text: message.text }]), ...calls] };
}

/** A careful handwritten function. */
async function respond({ tools, signal }: Conversation, { id, name = '', args }: FunctionCall): Promise<Part> {
  const head = { ...(id === undefined ? {} : { id }), name };
  try {
    const tool = tools.find((each) => each.name === name);
    if (!tool) throw new Error(`Unknown function: ${name}`);
    return { functionResponse: { ...head, response: { output: await tool.run(args as never, signal) } } };
  } catch (error) {
    return { functionResponse: { ...head, response: { error: (error as Error).message } } };
  }
}

// Own loop

async function playLoop(conversation: Conversation, { models: client }: GoogleGenAI): Promise<PlayResult> {
  const { streaming, signal, maxAnswers } = conversation;
  const run = startRun(conversation);
  const contents = contentsOf(conversation);
  let text = '';
  for (let answers = 0; answers < maxAnswers && !run?.stopped; answers++) {
    const request: GenerateContentParameters = {
      model: models.own,
      contents,
      config: { tools: run?.definitions ?? declarationsOf(conversation), ...(signal ? { abortSignal: signal } : {}) },
    };
    const repaired = run?.repair(request) ?? request;
    const chunks: GenerateContentResponse[] = [];
    if (streaming) for await (const chunk of await client.generateContentStream(repaired)) chunks.push(chunk);
    else chunks.push(await client.generateContent(repaired));
    const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
    contents.push({ role: 'model', parts });
    text = parts.map((part) => (part.thought ? '' : (part.text ?? ''))).join('');
    const calls = chunks.flatMap((chunk) => chunk.functionCalls ?? []);
    if (calls.length === 0) break;
    const results = run ? await run.answer(chunks, { signal }) : undefined;
    contents.push(results ?? { role: 'user', parts: await Promise.all(calls.map((call) => respond(conversation, call))) });
    signal?.throwIfAborted();
  }
  return { text, stopped: run?.stopped };
}

// Automatic function calling

/** The interface as the SDK documents it: a tool answers the calls that it knows. */
const bareCallable = (conversation: Conversation): CallableTool => ({
  tool: () => Promise.resolve(declarationsOf(conversation)[0] ?? {}),
  callTool: (calls) => {
    const own = calls.filter(({ name }) => conversation.tools.some((tool) => tool.name === name));
    return Promise.all(own.map((call) => respond(conversation, call)));
  },
});

async function playAutomatic(conversation: Conversation, { models: client }: GoogleGenAI): Promise<PlayResult> {
  const { signal, maxAnswers } = conversation;
  const run = startRun(conversation);
  const contents = contentsOf(conversation);
  const request: GenerateContentParameters = {
    model: models.automatic,
    contents,
    config: {
      tools: run?.callableTools({ signal }) ?? [bareCallable(conversation)],
      automaticFunctionCalling: { maximumRemoteCalls: maxAnswers },
      ...(signal ? { abortSignal: signal } : {}),
    },
  };
  const { text = '' } = await client.generateContent(run?.repair(request) ?? request);
  return { text, stopped: run?.stopped };
}

const parsed = 'Gemini sends arguments as objects, not as text.';

/** The cases that are the same in every major version. */
const harnessesOf = (name: string, version: string, Client: typeof GoogleGenAI): readonly AdapterHarness[] => [
  {
    id: name,
    framework: `@google/genai ${version}, own loop over generateContent`,
    adapter: '@holdfast/google-genai',
    format: 'gemini',
    lacks: { raw_arguments: parsed },
    play: withClient(playLoop, Client),
  },
  {
    id: `${name}-automatic`,
    framework: `@google/genai ${version}, automatic function calling`,
    adapter: '@holdfast/google-genai',
    format: 'gemini',
    lacks: {
      raw_arguments: parsed,
      streaming: 'In a stream, the SDK sends each chunk back as a content of its own, which the API refuses after text or several calls.',
      truncation: 'Automatic function calling passes calls without the finish reason.',
      advertising: 'Automatic function calling reads the list of tools once.',
      stopping: 'Automatic function calling can only be ended by its own limit: `maximumRemoteCalls` ends it.',
    },
    play: withClient(playAutomatic, Client),
  },
];

export const harnesses: readonly AdapterHarness[] = harnessesOf('google-genai', '3.3.0', GoogleGenAI);

/** The older major version differs in nothing that the adapter uses: it is tested, but the table lists the newer one only. */
export const olderMajor: readonly AdapterHarness[] = harnessesOf('google-genai-2', '2.32.0', GoogleGenAI2 as unknown as typeof GoogleGenAI);
