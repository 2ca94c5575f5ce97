/**
 * Owns which run a conversation is in. An agent is made once and serves everybody at once, and LangGraph names no invocation to its middleware; so a run is
 * found by the answers of the model that it has seen, which are the same objects as long as a loop runs.
 *
 * Invariants
 * 1. A run begins behind a message of the user, or behind an answer that called nothing. Two conversations never share one.
 * 2. Runs of conversations that are gone are forgotten with their messages.
 */
import type { AIMessage, BaseMessage } from '@langchain/core/messages';
import type { AgentRun } from '@holdfast/core/agent';

export interface RunFinder {
  /** The run of a conversation. */
  runOf(messages: readonly BaseMessage[]): AgentRun;
  /** This answer was made in this run. */
  remember(answer: BaseMessage, run: AgentRun): void;
}

export class Conversations implements RunFinder {
  readonly #start: () => AgentRun;
  readonly #runs = new WeakMap<BaseMessage, AgentRun>();

  constructor(start: () => AgentRun) {
    this.#start = start;
  }

  runOf(messages: readonly BaseMessage[]): AgentRun {
    const answers = answersOfLoop(messages);
    const known = answers.find((answer) => this.#runs.has(answer));
    const run = (known && this.#runs.get(known)) ?? this.#start();
    if (answers[0]) this.remember(answers[0], run);
    return run;
  }

  remember(answer: BaseMessage, run: AgentRun): void {
    this.#runs.set(answer, run);
  }
}

/** The answers with calls since the user has spoken, the latest first. */
function answersOfLoop(messages: readonly BaseMessage[]): readonly AIMessage[] {
  const answers: AIMessage[] = [];
  for (const message of messages.toReversed()) {
    if (message.type === 'human') break;
    if (message.type !== 'ai') continue;
    if (!(message as AIMessage).tool_calls?.length) break;
    answers.push(message as AIMessage);
  }
  return answers;
}
