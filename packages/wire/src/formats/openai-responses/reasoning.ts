/**
 * Owns item ids and reasoning items: pairs stay whole; what cannot stand goes, with the ids that ask for it.
 * A reasoning item continuesly where the provider refuses the request for it.
 */
import { isRecord, isText, sameJson, textOf, valueAt, withValueAt } from '../../json.ts';
import type { RuleId } from '../../rules.ts';
import type { Message } from '../../transcript.ts';
import type { FormatContext } from '../format-context.ts';

/** What the ids of items begin with. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ['function_call', 'fc'],
  ['reasoning', 'rs'],
  ['message', 'msg'],
  ['custom_tool_call', 'ctc'],
]);

/** E: 'Expected an ID that contains letters, numbers, underscores, or dashes'. */
const idLetters = /^[a-zA-Z0-9_-]+$/;

export function repairItems(scene: FormatContext): void {
  repairItemIds(scene);
  // Other backends keep no items that could ask for each other.
  if (scene.rules.results === 'items-behind') repairReasoning(scene);
  repairMissingReasoning(scene);
}

const typeOf = ({ native }: Message): string => textOf(native['type']) ?? 'message';
const isReasoning = (message: Message): boolean => typeOf(message) === 'reasoning';

function edit(message: Message, field: string, next: unknown, rule: RuleId, { log }: FormatContext): void {
  const [part] = message.parts;
  if (!part || !isRecord(part.native)) return;
  log.edited(rule, part.path === undefined ? undefined : `${part.path}.${field}`, part.native[field], next);
  part.native = withValueAt(part.native, [field], next);
  message.changed = true;
}

const nativeOf = (message: Message): Readonly<Record<string, unknown>> => {
  const native = message.parts[0]?.native;
  return isRecord(native) ? native : {};
};

function repairItemIds(scene: FormatContext): void {
  const seen = new Map<string, Message>();
  const repeated = new Set<Message>();
  for (const message of scene.messages) {
    const { id } = nativeOf(message);
    if (id === undefined || typeOf(message) === 'item_reference') continue;
    if (id === null && message.role !== 'assistant') continue;
    const prefix = prefixes.get(typeOf(message));
    if (!isText(id) || !idLetters.test(id) || (prefix !== undefined && !id.startsWith(prefix)))
      edit(message, 'id', undefined, 'item-id', scene);
    else if (!seen.has(id)) seen.set(id, message);
    else if (isReasoning(message) && sameJson(nativeOf(seen.get(id) ?? message), nativeOf(message))) repeated.add(message);
    else edit(message, 'id', undefined, 'item-id', scene);
  }
  remove(repeated, 'item-id', scene);
}

function remove(gone: ReadonlySet<Message>, rule: RuleId, scene: FormatContext): void {
  if (gone.size === 0) return;
  for (const message of gone) scene.log.removed(rule, message.parts[0]?.path, nativeOf(message));
  scene.messages = scene.messages.filter((message) => !gone.has(message));
}

/**
 * A reasoning item stands directly before the item it led to. Results and instructions that got between the two are passed over, and
 * so is a user where the item has an id, which asks for its reasoning; else the item it led to is gone.
 */
function repairReasoning(scene: FormatContext): void {
  const gone = new Set<Message>();
  const placed: Message[] = [];
  let held: Message[] = [];
  let passed: 'nothing' | 'others' | 'user' = 'nothing';
  const dropHeld = (): void => {
    for (const message of held) gone.add(message);
    held = [];
  };
  for (const message of withoutUnread(scene, gone)) {
    if (isReasoning(message)) {
      if (passed !== 'nothing') dropHeld();
      if (!Array.isArray(nativeOf(message)['summary'])) edit(message, 'summary', [], 'reasoning-pair', scene);
      passed = 'nothing';
      held.push(message);
      continue;
    }
    if (message.role === 'assistant') {
      if (passed === 'user' && nativeOf(message)['id'] === undefined) dropHeld();
      if (passed !== 'nothing') for (const { parts } of held) for (const part of parts) scene.log.moved('reasoning-pair', part);
      for (const reasoning of held) placed.push(reasoning);
      held = [];
      passed = 'nothing';
    } else if (held.length > 0 && passed !== 'user') passed = message.role === 'user' ? 'user' : 'others';
    placed.push(message);
  }
  dropHeld();
  for (const message of gone) scene.log.removed('reasoning-pair', message.parts[0]?.path, nativeOf(message));
  scene.messages = placed;
}

/** Without what only stored state could explain, and without the ids of its step that ask for it. */
function withoutUnread(scene: FormatContext, gone: Set<Message>): readonly Message[] {
  if (scene.request['store'] !== false) return scene.messages;
  let lost = false;
  return scene.messages.filter((message) => {
    if (isReasoning(message)) {
      lost = !isText(nativeOf(message)['encrypted_content']);
      if (lost) gone.add(message);
      return !lost;
    }
    if (message.role !== 'assistant') lost = false;
    else if (lost && nativeOf(message)['id'] !== undefined) edit(message, 'id', undefined, 'reasoning-pair', scene);
    return true;
  });
}

/** The id of a reasoning model's call asks for the reasoning of its step. */
function repairMissingReasoning(scene: FormatContext): void {
  const effort = valueAt(scene.request, ['reasoning', 'effort']);
  if (!scene.rules.reasoningItems || effort === 'none') return;
  let reasoned = false;
  for (const message of scene.messages) {
    if (message.role !== 'assistant') reasoned = false;
    else if (isReasoning(message) || typeOf(message) === 'item_reference') reasoned = true;
    else if (typeOf(message) === 'function_call' && !reasoned && nativeOf(message)['id'] !== undefined)
      edit(message, 'id', undefined, 'reasoning-pair', scene);
  }
}
