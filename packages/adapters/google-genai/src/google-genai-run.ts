/**
 * Owns one conversation over the Google Gen AI SDK: the offered tools, answering calls, and repairing transcripts.
 *
 * Invariants
 * 1. `answer` returns one response per call, in call order, and never throws.
 * 2. Repaired arguments are written back into the answer, so that the model sees what was executed.
 */
import type { Content, FunctionDeclaration, Part, Tool, ToolUnion } from '@google/genai';
import type { Reliable } from '@holdfast/adapter-kit';
import { geminiContents, fieldsOf } from '@holdfast/adapter-kit';
import type { AgentRun, AnswerOptions, RunStopped, ToolAnswer } from '@holdfast/core/agent';
import { callableTool } from './callable-tools.ts';
import type { FunctionResults, GeminiAnswer, LocatedCall } from './calls.ts';
import { callsOf, partsOf, writeExecutedArguments } from './calls.ts';
import type { HostedTool, ReadTool } from './tools.ts';

/** One conversation. */
export interface GoogleGenAIRun {
  /** The agent run that answers the calls. */
  readonly agentRun: AgentRun;
  /** Why the loop should end; `undefined` if it should continue. */
  readonly stopped: RunStopped | undefined;
  /** The tools to offer now, for `config.tools` of your own loop. */
  readonly definitions: Tool[];
  /** The same tools, answered by Holdfast, for `config.tools` of automatic function calling. `options`: the caller's `signal`, a time limit. */
  readonly callableTools: (options?: AnswerOptions) => ToolUnion[];
  /** Answers the calls of an answer. Returns a content with one response per call, in call order; `undefined` if there are no calls. */
  answer(answer: GeminiAnswer, options?: AnswerOptions): Promise<FunctionResults | undefined>;
  /** Repairs contents so that the API accepts them; returns the same array if nothing was wrong. */
  repair<Given extends Content>(contents: readonly Given[]): Given[];
  /** Repairs the contents of a request by the rules of its model; returns the same request if nothing was wrong. */
  repair<Given extends { readonly model?: string; readonly contents: unknown }>(request: Given): Given;
}

export function googleGenAIRun(
  reliable: Reliable,
  functions: readonly ReadTool[],
  hosted: readonly HostedTool[],
  agentRun: AgentRun,
): GoogleGenAIRun {
  const declarations = (): FunctionDeclaration[] => {
    const offered = agentRun.advertise(functions.map(({ source }) => source));
    return offered.flatMap(({ name, description }) => {
      const declaration = functions.find(({ source }) => source.name === name)?.declaration;
      return declaration ? { ...declaration, ...(description === undefined ? {} : { description }) } : [];
    });
  };
  const write = (call: LocatedCall, answer: ToolAnswer): readonly Part[] => {
    writeExecutedArguments(call, answer);
    return partsOf(call, answer);
  };
  let unnamed = 0;
  const withId = (call: LocatedCall): LocatedCall =>
    isFilled(call.id) ? call : { ...call, callId: `${String(call.toolName)}-${++unnamed}` };
  const answerAll = async (located: readonly LocatedCall[], options?: AnswerOptions): Promise<readonly Part[]> => {
    const calls = located.map(withId);
    const answers = await reliable.answer(agentRun, calls, options);
    return calls.flatMap((call, index) => {
      const answer = answers[index];
      return answer ? write(call, answer) : [];
    });
  };
  const byName = new Map(functions.map((each) => [each.source.name, each]));
  return {
    agentRun,
    get stopped() {
      return agentRun.stopped;
    },
    get definitions() {
      const functionDeclarations = declarations();
      return [...(functionDeclarations.length > 0 ? [{ functionDeclarations }] : []), ...(hosted as readonly Tool[])];
    },
    callableTools: (options) => [
      ...(functions.length > 0 ? [callableTool({ agentRun, byName, declarations, answerAll, withId, write }, options)] : []),
      ...(hosted as readonly Tool[]),
    ],
    answer: async (answer, options) => {
      const calls = callsOf(answer);
      return calls.length === 0 ? undefined : { role: 'user', parts: [...(await answerAll(calls, options))] };
    },
    repair: (given: unknown) => repairContents(reliable, agentRun, given) as never,
  };
}

/** Models before Gemini 3 give calls no ids. */
const isFilled = (id: unknown): boolean => typeof id === 'string' && id !== '';

/** Repairs only lists of contents: the SDK also takes strings and parts, which have no calls. */
function repairContents(reliable: Reliable, agentRun: AgentRun, given: unknown): unknown {
  const isList = Array.isArray(given);
  const { contents = given, model } = isList ? {} : fieldsOf(given);
  if (!Array.isArray(contents) || !contents.every((content) => 'parts' in fieldsOf(content))) return given;
  const request = { ...(model === undefined ? {} : { model }), contents };
  const repaired = reliable.repair(request, geminiContents, agentRun);
  if (repaired === request) return given;
  return isList ? repaired.contents : { ...fieldsOf(given), contents: repaired.contents };
}
