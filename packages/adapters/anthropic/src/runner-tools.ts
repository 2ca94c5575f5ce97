/**
 * Owns tools for `client.beta.messages.toolRunner`. The runner starts all calls of an answer at once without telling a tool about the others, so calls
 * that start together are treated as one turn.
 */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { AttemptContext } from '@holdfast/core';
import type { Reliable, TurnCollector } from '@holdfast/adapter-kit';
import { withProperties } from '@holdfast/adapter-kit';
import type { AgentRun, ToolAnswer } from '@holdfast/core/agent';
import { contentOf } from './calls.ts';
import type { ReadTool } from './tools.ts';

/** The context shared by all tools of a run. */
export interface RunnerContext {
  readonly agentRun: AgentRun;
  readonly reliable: Reliable;
  readonly collector: TurnCollector;
}

/** Wraps a tool so that AgentRun answers its calls; failures are thrown as the runner expects, with `is_error`. */
export function runnerTool(
  { agentRun, reliable, collector }: RunnerContext,
  read: ReadTool,
  description: string | undefined,
): BetaRunnableTool {
  const { given, source } = read;
  const isOfSdk = typeof given.parse === 'function';
  let calls = 0;
  const run = async (args: unknown, context?: BetaToolRunContext): Promise<Output> => {
    const toolUse = context?.toolUse;
    const callId = toolUse?.id ?? `${source.name}-${++calls}`;
    const call = { toolName: source.name, callId, arguments: args };
    const turn = await collector.turnOf(call);
    const siblings = reliable.withDependencies(turn);
    const signal = context?.signal ?? undefined;
    // A tool of the SDK gets a signal if the runner has one; a function with a schema, which is typed so, always.
    const signalOf = (attempt: AttemptContext): AbortSignal | undefined =>
      isOfSdk && !reliable.endsAttempts(source.name) ? signal : (attempt.signal as AbortSignal);
    const answer = await agentRun.answerOne(siblings[turn.indexOf(call)] ?? call, turn, {
      signal,
      siblings,
      execute: (parsed, attempt) => read.run(parsed, attempt, { toolUse, signal: signalOf(attempt) }),
    });
    return outputOf(answer, isOfSdk);
  };
  return withProperties(given, {
    ...(description === undefined ? {} : { description }),
    ...(given.close ? { close: () => given.close?.() } : {}),
    parse: (raw: unknown) => raw,
    run,
  } as Partial<BetaRunnableTool>);
}

type Output = Awaited<ReturnType<BetaRunnableTool['run']>>;

function outputOf(answer: ToolAnswer, isOfSdk: boolean): Output {
  const { result, isError } = answer;
  const content = contentOf(answer) as Output;
  if (isError) throw new ToolError(content);
  if (result.partial) return content;
  // What a tool of the SDK returns are blocks, also if there are none.
  const isEmpty = result.output === '' || (isOfSdk && Array.isArray(result.output) && result.output.length === 0);
  return isEmpty ? (result.output as Output) : content;
}
