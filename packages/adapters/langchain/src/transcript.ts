/**
 * Owns mending transcripts: LangChain's messages are told to `@holdfast/wire` in the words of Chat Completions, and what came of them is read back.
 *
 * Invariants
 * 1. A message that needs nothing is the same object; where none does, the list is the same.
 * 2. Contents in blocks are never judged: only calls and results are.
 */
import type { AIMessage, BaseMessage, ToolCall } from '@langchain/core/messages';
import { AIMessage as Answer, HumanMessage, ToolMessage } from '@langchain/core/messages';
import type { AgentRun } from '@holdfast/core/agent';
import type { Reliable } from '@holdfast/adapter-kit';
import { changed, withCalls } from './copies.ts';

/** Where a part of the told transcript comes from; copies keep it. */
const origin: unique symbol = Symbol('origin');

interface ToldCall {
  readonly id: string | undefined;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly [origin]?: ToolCall;
}

interface Told {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly ToldCall[];
  readonly tool_call_id?: string;
  readonly [origin]?: BaseMessage;
}

/** What stands for a content in blocks. */
const blocks = '(blocks)';

const roles: Readonly<Record<string, string>> = { ai: 'assistant', tool: 'tool', system: 'system' };

/** Never throws: what cannot be read comes back as it is. */
export function repairMessages(messages: readonly BaseMessage[], reliable: Reliable, run: AgentRun): BaseMessage[] {
  try {
    const whole = messages.map(withUnreadCalls);
    const told = whole.map(tell);
    const { messages: mended } = reliable.repair({ messages: told }, 'openai-chat', run);
    if (mended === told) return (whole.every((message, index) => message === messages[index]) ? messages : whole) as BaseMessage[];
    const kept = new Map(told.map((message, index) => [message, whole[index]]));
    const names = new Map(mended.flatMap(({ tool_calls: calls = [] }) => calls.map((call) => [call.id, call.function.name])));
    return mended.map((message) => kept.get(message) ?? readBack(message, names));
  } catch {
    return messages as BaseMessage[];
  }
}

/** Calls that LangChain could not read were made all the same: providers ask for their results. */
function withUnreadCalls(message: BaseMessage): BaseMessage {
  const { tool_calls: calls = [], invalid_tool_calls: unread = [] } = message as AIMessage;
  if (message.type !== 'ai' || unread.length === 0) return message;
  const read = unread.map(({ id, name }): ToolCall => ({ type: 'tool_call', name: name ?? 'unknown', args: {}, ...(id ? { id } : {}) }));
  const all = [...calls, ...read];
  return withCalls(message as AIMessage, all, (id) => all.find((call) => call.id === id));
}

function tell(message: BaseMessage): Told {
  const content = typeof message.content === 'string' ? message.content : blocks;
  const role = roles[message.type] ?? 'user';
  if (message.type === 'tool') return { role, content, tool_call_id: (message as ToolMessage).tool_call_id, [origin]: message };
  const calls = message.type === 'ai' ? ((message as AIMessage).tool_calls ?? []) : [];
  return { role, content, ...(calls.length > 0 ? { tool_calls: calls.map(tellCall) } : {}), [origin]: message };
}

const tellCall = (call: ToolCall): ToldCall => ({
  id: call.id,
  type: 'function',
  function: { name: call.name, arguments: JSON.stringify(call.args) },
  [origin]: call,
});

function readBack(told: Told, names: ReadonlyMap<string | undefined, string>): BaseMessage {
  const { role, tool_call_id: callId = '', [origin]: given } = told;
  const text = told.content ?? '';
  if (!given) {
    if (role === 'tool') return new ToolMessage({ content: text, tool_call_id: callId, name: names.get(callId) ?? '', status: 'error' });
    return role === 'assistant' ? new Answer(text) : new HumanMessage(text);
  }
  const content = typeof given.content === 'string' ? text : given.content;
  if (given.type === 'ai') return readCallsBack(given as AIMessage, told, content);
  return changed(given, given.type === 'tool' ? { content, tool_call_id: callId } : { content });
}

function readCallsBack(given: AIMessage, { tool_calls: toldCalls = [] }: Told, content: BaseMessage['content']): AIMessage {
  const renewed = new Map<string | undefined, ToolCall>();
  const calls = toldCalls.map(({ id, function: { name }, [origin]: call }) => {
    const known = call ?? { name, args: {} };
    const next: ToolCall = known.id === id && known.name === name ? known : { ...known, name, id: id ?? '' };
    if (!renewed.has(known.id)) renewed.set(known.id, next);
    return next;
  });
  return withCalls(given, calls, (id) => renewed.get(id), typeof content === 'string' ? { content } : {});
}
