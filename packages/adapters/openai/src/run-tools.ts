/**
 * Owns tools for `client.chat.completions.runTools`: functions that take the model's text and never reject.
 * The runner tells a function neither its call's id nor its siblings; both are read from the runner's messages.
 */
import type { AgentRun, ModelCall } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { chatCalls, executedText } from './calls.ts';
import type { Definition, ReadTool } from './tools.ts';

/** A tool as `runTools` takes it. */
export interface RunToolsTool {
  type: 'function';
  function: {
    name: string;
    description: string;
    parameters: object;
    strict?: boolean;
    function: (text: string, runner: Runner, toolContext: unknown) => Promise<unknown>;
  };
}

/** What is read of the SDK's runner. */
interface Runner {
  readonly messages: readonly unknown[];
  readonly controller: AbortController;
  allChatCompletions(): readonly { readonly choices: readonly { readonly finish_reason: unknown }[] }[];
}

interface WrittenCall {
  readonly id: string;
  readonly function?: { name: string; arguments: string };
}

/** Calls of a message that have begun, by its runner's message. */
const begun = new WeakMap<object, Set<WrittenCall>>();

export function runToolsTool(run: AgentRun, reliable: Reliable, { source, runWith }: ReadTool, definition: Definition): RunToolsTool {
  const answerText = async (text: string, runner: Runner, toolContext: unknown): Promise<unknown> => {
    const turn = runner.messages.findLast((message) => (message as { readonly role?: unknown }).role === 'assistant') as object;
    const written = begin(turn, source.name, text);
    const siblings = reliable.ordered(callsOf(turn, runner));
    const own = siblings.find(({ callId }) => callId === written?.id);
    const call: ModelCall = own ?? { toolName: source.name, callId: '', arguments: text };
    const answer = await run.answerOne(call, turn, {
      signal: runner.controller.signal,
      siblings,
      execute: runWith && ((args) => runWith(args, runner, toolContext)),
    });
    const executed = executedText(answer);
    // The runner's own message: it is sent again with every further request.
    if (written?.function && executed !== undefined) written.function.arguments = executed;
    const { result } = answer;
    return result.status === 'success' && !result.altered && !result.partial ? result.output : answer.text;
  };
  const { name, description = '', parameters = { type: 'object', properties: {} }, strict } = definition;
  return {
    type: 'function',
    function: { name, description, parameters, ...(strict === undefined ? {} : { strict }), function: answerText },
  };
}

/** The first call with this text that has not begun: the runner begins them in order. */
function begin(turn: object, toolName: string, text: string): WrittenCall | undefined {
  const taken = begun.get(turn) ?? new Set();
  begun.set(turn, taken);
  const calls = (turn as { readonly tool_calls?: readonly WrittenCall[] }).tool_calls ?? [];
  const call = calls.find((each) => !taken.has(each) && each.function?.name === toolName && each.function.arguments === text);
  if (call) taken.add(call);
  return call;
}

function callsOf(turn: object, runner: Runner): readonly ModelCall[] {
  const finish = runner.allChatCompletions().at(-1)?.choices[0]?.finish_reason;
  return chatCalls({ message: turn, finish_reason: finish } as never);
}
