/** Owns one conversation: its tools, the server that offers them, and the hook that ends its loop. */
import { createSdkMcpServer, type HookCallback, type McpSdkServerConfigWithInstance, type Options } from '@anthropic-ai/claude-agent-sdk';
import { answerNativeCall, withProperties } from '@holdfast/adapter-kit';
import type { AgentRun, ModelCall, ReadArguments, RunStopped } from '@holdfast/core/agent';
import { mismatchOf } from './check-arguments.ts';
import { resultOf, throwIfError } from './results.ts';
import type { ClaudeTool } from './tool.ts';
import { watchCalls } from './watch-calls.ts';

/** Hooks, as the SDK takes them in `options.hooks`. */
export type Hooks = NonNullable<Options['hooks']>;

/** One conversation. */
export interface ClaudeAgentRun {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** The tools, for `createSdkMcpServer`. `server` describes wrong arguments, too. */
  readonly tools: Parameters<typeof createSdkMcpServer>[0]['tools'] & object;
  /** The server for `mcpServers` of one `query`: the SDK's own, with these tools. Takes the options of `createSdkMcpServer`. */
  readonly server: (options: Omit<Parameters<typeof createSdkMcpServer>[0], 'tools'>) => McpSdkServerConfigWithInstance;
  /** Your hooks, and one that ends the conversation when the run is stopped. */
  readonly hooks: (own?: Hooks) => Hooks;
}

/** What the SDK passes to a handler, as far as it is used. */
interface Extra {
  readonly signal?: AbortSignal;
  readonly requestId?: string | number;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export function claudeAgentRun(given: readonly ClaudeTool[], agentRun: AgentRun): ClaudeAgentRun {
  const tools = given.map((tool) => withProperties(tool, { handler: handlerOf(tool, agentRun) as ClaudeTool['handler'] }));
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    tools: tools as unknown as ClaudeAgentRun['tools'],
    server(options) {
      const config = createSdkMcpServer({ ...options, tools: tools as never });
      watchCalls(config.instance, async ({ name, arguments: args = {} }, id) => {
        const tool = given.find((each) => each.name === name);
        const message = tool && (await mismatchOf(tool.inputSchema, args));
        return message === undefined ? undefined : refuse(agentRun, { toolName: name, callId: id, arguments: args }, message);
      });
      return config;
    },
    hooks: (own = {}) => ({ ...own, PostToolBatch: [...(own.PostToolBatch ?? []), { hooks: [endAnswer(agentRun)] }] }),
  };
}

/** Answers a call with wrong arguments, which is counted. */
async function refuse(agentRun: AgentRun, call: ModelCall, message: string): Promise<object> {
  const read: ReadArguments = { ok: false, message, mismatch: true };
  return resultOf(await agentRun.answerOne(call, agentRun, { read, siblings: [call], execute: () => Promise.reject(new Error(message)) }));
}

/** After all calls of an answer. */
const endAnswer =
  (agentRun: AgentRun): HookCallback =>
  () => {
    agentRun.endTurn(agentRun);
    return Promise.resolve(agentRun.stopped ? { continue: false, stopReason: agentRun.stopped.message } : {});
  };

function handlerOf(tool: ClaudeTool, agentRun: AgentRun): (args: unknown, extra?: Extra) => Promise<object> {
  // The SDK calls it without its tool.
  const { handler } = tool;
  return async (args, extra = {}) => {
    const { 'claudecode/toolUseId': toolUseId } = extra._meta ?? {};
    const callId = typeof toolUseId === 'string' ? toolUseId : String(extra.requestId ?? crypto.randomUUID());
    const call = { toolName: tool.name, callId, arguments: args };
    const { answer } = await answerNativeCall(agentRun, {
      call,
      siblings: [call],
      turn: agentRun,
      signal: extra.signal,
      run: async (own, { signal }) =>
        throwIfError(await handler(own as never, withProperties(extra, { signal: signal as AbortSignal }) as never)),
      outputOf: (output) => output,
      isControlFlowError: isHostError,
      argumentErrorOf: () => undefined,
    });
    return resultOf(answer);
  };
}

/** Whether the host has to act first, such as by opening a URL. */
function isHostError(error: unknown): boolean {
  try {
    return (Object(error) as { readonly code?: unknown }).code === -32_042;
  } catch {
    return false;
  }
}
