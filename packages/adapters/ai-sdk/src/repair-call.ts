/**
 * Owns calls the framework could not parse: repaired without loss if possible, otherwise reported to the model and counted.
 *
 * Invariants
 * 1. A call is returned to the framework only if its tool accepts it; its arguments are then both replayed and executed.
 * 2. No tool is run here, and nothing is thrown.
 */
import type { ReadArguments } from '@holdfast/core/agent';
import { readArguments, unwrapCalls } from '@holdfast/wire';
import type { ToolCallRepairFunction, ToolSet } from 'ai';
import { mismatchOf } from './input-schema.ts';
import type { RunBinding } from './run-binding.ts';
import { replaceMessage } from './failures.ts';

type RepairToolCall = ToolCallRepairFunction<ToolSet>;
type UnreadCall = Parameters<RepairToolCall>[0];

export async function repairCall(binding: RunBinding, unread: UnreadCall): ReturnType<RepairToolCall> {
  const { toolCall, tools, error } = unread;
  if (toolCall.providerExecuted) return null;
  const offered = Object.keys(tools);
  const written = { toolName: toolCall.toolName, callId: toolCall.toolCallId, arguments: toolCall.input };
  const inside = unwrapCalls([written], offered);
  const { toolName: name, arguments: args } = (inside.length === 1 && inside[0]) || written;
  // Models copy the name prefix of their chat templates.
  const toolName = [name, name.replace(/^functions\./, '')].find((each) => offered.includes(each));
  const read = toolName === undefined ? unreadable('The tool is not offered') : await readCall(binding, unread, toolName, args);
  if (toolName !== undefined && read.ok) {
    if (read.repairs.length > 0) binding.repairs.set(written.callId, read.repairs);
    return { ...toolCall, toolName, input: JSON.stringify(read.value) };
  }
  const { text, result } = await binding.answer({ ...written, toolName: toolName ?? name }, read, () => Promise.reject(error), unread);
  const notes = inside.length > 1 ? [`Call these tools directly, in parallel: ${inside.map((call) => call.toolName).join(', ')}.`] : [];
  const { note = 'Continue without it.' } = binding.agentRun.availability(name);
  const withheld = `Error TOOL_DISABLED: ${name} is not available now. Available tools: ${offered.join(', ') || 'none'}.\nNext: ${note}`;
  // The service knows the tool even if it is not offered.
  const isWithheld = toolName === undefined && result.error?.code === 'INVALID_ARGUMENTS';
  // The framework replays the call under its name, and providers refuse names with other characters.
  if (toolName === undefined) toolCall.toolName = toolCall.toolName.replaceAll(/[^\w-]/g, '_').slice(0, 64) || 'unknown';
  // The framework sends the message of its error to the model.
  replaceMessage(error, [isWithheld ? withheld : text, ...notes].join('\n'));
  return null;
}

const unreadable = (message: string): ReadArguments => ({ ok: false, message });

async function readCall(binding: RunBinding, { tools, inputSchema }: UnreadCall, toolName: string, raw: unknown): Promise<ReadArguments> {
  try {
    const schema = (await inputSchema({ toolName })) as Readonly<Record<string, unknown>>;
    const effect = binding.reliable.service.getToolSettings(toolName)?.effect;
    const read = (binding.options.readArguments ?? readArguments)({ raw, toolName, schema, effect, truncated: false });
    const mismatch = read.ok ? await mismatchOf(tools[toolName]?.inputSchema, schema, read.value) : undefined;
    return mismatch === undefined ? read : { ok: false, message: mismatch, mismatch: true };
  } catch {
    return unreadable('The arguments could not be read');
  }
}
