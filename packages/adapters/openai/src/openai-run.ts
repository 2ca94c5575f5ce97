/**
 * Owns one conversation over the OpenAI SDK: the tools as they are offered, calls answered, transcripts mended.
 *
 * Invariants
 * 1. `answerChat` and `answerResponses` give one result per call, in call order, and never throw.
 * 2. What is sent to the model again is what was executed: arguments that had to be mended are mended in the answer as well.
 */
import type { AgentRun, AnswerOptions, RunStopped, ToolAnswer } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
import type { CallOutput, ChatAnswer, ResponsesAnswer, WrittenCall } from './calls.ts';
import { callOutput, chatCalls, chatMessage, keepExecuted, responsesCalls } from './calls.ts';
import type { RunToolsTool } from './run-tools.ts';
import { runToolsTool } from './run-tools.ts';
import type { Definition, ReadTool } from './tools.ts';

export class OpenAIRun {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  readonly #reliable: Reliable;
  readonly #tools: readonly ReadTool[];
  readonly #definitions: readonly Definition[];

  constructor(reliable: Reliable, tools: readonly ReadTool[], agentRun: AgentRun) {
    this.#reliable = reliable;
    this.#tools = tools;
    this.#definitions = tools.map(({ definition }) => definition);
    this.agentRun = agentRun;
  }

  /** Why the loop should end, if it should. */
  get stopped(): RunStopped | undefined {
    return this.agentRun.stopped;
  }

  /** For `client.chat.completions.create`: the tools as they should be offered now. */
  get chatTools(): ChatCompletionFunctionTool[] {
    return this.#offered().map((definition) => ({ type: 'function', function: { ...definition } }));
  }

  /** For `client.responses.create`: the tools as they should be offered now. */
  get responsesTools(): FunctionTool[] {
    // Left out, `strict` would mean true there.
    return this.#offered().map((definition) => ({ type: 'function', parameters: null, strict: false, ...definition }));
  }

  /** For `client.chat.completions.runTools`: tools that never make the run reject. */
  get tools(): RunToolsTool[] {
    return this.#offered().flatMap((definition) => {
      const tool = this.#tools.find(({ source }) => source.name === definition.name);
      return tool ? runToolsTool(this.agentRun, this.#reliable, tool, definition) : [];
    });
  }

  /** One message per call, in call order. */
  answerChat(answer: ChatAnswer, options?: AnswerOptions): Promise<ChatCompletionToolMessageParam[]> {
    return this.#answer(chatCalls(answer), chatMessage, options);
  }

  /** One item per call of a function or custom tool, in call order. */
  answerResponses(answer: ResponsesAnswer, options?: AnswerOptions): Promise<CallOutput[]> {
    return this.#answer(responsesCalls(answer), callOutput, options);
  }

  /** Messages as the provider accepts them; the same array where there is nothing to mend. */
  repairChat<Message extends ChatCompletionMessageParam>(messages: Message[]): Message[] {
    return this.#reliable.repair({ messages }, 'openai-chat', this.agentRun).messages;
  }

  /** Input items as the provider accepts them; the same array where there is nothing to mend. */
  repairResponses<Item extends ResponseInputItem>(input: Item[]): Item[] {
    return this.#reliable.repair({ input }, 'openai-responses', this.agentRun).input;
  }

  async #answer<Told>(
    calls: readonly WrittenCall[],
    tell: (call: WrittenCall, answer: ToolAnswer) => Told,
    options: AnswerOptions | undefined,
  ): Promise<Told[]> {
    const answers = await this.#reliable.answer(this.agentRun, calls, options);
    return calls.flatMap((call, index) => {
      const answer = answers[index];
      if (!answer) return [];
      keepExecuted(call, answer);
      return tell(call, answer);
    });
  }

  #offered(): readonly Definition[] {
    return this.agentRun.advertise(this.#definitions);
  }
}
