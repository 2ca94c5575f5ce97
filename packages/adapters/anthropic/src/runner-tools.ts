/**
 * Owns tools for `client.beta.messages.toolRunner`. The runner starts all calls of an answer in one go and tells a tool nothing of the others: what starts
 * together is one turn.
 */
import type { BetaRunnableTool, BetaToolRunContext } from '@anthropic-ai/sdk/lib/tools/BetaRunnableTool';
import { ToolError } from '@anthropic-ai/sdk/lib/tools/ToolError';
import type { Reliable } from '@holdfast/adapter-kit';
import type { AgentRun, ModelCall, ToolAnswer } from '@holdfast/core/agent';
import { contentOf } from './calls.ts';
import type { ReadTool } from './tools.ts';

/** The calls that started together. */
export class StartedTogether {
  readonly #reliable: Reliable;
  #started: ModelCall[] | undefined;

  constructor(reliable: Reliable) {
    this.#reliable = reliable;
  }

  /** Answers when all calls that start with this one are known. */
  async siblingsOf(call: ModelCall): Promise<{ readonly turn: object; readonly own: ModelCall; readonly siblings: readonly ModelCall[] }> {
    const turn = (this.#started ??= []);
    const place = turn.push(call) - 1;
    await Promise.resolve();
    if (this.#started === turn) this.#started = undefined;
    const siblings = this.#reliable.ordered(turn);
    return { turn, own: siblings[place] ?? call, siblings };
  }
}

/** The tool, with answers that AgentRun words: failures are thrown as the runner wants them, with `is_error`. */
export function runnerTool(
  agentRun: AgentRun,
  together: StartedTogether,
  read: ReadTool,
  description: string | undefined,
): BetaRunnableTool {
  const { given, source } = read;
  let calls = 0;
  const run = async (args: unknown, context?: BetaToolRunContext): Promise<Output> => {
    const toolUse = context?.toolUse;
    const callId = toolUse?.id ?? `${source.name}-${++calls}`;
    const { turn, own, siblings } = await together.siblingsOf({ toolName: source.name, callId, arguments: args });
    const answer = await agentRun.answerOne(own, turn, {
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
