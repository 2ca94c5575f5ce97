/**
 * Owns one conversation over Bedrock's Converse API: the offered tools, answering calls, and repairing transcripts.
 *
 * Invariants
 * 1. `answer` returns one result per call, in call order, and never throws.
 * 2. Repaired arguments are written back into the answer, so that the model sees what was executed.
 */
import type { Message, Tool } from '@aws-sdk/client-bedrock-runtime';
import type { Reliable } from '@holdfast/adapter-kit';
import type { AgentRun, AnswerOptions, RunStopped } from '@holdfast/core/agent';
import { bedrockRequests } from '@holdfast/adapter-kit';
import type { ConverseAnswer, ToolResults } from './calls.ts';
import { callsOf, resultOf, writeExecutedInput } from './calls.ts';
import type { OtherTool, ReadTool } from './tools.ts';

/** A given tool, and its parsed form if it has a function. */
export interface OfferedTool {
  readonly given: OtherTool;
  readonly read: ReadTool | undefined;
}

/** One conversation. */
export interface BedrockRun {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** The tools to offer now, for `toolConfig.tools`. */
  readonly definitions: Tool[];
  /** Answers the calls of an answer. Returns a message with one result per call, in call order; `undefined` if there are no calls. */
  answer(answer: ConverseAnswer, options?: AnswerOptions): Promise<ToolResults | undefined>;
  /** Repairs messages so that the API accepts them; returns the same array if nothing was wrong. */
  repair<Given extends Message>(messages: readonly Given[]): Given[];
  /** Repairs a whole request by the rules of its model, with its tools; returns the same request if nothing was wrong. */
  repair<Given extends { readonly messages?: readonly Message[] | undefined }>(request: Given): Given;
}

export function bedrockRun(reliable: Reliable, tools: readonly OfferedTool[], agentRun: AgentRun): BedrockRun {
  const sources = tools.flatMap(({ read }) => read?.source ?? []);
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    get definitions() {
      const offered = new Map(agentRun.advertise(sources).map((source) => [source.name, source]));
      return tools.flatMap(({ given, read }) => {
        if (!read) return given as Tool;
        const source = offered.get(read.spec.name);
        if (!source) return [];
        const toolSpec = source === read.source ? read.spec : { ...read.spec, description: source.description };
        return { toolSpec } as Tool;
      });
    },
    answer: async (answer, options) => {
      const calls = callsOf(answer);
      if (calls.length === 0) return undefined;
      const answers = await reliable.answer(agentRun, calls, options);
      const content = calls.flatMap((call, index) => {
        const own = answers[index];
        if (!own) return [];
        writeExecutedInput(call, own);
        return resultOf(call, own);
      });
      return { role: 'user', content };
    },
    repair: (given: readonly Message[] | { readonly messages?: readonly Message[] | undefined }) => {
      if (!Array.isArray(given)) return reliable.repair(given, bedrockRequests, agentRun) as never;
      return reliable.repair({ messages: given }, bedrockRequests, agentRun).messages as never;
    },
  };
}
