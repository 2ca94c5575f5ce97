/**
 * Owns one conversation over the OpenAI SDK: the tools as they are offered, calls answered, transcripts mended.
 *
 * Invariants
 * 1. `answerChat` and `answerResponses` give one result per call, in call order, and never throw.
 * 2. What is replayed to the model is what was executed, where its arguments had to be repaired.
 */
import type { AgentRun, AnswerOptions, ModelCall, RunStopped, ToolAnswer } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import type {
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
  ChatCompletionToolMessageParam,
} from 'openai/resources/chat/completions';
import type { FunctionTool, ResponseInputItem } from 'openai/resources/responses/responses';
import type { CallOutput, ChatAnswer, ResponsesAnswer } from './calls.ts';
import { asExecuted, callOutputs, chatCalls, chatMessages, executedText, responsesCalls } from './calls.ts';
import type { RunToolsTool } from './run-tools.ts';
import { runToolsTool } from './run-tools.ts';
import type { Definition, ReadTool } from './tools.ts';

export class OpenAIRun {
  /** What answers the calls. */
  readonly agentRun: AgentRun;
  readonly #reliable: Reliable;
  readonly #tools: readonly ReadTool[];
  readonly #definitions: readonly Definition[];
  /** By call id: arguments that had to be repaired, as they were executed. */
  readonly #executed = new Map<string, string>();

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
    return this.#offered().map((definition) => ({ type: 'function', function: { ...definition } }) as ChatCompletionFunctionTool);
  }

  /** For `client.responses.create`: the tools as they should be offered now. */
  get responsesTools(): FunctionTool[] {
    return this.#offered().map(({ name, description, parameters, strict }) => ({
      type: 'function',
      name,
      ...(description === undefined ? {} : { description }),
      parameters: parameters ?? null,
      // Left out, it would mean true there.
      strict: strict ?? false,
    }));
  }

  /** For `client.chat.completions.runTools`: tools that never make the run reject. */
  get tools(): RunToolsTool[] {
    return this.#offered().flatMap((definition) => {
      const tool = this.#tools.find(({ source }) => source.name === definition.name);
      return tool ? runToolsTool(this.agentRun, this.#reliable, tool, definition) : [];
    });
  }

  /** One message per call, in call order. */
  async answerChat(answer: ChatAnswer, options?: AnswerOptions): Promise<ChatCompletionToolMessageParam[]> {
    const calls = chatCalls(answer);
    return chatMessages(calls, await this.#answer(calls, options));
  }

  /** One item per call of a function or custom tool, in call order. */
  async answerResponses(answer: ResponsesAnswer, options?: AnswerOptions): Promise<CallOutput[]> {
    const calls = responsesCalls(answer);
    return callOutputs(calls, await this.#answer(calls, options));
  }

  /** Messages as the provider accepts them; the same array where there is nothing to mend. */
  repairChat<Message extends ChatCompletionMessageParam>(messages: readonly Message[]): Message[] {
    const given = asExecuted(messages, this.#executed);
    return this.#reliable.repair({ messages: given as Message[] }, 'openai-chat', this.agentRun).messages;
  }

  /** Input items as the provider accepts them; the same array where there is nothing to mend. */
  repairResponses<Item extends ResponseInputItem>(input: readonly Item[]): Item[] {
    const given = asExecuted(input, this.#executed);
    return this.#reliable.repair({ input: given as Item[] }, 'openai-responses', this.agentRun).input;
  }

  async #answer(calls: readonly ModelCall[], options: AnswerOptions | undefined): Promise<readonly ToolAnswer[]> {
    const answers = await this.agentRun.answer(this.#reliable.ordered(calls), options);
    for (const [index, answer] of answers.entries()) {
      const text = executedText(answer);
      if (text !== undefined) this.#executed.set(calls[index]?.callId ?? answer.callId, text);
    }
    return answers;
  }

  #offered(): readonly Definition[] {
    return this.agentRun.advertise(this.#definitions);
  }
}
