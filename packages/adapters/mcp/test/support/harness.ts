/**
 * MCP clients as played by the contract: a custom loop over Chat Completions, with the tools of an in-memory server. The server handles its errors
 * carefully, since they are not the subject of the test.
 */
import type { AdapterHarness, ContractTool, Conversation, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableClient } from '@holdfast/mcp';
import type { ReliableClient } from '@holdfast/mcp';
import type { Client, Tool } from '@modelcontextprotocol/client';
import type { AnyClient } from './servers.ts';
import { connect, serverOf } from './servers.ts';

interface Message {
  readonly content: string | null;
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly name: string; readonly arguments: string } }[];
}

const asText = (output: unknown): string => {
  const above = new Set<unknown>();
  const plain = (_key: string, part: unknown): unknown => {
    if (typeof part === 'bigint') return String(part);
    if (typeof part !== 'object' || part === null) return part;
    if (above.has(part)) return '[circular]';
    above.add(part);
    return part;
  };
  return typeof output === 'string' ? output : JSON.stringify(output, plain);
};

const reasonOf = (error: unknown): string => {
  try {
    const { message } = Object(error) as { readonly message?: unknown };
    return typeof message === 'string' ? message : typeof error === 'string' ? error : 'The tool failed.';
  } catch {
    return 'The tool failed.';
  }
};

const served = ({ name, description, schema, run }: ContractTool): Parameters<typeof serverOf>[0][number] => ({
  name,
  description,
  schema,
  run: async (args, { signal }) => {
    try {
      return asText(await run(args, signal));
    } catch (error) {
      throw new Error(reasonOf(error), { cause: error });
    }
  },
});

async function play(conversation: Conversation, version: AnyClient['version']): Promise<PlayResult> {
  const { tools, options, wrapped, signal, baseUrl, prompt, maxAnswers } = conversation;
  const { client: bare, call } = await connect(version, serverOf(tools.map(served)));
  const safe = wrapped ? (reliableClient(bare as Client, options).reliable.startRun() as ReliableClient<Client>) : undefined;
  const client = safe ?? (bare as Client);
  // Without Holdfast the limit of the SDK applies; with it the limit of Holdfast.
  const limits = (name: string): object => {
    const timeout = wrapped ? undefined : options.tools?.[name]?.timeoutMs;
    return { ...(signal ? { signal } : {}), ...(timeout === undefined ? {} : { timeout }) };
  };
  const messages: unknown[] = [{ role: 'user', content: prompt }];
  let text = '';
  for (let answers = 0; answers < maxAnswers && !safe?.reliable.stopped; answers++) {
    const listed = await client.listTools();
    const message = await ask(baseUrl, { model: 'gpt-5.2', messages, tools: listed.tools.map(offered) }, signal);
    messages.push(message);
    text = message.content ?? '';
    if (!message.tool_calls) break;
    const results = message.tool_calls.map(async ({ id, function: { name, arguments: written } }) => {
      const answer = { role: 'tool', tool_call_id: id };
      try {
        const { content } = await call(client as never, { name, arguments: JSON.parse(written) as Record<string, unknown> }, limits(name));
        return { ...answer, content: content.map((part) => (part.type === 'text' ? part.text : '')).join('\n') };
      } catch (error) {
        return { ...answer, content: `Error: ${(error as Error).message}` };
      }
    });
    messages.push(...(await Promise.all(results)));
    signal?.throwIfAborted();
  }
  await bare.close();
  return { text, stopped: safe?.reliable.stopped };
}

const offered = ({ name, description, inputSchema }: Tool): object => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

async function ask(baseUrl: string, body: object, signal: AbortSignal | undefined): Promise<Message> {
  const request = { method: 'POST', headers: { authorization: 'Bearer key' }, body: JSON.stringify(body), signal: signal ?? null };
  const response = await fetch(`${baseUrl}/chat/completions`, request);
  if (!response.ok) throw new Error(await response.text());
  const { choices } = (await response.json()) as { readonly choices: readonly [{ readonly message: Message }] };
  return choices[0].message;
}

const harnessOf = (version: AnyClient['version'], sdk: string): AdapterHarness => ({
  id: `mcp-${version}`,
  framework: `${sdk}, client in a loop of one's own`,
  adapter: '@holdfast/mcp',
  format: 'openai-chat',
  lacks: {
    streaming: 'An MCP client does not talk to the model.',
    history: 'An MCP client does not see the conversation.',
    raw_arguments: 'An MCP client receives parsed arguments.',
    truncation: 'An MCP client does not see the answer of the model.',
  },
  play: (conversation) => play(conversation, version),
});

export const harnesses: readonly AdapterHarness[] = [
  harnessOf('v1', '@modelcontextprotocol/sdk 1.32.2'),
  harnessOf('v2', '@modelcontextprotocol/client 2.4.0'),
];
