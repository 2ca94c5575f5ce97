/**
 * Owns calls that the framework could not read: repaired where that loses nothing, else told to the model in our words, and counted.
 *
 * Invariants
 * 1. A call is handed back only when its tool takes it; its arguments are then what is replayed, and what is executed.
 * 2. Nothing is run from here, and nothing is thrown.
 */
import type { ReadArguments } from '@holdfast/core/agent';
import { readArguments, unwrapCalls } from '@holdfast/wire';
import type { ToolCallRepairFunction, ToolSet } from 'ai';
import { mismatchOf } from './input-schema.ts';
import type { RunBinding } from './run-binding.ts';
import { replaceMessage } from './tool-call-error.ts';

type RepairToolCall = ToolCallRepairFunction<ToolSet>;
type UnreadCall = Parameters<RepairToolCall>[0];

export async function repairCall(seam: RunBinding, unread: UnreadCall): ReturnType<RepairToolCall> {
  const { toolCall, tools, error } = unread;
  if (toolCall.providerExecuted) return null;
  const offered = Object.keys(tools);
  const written = { toolName: toolCall.toolName, callId: toolCall.toolCallId, arguments: toolCall.input };
  const inside = unwrapCalls([written], offered);
  const { toolName: name, arguments: args } = (inside.length === 1 && inside[0]) || written;
  // Models prefix names as their templates do.
  const toolName = [name, name.replace(/^functions\./, '')].find((each) => offered.includes(each));
  const read = toolName === undefined ? unreadable('Not offered') : await readCall(seam, unread, toolName, args);
  if (toolName !== undefined && read.ok) {
    if (read.repairs.length > 0) seam.repairs.set(written.callId, read.repairs);
    return { ...toolCall, toolName, input: JSON.stringify(read.value) };
  }
  const { text, result } = await seam.answer({ ...written, toolName: toolName ?? name }, read, () => Promise.reject(error), unread);
  const notes = inside.length > 1 ? [`Call these tools themselves, side by side: ${inside.map((call) => call.toolName).join(', ')}.`] : [];
  const { note = 'Go on without it.' } = seam.agentRun.availability(name);
  const withheld = `Error TOOL_DISABLED: ${name} is not offered now. The tools are: ${offered.join(', ') || 'none'}.\nNext: ${note}`;
  // The service knows the tool all the same.
  const isWithheld = toolName === undefined && result.error?.code === 'INVALID_ARGUMENTS';
  // The framework replays the call under its name, which providers refuse when it has other letters.
  if (toolName === undefined) toolCall.toolName = toolCall.toolName.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
  // The framework tells the model what its error says.
  replaceMessage(error, [isWithheld ? withheld : text, ...notes].join('\n'));
  return null;
}

const unreadable = (message: string): ReadArguments => ({ ok: false, message });

async function readCall(seam: RunBinding, { tools, inputSchema }: UnreadCall, toolName: string, raw: unknown): Promise<ReadArguments> {
  try {
    const schema = (await inputSchema({ toolName })) as Readonly<Record<string, unknown>>;
    const effect = seam.reliable.service.getToolSettings(toolName)?.effect;
    const read = (seam.options.readArguments ?? readArguments)({ raw, toolName, schema, effect, truncated: false });
    const mismatch = read.ok ? await mismatchOf(tools[toolName]?.inputSchema, read.value) : undefined;
    return mismatch === undefined ? read : unreadable(`The arguments do not fit: ${mismatch}`);
  } catch {
    return unreadable('The arguments could not be read');
  }
}
