/**
 * Owns what Anthropic's thinking asks of a transcript. Blocks are never changed, moved or invented; they are taken out only from
 * the last turn of the model, and only where the request says that thinking is off.
 */
import { isRecord } from '../../json.ts';
import type { Message, Part } from '../../transcript.ts';
import type { FormatContext } from '../format-context.ts';

export function repairThinking(scene: FormatContext): void {
  const thinking = scene.request['thinking'];
  const type = isRecord(thinking) ? thinking['type'] : undefined;
  if (type === 'enabled' && !startsWithThinking(scene.messages, scene.rules.thinkingEachStep)) {
    scene.log.edited('thinking-missing', 'thinking', thinking, { type: 'disabled' });
    scene.request = { ...scene.request, thinking: { type: 'disabled' } };
    removeThinking(scene);
  } else if (type === 'disabled') removeThinking(scene);
}

const isReasoning = ({ kind }: Part): boolean => kind === 'reasoning';

/** The neighbouring messages of the model that come last, as the provider merges them. */
function lastTurn(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(({ role }) => role === 'assistant');
  let start = end;
  while (messages[start - 1]?.role === 'assistant') start -= 1;
  return end < 0 ? [] : messages.slice(start, end + 1);
}

/** Whether the tool turn that the request continues, if there is one, has thinking at its beginning. */
function startsWithThinking(messages: readonly Message[], eachStep: boolean): boolean {
  const turn = lastTurn(messages);
  if (!turn.some(({ parts }) => parts.some(({ kind }) => kind === 'call'))) return true;
  const [first] = turn;
  if (first?.parts[0] && isReasoning(first.parts[0])) return true;
  if (eachStep || !first) return false;
  // Without interleaved thinking, only the first step since the user spoke has it.
  const before = messages.slice(0, messages.indexOf(first));
  const asked = before.findLastIndex(({ role, parts }) => role !== 'assistant' && !parts.some(({ kind }) => kind === 'result'));
  const opening = before.slice(asked + 1).find(({ role }) => role === 'assistant');
  return opening?.parts[0] !== undefined && isReasoning(opening.parts[0]);
}

function removeThinking(scene: FormatContext): void {
  const emptied = new Set<Message>();
  for (const message of lastTurn(scene.messages)) {
    if (!message.parts.some(isReasoning)) continue;
    for (const part of message.parts.filter(isReasoning)) scene.log.removed('thinking-forbidden', part.path, part.native);
    message.parts = message.parts.filter((part) => !isReasoning(part));
    message.changed = true;
    if (message.parts.length === 0) emptied.add(message);
  }
  if (emptied.size > 0) scene.messages = scene.messages.filter((message) => !emptied.has(message));
}
