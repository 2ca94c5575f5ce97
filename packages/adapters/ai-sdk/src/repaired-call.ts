/**
 * Owns calls that the framework could not read: mended where that loses nothing, else told to the model in our words, and counted.
 *
 * Invariants
 * 1. A call is handed back only when its tool takes it; its arguments are then what is replayed, and what is executed.
 * 2. Nothing is run from here, and nothing is thrown.
 */
import type { ReadArguments } from '@holdfast/core/agent';
import { readArguments, unwrapCalls } from '@holdfast/wire';
import type { ToolCallRepairFunction, ToolSet } from 'ai';
import { mismatchOf } from './input-schema.ts';
import type { Seam } from './seam.ts';
import { sayInstead } from './tool-call-error.ts';

type RepairToolCall = ToolCallRepairFunction<ToolSet>;
type UnreadCall = Parameters<RepairToolCall>[0];

export async function repairedCall(seam: Seam, unread: UnreadCall): ReturnType<RepairToolCall> {
  const { toolCall, tools, messages, error, abortSignal: signal } = unread;
  if (toolCall.providerExecuted) return null;
  const offered = Object.keys(tools);
  const written = { toolName: toolCall.toolName, callId: toolCall.toolCallId, arguments: toolCall.input };
  const inside = unwrapCalls([written], offered);
  const meant = (inside.length === 1 && inside[0]) || written;
  // Models prefix names as their templates do.
  const toolName = [meant.toolName, meant.toolName.replace(/^functions\./, '')].find((name) => offered.includes(name));
  const read = toolName === undefined ? refused('Not offered') : await readFor(seam, unread, toolName, meant.arguments);
  if (toolName !== undefined && read.ok) {
    if (read.repairs.length > 0) seam.repairs.set(written.callId, read.repairs);
    return { ...toolCall, toolName, input: JSON.stringify(read.value) };
  }
  const execute = (): never => {
    throw error;
  };
  const { text, result } = await seam.answer({ ...written, toolName: toolName ?? meant.toolName, messages, signal, read, execute });
  const notes = inside.length > 1 ? [`Call these tools themselves, side by side: ${inside.map((call) => call.toolName).join(', ')}.`] : [];
  // The framework replays the call under its name, which providers refuse when it has other letters.
  if (toolName === undefined) toolCall.toolName = toolCall.toolName.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
  const withheld = toolName === undefined && result.error?.code === 'INVALID_ARGUMENTS';
  // The framework tells the model what its error says.
  sayInstead(error, [withheld ? sayWithheld(seam, meant.toolName, offered) : text, ...notes].join('\n'));
  return null;
}

/** Of a tool that is there, but is not offered in this step. */
function sayWithheld({ agentRun }: Seam, toolName: string, offered: readonly string[]): string {
  const { note = 'Go on without it.' } = agentRun.availability(toolName);
  return `Error TOOL_DISABLED: ${toolName} is not offered now. The tools are: ${offered.join(', ') || 'none'}.\nNext: ${note}`;
}

const refused = (message: string): ReadArguments => ({ ok: false, message });

async function readFor(seam: Seam, { tools, inputSchema }: UnreadCall, toolName: string, raw: unknown): Promise<ReadArguments> {
  try {
    const schema = (await inputSchema({ toolName })) as Readonly<Record<string, unknown>>;
    const effect = seam.reliable.service.getToolSettings(toolName)?.effect;
    const read = (seam.options.readArguments ?? readArguments)({ raw, toolName, schema, effect, truncated: false });
    const mismatch = read.ok ? await mismatchOf(tools[toolName]?.inputSchema, read.value) : undefined;
    return mismatch === undefined ? read : refused(`The arguments do not fit: ${mismatch}`);
  } catch {
    return refused('The arguments could not be read');
  }
}
