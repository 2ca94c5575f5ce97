/**
 * Owns the `CallableTool` for the SDK's automatic function calling.
 * The SDK passes all calls of an answer at once, and in a stream one after the other. It asks for the declarations before every streamed request, and once more
 * before the first: calls that follow two of these questions are of a stream, and those of one answer are told by the time between them.
 */
import type { CallableTool, FunctionCall, FunctionDeclaration, Part } from '@google/genai';
import { fieldsOf } from '@holdfast/adapter-kit';
import type { AgentRun, AnswerOptions, ToolAnswer } from '@holdfast/core/agent';
import type { LocatedCall } from './calls.ts';
import { locateCall } from './calls.ts';
import type { ReadTool } from './tools.ts';

export interface AutomaticCalling {
  readonly agentRun: AgentRun;
  readonly byName: ReadonlyMap<string, ReadTool>;
  readonly declarations: () => FunctionDeclaration[];
  readonly answerAll: (calls: readonly LocatedCall[], options?: AnswerOptions) => Promise<readonly Part[]>;
  readonly withId: (call: LocatedCall) => LocatedCall;
  readonly write: (call: LocatedCall, answer: ToolAnswer) => readonly Part[];
}

export function callableTool(calling: AutomaticCalling, options?: AnswerOptions): CallableTool {
  const { agentRun, byName, declarations, answerAll, withId, write } = calling;
  let turn = {};
  let asked = 0;
  let streamed = false;
  const answerStreamed = async (located: LocatedCall): Promise<readonly Part[]> => {
    const call = withId(located);
    const source = byName.get(call.toolName)?.source;
    const execute = source && ((args: unknown, context: Parameters<typeof source.run>[1]) => source.run(args as never, context));
    return write(call, await agentRun.answerOne(call, turn, { ...options, execute }));
  };
  return {
    tool: () => {
      turn = {};
      asked += 1;
      return Promise.resolve({ functionDeclarations: declarations() });
    },
    callTool: async (given: FunctionCall[]) => {
      streamed ||= asked > 1;
      asked = 0;
      const calls = given.map((call) => locateCall(fieldsOf(call), false));
      const [only] = calls;
      return [...(streamed && calls.length === 1 && only ? await answerStreamed(only) : await answerAll(calls, options))];
    },
  };
}
