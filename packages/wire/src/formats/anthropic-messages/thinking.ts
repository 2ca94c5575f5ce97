/**
 * Owns Anthropic's requirements for thinking blocks. Blocks are never changed, moved or invented. Those without a signature are removed, which Anthropic
 * refuses anywhere; others only from the last assistant turn, if thinking is off in the request.
 */
import { isRecord, textOf, valueAt } from '../../json.ts';
import { isThinking } from '../../profiles/is-thinking.ts';
import type { Message, Part } from '../../transcript.ts';
import type { FormatContext } from '../format-context.ts';

export function repairThinking(context: FormatContext): void {
  if (context.rules.thinkingSigned) removeThinking(context, context.messages, isUnsigned);
  const thinking = context.request['thinking'];
  const type = isRecord(thinking) ? thinking['type'] : undefined;
  if (isThinking(context.request, context.rules) && !startsWithThinking(context.messages, context.rules.thinkingEachStep)) {
    context.log.edited('thinking-missing', 'thinking', thinking, { type: 'disabled' });
    context.request = { ...context.request, thinking: { type: 'disabled' } };
    removeThinking(context, lastTurn(context.messages), isReasoning);
  } else if (type === 'disabled') removeThinking(context, lastTurn(context.messages), isReasoning);
}

const isReasoning = ({ kind }: Part): boolean => kind === 'reasoning';

/** Written by another model or program, or of a stream that was cut. */
const isUnsigned = ({ kind, native }: Part): boolean =>
  kind === 'reasoning' && valueAt(native, ['type']) === 'thinking' && !textOf(valueAt(native, ['signature']));

/** The last run of adjacent assistant messages, which the provider merges. */
function lastTurn(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === 'assistant');
  let start = end;
  while (messages[start - 1]?.role === 'assistant') start -= 1;
  return end < 0 ? [] : messages.slice(start, end + 1);
}

/** Whether the tool turn that the request continues, if any, starts with thinking. */
function startsWithThinking(messages: readonly Message[], eachStep: boolean): boolean {
  const turn = lastTurn(messages);
  if (!turn.some(({ parts }) => parts.some(({ kind }) => kind === 'call'))) return true;
  const [first] = turn;
  if (first?.parts[0] && isReasoning(first.parts[0])) return true;
  if (eachStep || !first) return false;
  // Without interleaved thinking, only the first step after the user's message has it.
  const before = messages.slice(0, messages.indexOf(first));
  const lastUserTurn = before.findLastIndex(({ role, parts }) => role !== 'assistant' && !parts.some(({ kind }) => kind === 'result'));
  const opening = before.slice(lastUserTurn + 1).find(({ role }) => role === 'assistant');
  return opening?.parts[0] !== undefined && isReasoning(opening.parts[0]);
}

function removeThinking(context: FormatContext, messages: readonly Message[], isRemoved: (part: Part) => boolean): void {
  const emptied = new Set<Message>();
  for (const message of messages) {
    const removed = message.parts.filter(isRemoved);
    if (removed.length === 0) continue;
    for (const part of removed) context.log.removed('thinking-forbidden', part.path, part.native);
    message.parts = message.parts.filter((part) => !removed.includes(part));
    message.changed = true;
    if (message.parts.length === 0) emptied.add(message);
  }
  if (emptied.size > 0) context.messages = context.messages.filter((message) => !emptied.has(message));
}
