/**
 * Owns what Anthropic's thinking asks of a transcript. Blocks are never changed, moved or invented; they are taken out only from
 * the last turn of the model, and only where the request says that thinking is off.
 */
import { isObject } from '../../json.ts';
import type { Message, Part } from '../../transcript.ts';
import type { FormatScene } from '../scene.ts';

export function mendThinking(scene: FormatScene): void {
  const thinking = scene.request['thinking'];
  const type = isObject(thinking) ? thinking['type'] : undefined;
  if (type === 'enabled' && !startsWithThinking(scene.messages)) {
    scene.log.edited('thinking-missing', 'thinking', thinking, { type: 'disabled' });
    scene.request = { ...scene.request, thinking: { type: 'disabled' } };
    removeThinking(scene);
  } else if (type === 'disabled') removeThinking(scene);
}

const isReasoning = ({ kind }: Part): boolean => kind === 'reasoning';

/** Whether the tool turn that the request continues, if there is one, has thinking at its beginning. */
function startsWithThinking(messages: readonly Message[]): boolean {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  const turn = messages[last];
  if (!turn?.parts.some(({ kind }) => kind === 'call')) return true;
  for (let index = last; index >= 0; index -= 1) {
    const message = messages[index];
    if (!message) return false;
    if (message.role === 'assistant') {
      if (message.parts[0] && isReasoning(message.parts[0])) return true;
    } else if (!message.parts.some(({ kind }) => kind === 'result')) return false;
  }
  return false;
}

function removeThinking(scene: FormatScene): void {
  const last = scene.messages.findLastIndex(({ role }) => role === 'assistant');
  const message = scene.messages[last];
  if (!message?.parts.some(isReasoning)) return;
  for (const part of message.parts.filter(isReasoning)) scene.log.removed('thinking-forbidden', part.path, part.native);
  message.parts = message.parts.filter((part) => !isReasoning(part));
  message.changed = true;
  if (message.parts.length === 0) scene.messages = scene.messages.filter((other) => other !== message);
}
