/**
 * Owns one conversation over the OpenAI SDK: the tools as they are offered, calls answered, transcripts repaired.
 *
 * Invariants
 * 1. `answerChat` and `answerResponses` give one result per call, in call order, and never throw.
 * 2. What is sent to the model again is what was executed: arguments that had to be repaired are repaired in the answer as well.
 */
import type { AgentRun, AnswerOptions, RunStopped, ToolAnswer } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
import type { CallOutput, ChatAnswer, ResponsesAnswer, LocatedCall } from './calls.ts';
import { callOutput, chatCalls, chatMessage, writeExecutedArguments, responsesCalls } from './calls.ts';
import type { RunToolsTool } from './run-tools.ts';
import { runToolsTool } from './run-tools.ts';
import type { Definition, ReadTool } from './tools.ts';

/** One conversation. */
export interface OpenAIRun {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end, if it should. */
  readonly stopped: RunStopped | undefined;
  /** For `client.chat.completions.create`: the tools as they should be offered now. */
  readonly chatTools: ChatCompletionFunctionTool[];
  /** For `client.responses.create`: the tools as they should be offered now. */
  readonly responsesTools: FunctionTool[];
  /** For `client.chat.completions.runTools`: tools that never make the run reject. */
  readonly tools: RunToolsTool[];
  /** One message per call, in call order. */
  answerChat(answer: ChatAnswer, options?: AnswerOptions): Promise<ChatCompletionToolMessageParam[]>;
  /** One item per call of a function or custom tool, in call order. */
  answerResponses(answer: ResponsesAnswer, options?: AnswerOptions): Promise<CallOutput[]>;
  /** Messages as the provider accepts them; the same array where there is nothing to repair. */
  repairChat<Message extends ChatCompletionMessageParam>(messages: Message[]): Message[];
  /** Input items as the provider accepts them; the same array where there is nothing to repair. */
  repairResponses<Item extends ResponseInputItem>(input: Item[]): Item[];
}

export function openAIRun(reliable: Reliable, tools: readonly ReadTool[], agentRun: AgentRun): OpenAIRun {
  const byName = new Map(tools.map((tool) => [tool.source.name, tool]));
  const definitions = tools.map(({ definition }) => definition);
  const offeredTools = (): readonly Definition[] => agentRun.advertise(definitions);
  const answerAll = async <Told>(
    calls: readonly LocatedCall[],
    tell: (call: LocatedCall, answer: ToolAnswer) => Told,
    options?: AnswerOptions,
  ): Promise<Told[]> => {
    const answers = await reliable.answer(agentRun, calls, options);
    return calls.flatMap((call, index) => {
      const answer = answers[index];
      if (!answer) return [];
      writeExecutedArguments(call, answer);
      return tell(call, answer);
    });
  };
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    get chatTools() {
      return offeredTools().map((definition): ChatCompletionFunctionTool => ({ type: 'function', function: { ...definition } }));
    },
    get responsesTools() {
      // Left out, `strict` would mean true there.
      return offeredTools().map((definition): FunctionTool => ({ type: 'function', parameters: null, strict: false, ...definition }));
    },
    get tools() {
      return offeredTools().flatMap((definition) => {
        const tool = byName.get(definition.name);
        return tool ? runToolsTool(agentRun, reliable, tool, definition) : [];
      });
    },
    answerChat: (answer, options) => answerAll(chatCalls(answer), chatMessage, options),
    answerResponses: (answer, options) => answerAll(responsesCalls(answer), callOutput, options),
    repairChat: (messages) => reliable.repair({ messages }, 'openai-chat', agentRun).messages,
    repairResponses: (input) => reliable.repair({ input }, 'openai-responses', agentRun).input,
  };
}
