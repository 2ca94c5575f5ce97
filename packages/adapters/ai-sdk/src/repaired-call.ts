/**
 * Owns calls that the framework could not read: mended where that loses nothing, else told to the model in our words, and counted.
 *
 * Invariants
 * 1. A call is handed back only when its tool takes it; its arguments are then what is replayed, and what is executed.
 * 2. Nothing is run from here, and nothing is thrown.
 */
import type { ReadArguments } from '@holdfast/core/agent';
import { readArguments, unwrapCalls } from '@holdfast/wire';
import { asSchema } from 'ai';
import type { FlexibleSchema } from 'ai';
import type { Seam } from './seam.ts';
import { sayInstead } from './tool-call-error.ts';
import { sayIssues } from './wrapped-tool.ts';

/** What the framework hands to `repairToolCall`, in every version. */
export interface UnreadCall<Call extends WrittenCall = WrittenCall> {
  readonly toolCall: Call;
  readonly tools: Readonly<Record<string, { readonly inputSchema?: unknown }>>;
  readonly inputSchema: (options: { toolName: string }) => PromiseLike<object>;
  readonly messages: readonly unknown[];
  readonly error: Error;
  readonly abortSignal?: AbortSignal | undefined;
}

interface WrittenCall {
  readonly toolCallId: string;
  readonly toolName: string;
  /** JSON text as the model wrote it. */
  readonly input: string;
  readonly providerExecuted?: boolean | undefined;
}

export async function repairedCall<Call extends WrittenCall>(seam: Seam, unread: UnreadCall<Call>): Promise<Call | null> {
  const { toolCall, tools } = unread;
  if (toolCall.providerExecuted) return null;
  const offered = Object.keys(tools);
  const written = { toolName: toolCall.toolName, callId: toolCall.toolCallId, arguments: toolCall.input as unknown };
  const inside = unwrapCalls([written], offered);
  const { toolName: name, arguments: args } = inside.length === 1 ? (inside[0] ?? written) : written;
  const toolName = offeredName(name, offered);
  if (toolName === undefined) {
    const read = seam.knows(name) ? refused(`${name} is not offered now. The tools are: ${offered.join(', ') || 'none'}`) : undefined;
    const wrapped =
      inside.length > 1
        ? `\nCall these tools themselves, side by side in one answer: ${inside.map((call) => call.toolName).join(', ')}.`
        : '';
    return tell(seam, unread, name, read, wrapped);
  }
  const read = await readFor(seam, unread, toolName, args);
  if (!read.ok) return tell(seam, unread, toolName, read);
  seam.keepRepairs({ ...written, toolName }, read.repairs);
  return { ...toolCall, toolName, input: JSON.stringify(read.value) };
}

/** Models prefix names as their templates do, such as `functions.get_weather`. */
function offeredName(name: string, offered: readonly string[]): string | undefined {
  return [name, name.replace(/^functions\./, '').trim()].find((each) => offered.includes(each));
}

const refused = (message: string): ReadArguments => ({ ok: false, message });

async function readFor(seam: Seam, { tools, inputSchema }: UnreadCall, toolName: string, raw: unknown): Promise<ReadArguments> {
  try {
    const schema = (await inputSchema({ toolName })) as Readonly<Record<string, unknown>>;
    const read = (seam.options.readArguments ?? readArguments)({
      raw,
      toolName,
      schema,
      effect: seam.effectOf(toolName),
      truncated: false,
    });
    if (!read.ok) return read;
    const checked = await asSchema(tools[toolName]?.inputSchema as FlexibleSchema).validate?.(read.value);
    return !checked || checked.success ? read : refused(`The arguments do not fit: ${sayMismatch(checked.error)}`);
  } catch {
    return refused('The arguments could not be read');
  }
}

/** The framework wraps what its schema libraries say. */
function sayMismatch(error: Error): string {
  for (let inner: unknown = error; typeof inner === 'object' && inner !== null; inner = (inner as { readonly cause?: unknown }).cause) {
    const issues = Array.isArray(inner) ? inner : (inner as { readonly issues?: unknown }).issues;
    if (Array.isArray(issues) && issues.length > 0) return sayIssues(issues as readonly object[]);
  }
  return error.message;
}

/** What is told goes to the model as the text of the framework's own error. */
async function tell(
  seam: Seam,
  { toolCall, messages, error, abortSignal }: UnreadCall,
  toolName: string,
  read: ReadArguments | undefined,
  more = '',
): Promise<null> {
  const { text } = await seam.answer({
    toolName,
    callId: toolCall.toolCallId,
    arguments: toolCall.input,
    messages,
    signal: abortSignal,
    read,
    execute: () => {
      throw error;
    },
  });
  sayInstead(error, text + more);
  return null;
}
