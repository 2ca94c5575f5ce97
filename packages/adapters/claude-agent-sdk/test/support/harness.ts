/** The Claude Agent SDK as played by the contract: `query` with an SDK MCP server. A double takes the place of Claude Code. */
import { join } from 'node:path';
import { createSdkMcpServer, type Options, query, type SdkMcpToolDefinition, tool } from '@anthropic-ai/claude-agent-sdk';
import type { AdapterHarness, Conversation, PlayResult } from '@holdfast/adapter-kit/testing';
import { reliableTools } from '@holdfast/claude-agent-sdk';
import { z } from 'zod';

/** Options that start the double, without settings of the machine. */
export const doubleOptions = (baseUrl: string, env: Readonly<Record<string, string>> = {}): Options => ({
  pathToClaudeCodeExecutable: join(import.meta.dirname, 'claude-code-double.mjs'),
  executable: 'node',
  settingSources: [],
  env: { PATH: process.env['PATH'], ANTHROPIC_BASE_URL: baseUrl, ANTHROPIC_API_KEY: 'key', ...env },
});

/** A tool writes its output as text, and takes care of what JSON cannot represent. */
const asText = (output: unknown): string => {
  const above = new Set<unknown>();
  const plain = (_key: string, part: unknown): unknown => {
    if (typeof part === 'bigint') return String(part);
    if (typeof part !== 'object' || part === null) return part;
    if (above.has(part)) return '[circular]';
    above.add(part);
    return part;
  };
  return typeof output === 'string' ? output : (JSON.stringify(output, plain) ?? 'nothing');
};

const definitions = ({ tools }: Conversation): SdkMcpToolDefinition[] =>
  tools.map(({ name, description, schema, run }) => {
    const { shape } = z.fromJSONSchema(schema) as z.ZodObject;
    return tool(name, description, shape as z.ZodRawShape, async (args, extra) => {
      const output = await run(args as never, (extra as { readonly signal?: AbortSignal }).signal);
      return { content: [{ type: 'text', text: asText(output) }] };
    }) as unknown as SdkMcpToolDefinition;
  });

/** Claude Code's own time limit, which is one for all tools. */
function ownTimeout({ options }: Conversation): Readonly<Record<string, string>> {
  const limits = Object.values(options.tools ?? {}).flatMap((each) => each?.timeoutMs ?? []);
  return limits.length > 0 ? { MCP_TOOL_TIMEOUT: String(Math.min(...limits)) } : {};
}

async function play(conversation: Conversation): Promise<PlayResult> {
  const { baseUrl, prompt, signal, maxAnswers, wrapped, options } = conversation;
  const tools = definitions(conversation);
  const run = wrapped ? reliableTools(tools, options).startRun() : undefined;
  const own = run?.server({ name: 'own' }) ?? createSdkMcpServer({ name: 'own', tools });
  const abortController = new AbortController();
  signal?.addEventListener('abort', () => abortController.abort());
  const messages = query({
    prompt,
    options: {
      ...doubleOptions(baseUrl, run ? {} : ownTimeout(conversation)),
      mcpServers: { own },
      maxTurns: maxAnswers,
      abortController,
      ...(run ? { hooks: run.hooks() } : {}),
    },
  });
  let text = '';
  for await (const message of messages) {
    if (message.type !== 'result') continue;
    if (message.subtype === 'success') text = message.result;
    else if (message.subtype !== 'error_max_turns') throw new Error(message.errors.join('; '));
  }
  return { text, stopped: run?.stopped };
}

export const harnesses: readonly AdapterHarness[] = [
  {
    id: 'claude-agent-sdk',
    framework: '@anthropic-ai/claude-agent-sdk 0.3.332, a double in place of Claude Code',
    adapter: '@holdfast/claude-agent-sdk',
    format: 'anthropic-messages',
    lacks: {
      streaming: 'Claude Code streams the model, not the SDK.',
      history: 'Claude Code keeps the conversation.',
      raw_arguments: 'Claude Code parses arguments itself.',
      unknown_tools: 'Claude Code answers calls of unknown tools itself.',
      truncation: 'Claude Code does not pass on why an answer ended.',
      dependencies: 'Claude Code sends calls one by one, without saying which belong together.',
      advertising: 'Claude Code lists the tools once.',
    },
    play,
  },
];
