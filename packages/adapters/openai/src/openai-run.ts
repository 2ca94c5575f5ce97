/**
 * Owns one conversation over the OpenAI SDK: the offered tools, answering calls, and repairing transcripts.
 *
 * Invariants
 * 1. `answerChat` and `answerResponses` return one result per call, in call order, and never throw.
 * 2. Repaired arguments are written back into the answer, so that the model sees what was executed.
 */
import type { AgentRun, AnswerOptions, RunStopped, ToolAnswer } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { openaiChatMessages, openaiResponsesItems } from '@holdfast/adapter-kit';
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
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** The tools to offer now, for `client.chat.completions.create`. */
  readonly chatTools: ChatCompletionFunctionTool[];
  /** The tools to offer now, for `client.responses.create`. */
  readonly responsesTools: FunctionTool[];
  /** Tools that never make the run reject, for `client.chat.completions.runTools`. */
  readonly tools: RunToolsTool[];
  /** Answers the calls of a chat answer. Returns one message per call, in call order. */
  answerChat(answer: ChatAnswer, options?: AnswerOptions): Promise<ChatCompletionToolMessageParam[]>;
  /** Answers the function and custom tool calls of a response. Returns one item per call, in call order. */
  answerResponses(answer: ResponsesAnswer, options?: AnswerOptions): Promise<CallOutput[]>;
  /** Repairs messages so that the provider accepts them; returns the same array if nothing was wrong. */
  repairChat<Message extends ChatCompletionMessageParam>(messages: Message[]): Message[];
  /** Repairs input items so that the provider accepts them; returns the same array if nothing was wrong. */
  repairResponses<Item extends ResponseInputItem>(input: Item[]): Item[];
}

export function openAIRun(reliable: Reliable, tools: readonly ReadTool[], agentRun: AgentRun): OpenAIRun {
  const byName = new Map(tools.map((tool) => [tool.source.name, tool]));
  const definitions = tools.map(({ definition }) => definition);
  const offeredTools = (): readonly Definition[] => agentRun.advertise(definitions);
  const answerAll = async <Written>(
    calls: readonly LocatedCall[],
    write: (call: LocatedCall, answer: ToolAnswer) => Written,
    options?: AnswerOptions,
  ): Promise<Written[]> => {
    const answers = await reliable.answer(agentRun, calls, options);
    return calls.flatMap((call, index) => {
      const answer = answers[index];
      if (!answer) return [];
      writeExecutedArguments(call, answer);
      return write(call, answer);
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
      // In Responses, `strict` defaults to true.
      return offeredTools().map((definition): FunctionTool => ({
        type: 'function',
        parameters: null,
        ...definition,
        strict: definition.strict ?? false,
      }));
    },
    get tools() {
      return offeredTools().flatMap((definition) => {
        const tool = byName.get(definition.name);
        return tool ? runToolsTool(agentRun, reliable, tool, definition) : [];
      });
    },
    answerChat: (answer, options) => answerAll(chatCalls(answer), chatMessage, options),
    answerResponses: (answer, options) => answerAll(responsesCalls(answer), callOutput, options),
    repairChat: (messages) => reliable.repair({ messages }, openaiChatMessages, agentRun).messages,
    repairResponses: (input) => reliable.repair({ input }, openaiResponsesItems, agentRun).input,
  };
}
