/**
 * Owns the order and pairs of blocks that only Anthropic's messages have: server tools and their results.
 * Blocks of reasoning are borders: nothing moves across them.
 */
import { isObject, isText, textOf } from '../../json.ts';
import { newMessage, newPart, type Message, type Part } from '../../transcript.ts';
import type { FormatScene } from '../scene.ts';

export function mendServerTools(scene: FormatScene): void {
  scene.messages.forEach((message, index) => {
    if (message.role !== 'assistant' || !message.parts.some(({ kind }) => kind === 'server')) return;
    pairServerTools(message, index, scene);
    callsBehindServerTools(message, scene);
  });
}

/** Instructions in mid conversation stand behind a turn of the user, or they are one. */
export function mendSystemTurns(scene: FormatScene): void {
  scene.messages = scene.messages.map((message, index) => {
    if (message.role !== 'system' || scene.messages[index - 1]?.role === 'user') return message;
    if (message.path !== undefined) scene.log.edited('role', `${message.path}.role`, 'system', 'user');
    return newMessage('user', { ...message.native, role: 'user' }, message.parts, message.path, true);
  });
}

const isUse = ({ kind, native }: Part): boolean =>
  kind === 'server' && isObject(native) && textOf(native['type'])?.endsWith('_use') === true;
const isAnswer = (part: Part): boolean => part.kind === 'server' && !isUse(part);

function pairServerTools(message: Message, index: number, scene: FormatScene): void {
  const open = new Map<string, Part>();
  const kept: Part[] = [];
  const earlier = usesBefore(scene.messages, index);
  for (const part of message.parts) {
    if (isUse(part)) open.set(part.id ?? '', part);
    else if (isAnswer(part) && !open.delete(part.id ?? '') && !earlier.has(part.id ?? '')) {
      scene.log.removed('server-tool-pair', part.path, part.native);
      continue;
    }
    kept.push(part);
  }
  const answered = open.size > 0 && !isTail(scene.messages, index) ? withErrors(kept, open, index, scene) : kept;
  if (answered.length === message.parts.length && answered.every((part, place) => part === message.parts[place])) return;
  message.parts = answered;
  message.changed = true;
}

/** A turn of the model can be cut between a use and its result, and go on in the next message. */
function usesBefore(messages: readonly Message[], index: number): ReadonlySet<string> {
  const ids = new Set<string>();
  for (let place = index - 1; messages[place]?.role === 'assistant' && place >= 0; place -= 1)
    for (const part of messages[place]?.parts ?? []) if (isUse(part)) ids.add(part.id ?? '');
  return ids;
}

/** A use may wait for its result at the end, also when only results of the client follow. */
function isTail(messages: readonly Message[], index: number): boolean {
  const next = messages[index + 1];
  if (next?.role === 'assistant') return true;
  return messages.slice(index + 1).every(({ role, parts }) => role === 'user' && parts.every(({ kind }) => kind === 'result'));
}

const answerTypes: ReadonlyMap<string, string> = new Map([
  ['web_search', 'web_search_tool_result'],
  ['web_fetch', 'web_fetch_tool_result'],
  ['code_execution', 'code_execution_tool_result'],
  ['bash_code_execution', 'bash_code_execution_tool_result'],
  ['text_editor_code_execution', 'text_editor_code_execution_tool_result'],
]);

function withErrors(parts: readonly Part[], open: ReadonlyMap<string, Part>, index: number, { log }: FormatScene): readonly Part[] {
  const waiting = new Set(open.values());
  return parts.flatMap((part) => {
    if (!waiting.has(part)) return [part];
    const type = answerTypes.get(part.name ?? '');
    if (type === undefined) {
      log.problem('server-tool-pair', part.path ?? `messages.${index}`, `The provider's tool use ${part.id ?? ''} has no result.`);
      return [part];
    }
    const native = { type, tool_use_id: part.id ?? '', content: { type: `${type}_error`, error_code: 'unavailable' } };
    const answer = newPart('server', native, undefined, part.id);
    log.added('server-tool-pair', answer);
    return [part, answer];
  });
}

/** In each segment between blocks of reasoning, calls of the client stand behind the server's uses and results. */
function callsBehindServerTools(message: Message, { log }: FormatScene): void {
  const ordered: Part[] = [];
  let calls: Part[] = [];
  let segment: Part[] = [];
  const flush = (): void => {
    const last = segment.findLastIndex(({ kind }) => kind === 'server');
    const moved = segment.filter((part, index) => part.kind === 'call' && index < last);
    for (const part of moved) log.moved('block-order', part);
    const set = new Set(moved);
    calls = moved;
    ordered.push(...segment.filter((part) => !set.has(part)));
    if (calls.length > 0) insertBeforeCalls(ordered, calls);
    segment = [];
  };
  for (const part of message.parts) {
    if (!isBorder(part)) segment.push(part);
    else {
      flush();
      ordered.push(part);
    }
  }
  flush();
  if (ordered.every((part, index) => part === message.parts[index])) return;
  message.parts = ordered;
  message.changed = true;
}

const isBorder = ({ kind, native }: Part): boolean =>
  kind === 'reasoning' || (isObject(native) && isText(native['type']) && native['type'] === 'fallback');

/** Moved calls come to the end of the segment, in front of calls that already stand there. */
function insertBeforeCalls(ordered: Part[], calls: readonly Part[]): void {
  let place = ordered.length;
  while (ordered[place - 1]?.kind === 'call') place -= 1;
  ordered.splice(place, 0, ...calls);
}
