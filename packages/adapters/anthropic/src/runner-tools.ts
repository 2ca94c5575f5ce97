/**
 * Owns tools for `client.beta.messages.toolRunner`. The runner starts all calls of an answer in one go and tells a tool nothing of the others: what starts
 * together is one turn.
 */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { Reliable, TurnCollector } from '@holdfast/adapter-kit';
import type { AgentRun, ToolAnswer } from '@holdfast/core/agent';
import { contentOf } from './calls.ts';
import type { ReadTool } from './tools.ts';

/** What all tools of a run share. */
export interface RunnerContext {
  readonly agentRun: AgentRun;
  readonly reliable: Reliable;
  readonly together: TurnCollector;
}

/** The tool, with answers that AgentRun words: failures are thrown as the runner wants them, with `is_error`. */
export function runnerTool(
  { agentRun, reliable, together }: RunnerContext,
  read: ReadTool,
  description: string | undefined,
): BetaRunnableTool {
  const { given, source } = read;
  let calls = 0;
  const run = async (args: unknown, context?: BetaToolRunContext): Promise<Output> => {
    const toolUse = context?.toolUse;
    const callId = toolUse?.id ?? `${source.name}-${++calls}`;
    const call = { toolName: source.name, callId, arguments: args };
    const turn = await together.turnOf(call);
    const siblings = reliable.withDependencies(turn);
    const answer = await agentRun.answerOne(siblings[turn.indexOf(call)] ?? call, turn, {
      signal: context?.signal ?? undefined,
      siblings,
      execute: (parsed, attempt) => read.run(parsed, attempt, toolUse),
    });
    return outputOf(answer);
  };
  // A tool may be an object of a class.
  const own = Object.assign(Object.create(Object.getPrototypeOf(given) as object | null) as object, given, {
    ...(description === undefined ? {} : { description }),
    ...(given.close ? { close: () => given.close?.() } : {}),
    parse: (raw: unknown) => raw,
    run,
  });
  return own as BetaRunnableTool;
}

type Output = Awaited<ReturnType<BetaRunnableTool['run']>>;

function outputOf(answer: ToolAnswer): Output {
  const { result, isError } = answer;
  const content = contentOf(answer) as Output;
  if (isError) throw new ToolError(content);
  return result.output === '' && !result.partial ? '' : content;
}
