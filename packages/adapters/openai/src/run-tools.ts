/**
 * Owns tools for `client.chat.completions.runTools`: functions that receive the model's argument text and never reject.
 * The runner passes neither the id of a call nor its siblings to a function; both are read from the runner's messages.
 */
import type { AgentRun } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { isUnaltered } from '@holdfast/adapter-kit';
import type { LocatedCall } from './calls.ts';
import { chatCalls, writeExecutedArguments } from './calls.ts';
import type { Definition, ReadTool } from './tools.ts';

/** A tool for `runTools`. */
export interface RunToolsTool {
  /** The kind of tool that `runTools` takes. */
  type: 'function';
  /** Definition of the tool, and the function that answers its calls. It never rejects. */
  function: {
    name: string;
    description: string;
    parameters: object;
    strict?: boolean;
    function: (text: string, runner: ToolsRunner, toolContext: unknown) => Promise<unknown>;
  };
}

/** The properties used of the SDK's runner. */
export interface ToolsRunner {
  /** Messages of the conversation so far. */
  readonly messages: readonly unknown[];
  /** Its signal is aborted when the caller cancels. */
  readonly controller: AbortController;
}

/** The calls of an assistant message that have not started yet. */
const waiting = new WeakMap<object, Set<LocatedCall>>();

export function runToolsTool(
  run: AgentRun,
  reliable: Reliable,
  { source, runWith, rejection }: ReadTool,
  definition: Definition,
): RunToolsTool {
  const answerText: RunToolsTool['function']['function'] = async (text, runner, toolContext) => {
    const turn = runner.messages.findLast((message) => (message as { readonly role?: unknown }).role === 'assistant') as object;
    const calls = chatCalls(turn as never);
    const own = begin(turn, calls, source.name, text);
    const siblings = reliable.withDependencies(calls);
    const answer = await run.answerOne(siblings.find(({ callId }) => callId === own.callId) ?? own, turn, {
      signal: abortedLater(runner.controller.signal),
      siblings,
      execute: (args, context) => (runWith ? runWith(args, text, runner, toolContext) : source.run(args as never, context)),
    });
    writeExecutedArguments(own, answer);
    const isRejected = answer.result.error?.code === 'INVALID_ARGUMENTS' && !run.stopped;
    const ownWords = isRejected ? await rejection?.(text) : undefined;
    if (ownWords !== undefined) return ownWords;
    return isUnaltered(answer.result) ? answer.result.output : answer.text;
  };
  // The runner's types require a description and parameters; without them it sends none.
  return { type: 'function', function: { ...definition, function: answerText } as unknown as RunToolsTool['function'] };
}

/** A tool may abort its own runner: what it returns then is its result, as without Holdfast. */
function abortedLater(signal: AbortSignal): AbortSignal {
  if (signal.aborted) return signal;
  const known = later.get(signal);
  if (known) return known;
  const own = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => own.abort(signal.reason)), { once: true });
  later.set(signal, own.signal);
  return own.signal;
}

/** One for all calls of a runner. */
const later = new WeakMap<AbortSignal, AbortSignal>();

/** Finds the first call with this text that has not started; the runner starts them in order. */
function begin(turn: object, calls: readonly LocatedCall[], toolName: string, text: string): LocatedCall {
  const rest = waiting.get(turn) ?? new Set(calls);
  waiting.set(turn, rest);
  const own = [...rest].find((call) => call.toolName === toolName && call.arguments === text);
  if (own) rest.delete(own);
  return own ?? { toolName, callId: '', arguments: text, custom: false, native: {} };
}
