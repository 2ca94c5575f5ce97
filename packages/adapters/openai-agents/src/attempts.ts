/** Owns the attempts of one call with the SDK's context, and what the SDK is given as their outcome. */
import { CallSignal, withProperties } from '@holdfast/adapter-kit';
import type { ModelCall, ReadArguments, ToolAnswer } from '@holdfast/core/agent';
import { getCurrentSpan } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import type { CallDetails } from './tools.ts';

/** The context of an attempt, whose signal is made when it is read. */
interface Limits {
  readonly signal: unknown;
}

type RunAttempt = (args: unknown, details: CallDetails | undefined) => unknown;

/** Runs the attempts of one call with the SDK's context. */
export class Attempts {
  readonly #conversation: Conversation;
  readonly #call: ModelCall;
  readonly #details: CallDetails | undefined;
  readonly #run: RunAttempt;
  /** Whether an attempt may have to end while the SDK still waits, so that it needs a signal of its own. */
  readonly #endsAttempts: boolean;
  /** Cancelled if the tool throws a control-flow error, with that error as the reason. */
  readonly #signal: CallSignal;
  /** The last output of the tool itself. */
  output: unknown;

  constructor(conversation: Conversation, call: ModelCall, details: CallDetails | undefined, run: RunAttempt) {
    this.#conversation = conversation;
    this.#call = call;
    this.#details = details;
    this.#run = run;
    this.#signal = new CallSignal(details?.signal);
    this.#endsAttempts = conversation.reliable.endsAttempts(call.toolName);
  }

  /** @throws what ends the run of the SDK */
  async answer(read: ReadArguments): Promise<ToolAnswer> {
    const { signal: batch } = this.#details ?? {};
    const signal = this.#signal;
    const execute = (args: unknown, context: Limits): Promise<unknown> => this.#attempt(args, context);
    const answer = await this.#conversation.answer(this.#call, read, { batch, signal, execute });
    signal.throwIfCancelled();
    if (answer.isError) batch?.throwIfAborted();
    else this.#conversation.executed.remember(this.#call, answer);
    return answer;
  }

  async #attempt(args: unknown, context: Limits): Promise<unknown> {
    const own = this.#endsAttempts ? withProperties(this.#details ?? {}, { signal: context.signal as AbortSignal }) : this.#details;
    try {
      this.output = await this.#run(args, own);
      return this.output;
    } catch (error) {
      if (isTripwire(error)) this.#signal.cancel(error);
      throw error;
    }
  }
}

/** The tool's own output, unless the answer differs from it. The SDK reads images and files, and writes functions, symbols and BigInts as `String` does. */
export function outputOf({ result, text }: ToolAnswer, own: unknown): unknown {
  if (result.status !== 'success' || result.partial) return text;
  if (!result.altered) return result.output;
  if (['function', 'symbol', 'bigint'].includes(typeof own)) return own;
  return [own].flat().some((part) => ['image', 'file'].includes(String((part as { readonly type?: unknown } | null)?.type))) ? own : text;
}

/** Whether an error is a guardrail tripwire of an agent run inside a tool; the SDK may have wrapped it in another error. */
function isTripwire(error: unknown): boolean {
  try {
    const { name, error: inner } = error as { readonly name?: unknown; readonly error?: { readonly name?: unknown } };
    return [name, inner?.name].some((each) => String(each).endsWith('GuardrailTripwireTriggered'));
  } catch {
    return false;
  }
}

/** The failure as text, also in the span: error messages may be sensitive, so it contains only the code. */
export function describeFailure({ toolName, result, text }: ToolAnswer): string {
  getCurrentSpan()?.setError({ message: 'Error running tool (non-fatal)', data: { tool_name: toolName, error: result.error?.code } });
  return text;
}
