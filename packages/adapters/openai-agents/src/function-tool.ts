/**
 * Owns wrapping a function tool of the SDK so that the service runs it. Only its execution, and its description while it fails, differ.
 *
 * Invariants
 * 1. A failure is returned as a string that starts with `Error`, since the SDK has no other way; a tool with an `errorFunction` fails as it does without Holdfast.
 * 2. Control-flow errors of a run are rethrown unchanged: the caller's abort, a sibling's failure, a guardrail's tripwire.
 */
import { withProperties } from '@holdfast/adapter-kit';
import type { ReadArguments, ToolAnswer } from '@holdfast/core/agent';
import type { FunctionTool, RunContext } from '@openai/agents';
import { getCurrentSpan } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import { textOf } from './conversation.ts';
import type { CallDetails, ParsedArguments, ReadTool } from './tools.ts';

export function functionTool(read: ReadTool, conversation: Conversation): FunctionTool {
  const { tool, hasApprovalFunction } = read;
  const { agentRun } = conversation;
  const { name, description } = tool;
  const changes: Partial<FunctionTool> = {
    get description() {
      return agentRun.advertise([{ name, description }])[0]?.description ?? description;
    },
    isEnabled: async (context, agent) => agentRun.advertise([{ name }]).length > 0 && tool.isEnabled(context, agent),
    invoke: (context, text, details) => invoke(read, conversation, { context, text, details: details as CallDetails | undefined }),
  };
  if (hasApprovalFunction) {
    changes.needsApproval = async (context, args, callId) => {
      const parsed = await read.parse(JSON.stringify(args), context, {});
      return tool.needsApproval(context, (parsed.ok ? parsed.value : args) as never, callId);
    };
  }
  return withProperties(tool, changes);
}

interface Invocation {
  readonly context: RunContext;
  readonly text: string;
  /** Absent in a direct invocation. */
  readonly details: CallDetails | undefined;
}

async function invoke(read: ReadTool, conversation: Conversation, { context, text, details }: Invocation): Promise<unknown> {
  const { signal } = details ?? {};
  const call = { toolName: read.tool.name, callId: details?.toolCall?.callId ?? '', arguments: text };
  const reading = conversation.read(call);
  const parsed = reading.ok ? await read.parse(textOf(reading, text), context, details) : undefined;
  const attempt = new Attempts(read, parsed, { context, text, details }, conversation.reliable.endsAttempts(call.toolName));
  const answer = await conversation.answer(call, resolveReading(reading, parsed, read), {
    batch: signal,
    signal: signal ? AbortSignal.any([signal, attempt.controlFlowSignal]) : attempt.controlFlowSignal,
    execute: (args, { signal: limit }) => attempt.run(args, limit),
  });
  attempt.controlFlowSignal.throwIfAborted();
  if (answer.isError) {
    signal?.throwIfAborted();
    if (read.fail) return read.fail(failureOf(answer), parsed?.ok && reading.ok ? textOf(reading, text) : text, context, details);
    // Error messages may be sensitive, so the span contains only the code.
    getCurrentSpan()?.setError({
      message: 'Error running tool (non-fatal)',
      data: { tool_name: call.toolName, error: answer.result.error?.code },
    });
    return answer.text;
  }
  conversation.executed.remember(call, answer);
  return outputOf(answer.result, answer.text, attempt.output);
}

/** The tool's own error; for a failure without one, such as a timeout or wrong arguments, an error with the text for the model. */
function failureOf({ result: { error }, text }: ToolAnswer): Error {
  const isOwn = error !== undefined && error.code !== 'INVALID_ARGUMENTS' && 'cause' in error;
  return isOwn ? (error.cause as Error) : new Error(text);
}

/** Runs the attempts of one call with the SDK's context. */
class Attempts {
  readonly #read: ReadTool;
  readonly #parsed: ParsedArguments | undefined;
  readonly #invocation: Invocation;
  readonly #endsAttempts: boolean;
  readonly #controlFlow = new AbortController();
  /** The last output of the tool itself. */
  output: unknown;

  /** @param endsAttempts whether an attempt may have to end while the SDK still waits, so that it needs a signal of its own */
  constructor(read: ReadTool, parsed: ParsedArguments | undefined, invocation: Invocation, endsAttempts: boolean) {
    this.#read = read;
    this.#parsed = parsed;
    this.#invocation = invocation;
    this.#endsAttempts = endsAttempts;
  }

  /** Aborted if the tool throws a control-flow error, with that error as the reason. */
  get controlFlowSignal(): AbortSignal {
    return this.#controlFlow.signal;
  }

  async run(args: unknown, limit: unknown): Promise<unknown> {
    const { context, details } = this.#invocation;
    try {
      const own = this.#endsAttempts ? withProperties(details ?? {}, { signal: limit as AbortSignal }) : details;
      this.output = await this.#read.run(this.#read.checked && this.#parsed?.ok ? this.#parsed.value : args, context, own);
      return this.output;
    } catch (error) {
      if (isTripwire(error)) this.#controlFlow.abort(error);
      throw error;
    }
  }
}

/** Combines the reading with the SDK's validation: rejected arguments are not run; arguments the SDK converted for its strict schema are run as converted. */
function resolveReading(reading: ReadArguments, parsed: ParsedArguments | undefined, { checked }: ReadTool): ReadArguments {
  if (!reading.ok || !parsed) return reading;
  if (!parsed.ok) return { ok: false, message: parsed.message, mismatch: true };
  return checked ? reading : { ...reading, value: parsed.value };
}

/** The tool's own output, unless the answer differs from it. Images and files are returned unchanged, since the SDK reads them. */
function outputOf(result: ToolAnswer['result'], text: string, own: unknown): unknown {
  if (result.status !== 'success' || result.partial) return text;
  if (!result.altered) return result.output;
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
