/**
 * Owns repairing transcripts: converts LangChain's messages to Chat Completions for `@holdfast/wire`, and the repaired ones back.
 *
 * Invariants
 * 1. An unchanged message stays the same object, and so does an unchanged list. Given messages are never modified.
 * 2. Content blocks are not checked, only calls and results.
 */
import type { BaseMessage, ToolCall } from '@langchain/core/messages';
import { AIMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { AgentRun } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { openaiChatMessages } from '@holdfast/adapter-kit';

/** The LangChain object a converted part was created from; preserved in copies. */
const origin: unique symbol = Symbol('origin');

interface ChatCall {
  readonly id: string | undefined;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [origin]?: ToolCall;
}

interface ChatMessage {
  readonly role: string;
  readonly content: string;
  readonly tool_calls?: readonly ChatCall[] | undefined;
  readonly tool_call_id?: string;
  readonly [origin]?: BaseMessage;
}

const roles: Readonly<Record<string, string>> = { ai: 'assistant', tool: 'tool', system: 'system' };

/** Never throws: returns unreadable messages unchanged. */
export function repairMessages(messages: readonly BaseMessage[], reliable: Reliable, run: AgentRun): BaseMessage[] {
  try {
    const whole = messages.map(withUnreadCalls);
    const converted = whole.map(toChatMessage);
    const { messages: repaired } = reliable.repair({ messages: converted }, openaiChatMessages, run);
    if (repaired === converted) return (whole.every((message, index) => message === messages[index]) ? messages : whole) as BaseMessage[];
    const kept = new Set(converted);
    const names = new Map(repaired.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, call.function.name])));
    return repaired.map((message) => (kept.has(message) && message[origin]) || toLangChain(message, names.get(message.tool_call_id)));
  } catch {
    return messages as BaseMessage[];
  }
}

/** Adds calls LangChain could not parse, since providers require their results too. */
function withUnreadCalls(message: BaseMessage): BaseMessage {
  const { tool_calls: calls = [], invalid_tool_calls: unread = [] } = message as AIMessage;
  if (message.type !== 'ai' || unread.length === 0) return message;
  const all = [...calls, ...unread.map(({ id, name = 'unknown' }) => ({ type: 'tool_call', name, args: {}, id }) as ToolCall)];
  return withCalls(message as AIMessage, all, (id) => all.find((call) => call.id === id));
}

function toChatMessage(message: BaseMessage): ChatMessage {
  const content = typeof message.content === 'string' ? message.content : '(blocks)';
  const converted = { role: roles[message.type] ?? 'user', content, [origin]: message };
  if (message.type === 'tool') return { ...converted, tool_call_id: (message as ToolMessage).tool_call_id };
  const calls = (message as AIMessage).tool_calls ?? [];
  return calls.length === 0 ? converted : { ...converted, tool_calls: calls.map(toChatCall) };
}

const toChatCall = (call: ToolCall): ChatCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: textOf(call.args) },
  [origin]: call,
});

/** The text of arguments is only read by the repair, never sent: arguments that a tool has changed since need no other. */
const texts = new WeakMap<object, string>();

function textOf(args: ToolCall['args']): string {
  if (Object(args) !== args) return JSON.stringify(args);
  const known = texts.get(args);
  if (known !== undefined) return known;
  const text = JSON.stringify(args);
  texts.set(args, text);
  return text;
}

function toLangChain(
  { role, content: text, tool_calls: converted = [], tool_call_id: id, [origin]: given }: ChatMessage,
  name: string | undefined,
): BaseMessage {
  if (!given) {
    if (role === 'tool') return new ToolMessage({ content: text, tool_call_id: id ?? '', name: name ?? '', status: 'error' });
    return role === 'assistant' ? new AIMessage(text) : new HumanMessage(text);
  }
  const content = typeof given.content === 'string' ? { content: text } : {};
  if (given.type !== 'ai') return copyMessage(given, given.type === 'tool' ? { ...content, tool_call_id: id } : content);
  const calls = converted.map(
    ({ id: callId, function: { name: called }, [origin]: call }) => ({ args: {}, ...call, name: called, id: callId }) as ToolCall,
  );
  return withCalls(given as AIMessage, calls, (before) => calls[converted.findIndex((call) => call[origin]?.id === before)], content);
}

type Other = Readonly<Record<string, unknown>>;

/** Copies a message with other fields. */
export function copyMessage<Message extends BaseMessage>(message: Message, fields: Other): Message {
  const copy = Object.create(Object.getPrototypeOf(message) as object) as Message;
  return Object.assign(copy, message, fields, { lc_kwargs: { ...message.lc_kwargs, ...fields } });
}

/** Returns an answer with other calls. The provider's raw copies of the calls are removed, since they would be sent instead. @param callOf maps the id of an original call to its replacement */
export function withCalls(
  answer: AIMessage,
  calls: readonly ToolCall[],
  callOf: (id: unknown) => ToolCall | undefined,
  other: Other = {},
): AIMessage {
  const { content, additional_kwargs: kwargs, response_metadata: metadata } = answer;
  return copyMessage(answer, {
    content: Array.isArray(content) ? content.flatMap((block: Other) => otherBlock(block, callOf)) : content,
    tool_calls: calls,
    invalid_tool_calls: [],
    ...('tool_call_chunks' in answer ? { tool_call_chunks: [] } : {}),
    additional_kwargs: { ...kwargs, tool_calls: undefined },
    response_metadata: { ...metadata, output: undefined },
    ...other,
  });
}

function otherBlock(block: Other, callOf: (id: unknown) => ToolCall | undefined): readonly Other[] {
  if (!['tool_use', 'tool_call', 'function_call'].includes(String(block['type'])) || block['id'] === undefined) return [block];
  const call = callOf(block['id']);
  const args = Object.fromEntries(['input', 'args'].filter((field) => field in block).map((field) => [field, call?.args]));
  return call ? [{ ...block, id: call.id, ...args }] : [];
}
