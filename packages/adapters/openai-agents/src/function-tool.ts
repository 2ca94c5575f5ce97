/**
 * Owns a function tool of the SDK that runs under the service: the same in everything but how it is run, and in what is reported about it while it fails.
 *
 * Invariants
 * 1. A failure is answered with a string (the SDK has no other way) whose first word says that it failed.
 * 2. What steers a run is thrown as it is: the caller's abort, a sibling's failure, a guardrail's tripwire.
 */
import { withProperties } from '@holdfast/adapter-kit';
import type { ReadArguments, ToolAnswer } from '@holdfast/core/agent';
import type { FunctionTool, RunContext } from '@openai/agents';
import { getCurrentSpan } from '@openai/agents';
import type { Conversation } from './conversation.ts';
import { textOf } from './conversation.ts';
import type { CallDetails, ParsedArguments, ReadTool } from './tools.ts';

export function functionTool(read: ReadTool, conversation: Conversation): FunctionTool {
  const { tool, decidesApproval } = read;
  const { agentRun } = conversation;
  const { name, description } = tool;
  const changes: Partial<FunctionTool> = {
    get description() {
      return agentRun.advertise([{ name, description }])[0]?.description ?? description;
    },
    isEnabled: async (context, agent) => agentRun.advertise([{ name }]).length > 0 && tool.isEnabled(context, agent),
    invoke: (context, text, details) => invoke(read, conversation, { context, text, details: (details ?? {}) as CallDetails }),
  };
  if (decidesApproval) {
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
  readonly details: CallDetails;
}

async function invoke(read: ReadTool, conversation: Conversation, { context, text, details }: Invocation): Promise<unknown> {
  const { signal } = details;
  const call = { toolName: read.tool.name, callId: details.toolCall?.callId ?? '', arguments: text };
  const reading = conversation.read(call);
  const parsed = reading.ok ? await read.parse(textOf(reading, text), context, details) : undefined;
  const attempt = new Attempts(read, parsed, { context, text, details });
  const answer = await conversation.answer(call, resolveReading(reading, parsed, read), {
    batch: signal,
    signal: signal ? AbortSignal.any([signal, attempt.steered]) : attempt.steered,
    execute: (args, { signal: limit }) => attempt.run(args, limit),
  });
  attempt.steered.throwIfAborted();
  if (answer.isError) {
    signal?.throwIfAborted();
    // What went wrong may be sensitive: the span has its code alone.
    getCurrentSpan()?.setError({
      message: 'Error running tool (non-fatal)',
      data: { tool_name: call.toolName, error: answer.result.error?.code },
    });
    return read.fallback ? read.fallback(context, new Error(answer.text), details) : answer.text;
  }
  conversation.executed.remember(call, answer);
  return outputOf(answer.result, answer.text, attempt.output);
}

/** The attempts of one call, in the SDK's way. */
class Attempts {
  readonly #read: ReadTool;
  readonly #parsed: ParsedArguments | undefined;
  readonly #invocation: Invocation;
  readonly #steering = new AbortController();
  /** What the tool itself gave last. */
  output: unknown;

  constructor(read: ReadTool, parsed: ParsedArguments | undefined, invocation: Invocation) {
    this.#read = read;
    this.#parsed = parsed;
    this.#invocation = invocation;
  }

  /** Aborted by what the tool threw to steer the run, with that as its reason. */
  get steered(): AbortSignal {
    return this.#steering.signal;
  }

  async run(args: unknown, limit: unknown): Promise<unknown> {
    const { context, details } = this.#invocation;
    try {
      const signal = limit as AbortSignal;
      this.output = await this.#read.run(
        this.#read.checked && this.#parsed?.ok ? this.#parsed.value : args,
        context,
        withProperties(details, { signal }),
      );
      return this.output;
    } catch (error) {
      if (isTripwire(error)) this.#steering.abort(error);
      throw error;
    }
  }
}

/** With what the SDK said of them: what it turned down is not run; what it repaired for its own strict schema is run so. */
function resolveReading(reading: ReadArguments, parsed: ParsedArguments | undefined, { checked }: ReadTool): ReadArguments {
  if (!reading.ok || !parsed) return reading;
  if (!parsed.ok) return { ok: false, message: `The arguments do not fit: ${parsed.message}` };
  return checked ? reading : { ...reading, value: parsed.value };
}

/** The tool's own output, unless something must be said of it. Pictures and files go as they are: the SDK reads them. */
function outputOf(result: ToolAnswer['result'], text: string, own: unknown): unknown {
  if (result.status !== 'success' || result.partial) return text;
  if (!result.altered) return result.output;
  return [own].flat().some((part) => ['image', 'file'].includes(String((part as { readonly type?: unknown } | null)?.type))) ? own : text;
}

/** A guardrail inside of a tool that runs an agent itself; the SDK may have put it into another error. */
function isTripwire(error: unknown): boolean {
  try {
    const { name, error: inner } = error as { readonly name?: unknown; readonly error?: { readonly name?: unknown } };
    return [name, inner?.name].some((each) => String(each).endsWith('GuardrailTripwireTriggered'));
  } catch {
    return false;
  }
}
