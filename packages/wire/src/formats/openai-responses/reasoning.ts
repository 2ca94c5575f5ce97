/**
 * Owns item ids and reasoning items: pairs stay whole; what cannot stand goes, with the ids that ask for it.
 * A reasoning item goes only where the provider refuses the request for it.
 */
import { isObject, isText, sameJson, textOf, valueAt, withValueAt } from '../../json.ts';
import type { RuleId } from '../../rules.ts';
import type { Message } from '../../transcript.ts';
import type { FormatScene } from '../scene.ts';

/** What the ids of items begin with. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ['function_call', 'fc'],
  ['reasoning', 'rs'],
  ['message', 'msg'],
  ['custom_tool_call', 'ctc'],
]);

export function mendItems(scene: FormatScene): void {
  mendItemIds(scene);
  mendReasoning(scene);
  mendMissingReasoning(scene);
}

const typeOf = ({ native }: Message): string => textOf(native['type']) ?? 'message';
const isReasoning = (message: Message): boolean => typeOf(message) === 'reasoning';

function edit(message: Message, field: string, next: unknown, rule: RuleId, { log }: FormatScene): void {
  const [part] = message.parts;
  if (!part || !isObject(part.native)) return;
  log.edited(rule, part.path === undefined ? undefined : `${part.path}.${field}`, part.native[field], next);
  part.native = withValueAt(part.native, [field], next);
  message.changed = true;
}

const nativeOf = (message: Message): Readonly<Record<string, unknown>> => {
  const native = message.parts[0]?.native;
  return isObject(native) ? native : {};
};

function mendItemIds(scene: FormatScene): void {
  const seen = new Map<string, Message>();
  const repeated = new Set<Message>();
  for (const message of scene.messages) {
    const { id } = nativeOf(message);
    if (id === undefined || typeOf(message) === 'item_reference') continue;
    const prefix = prefixes.get(typeOf(message));
    const outside = message.role !== 'assistant';
    if (!isText(id) || id === '' || (prefix !== undefined && !outside && !id.startsWith(prefix)))
      edit(message, 'id', undefined, 'item-id', scene);
    else if (!seen.has(id)) seen.set(id, message);
    else if (isReasoning(message) && sameJson(nativeOf(seen.get(id) ?? message), nativeOf(message))) repeated.add(message);
    else edit(message, 'id', undefined, 'item-id', scene);
  }
  remove(repeated, 'item-id', scene);
}

function remove(gone: ReadonlySet<Message>, rule: RuleId, scene: FormatScene): void {
  if (gone.size === 0) return;
  for (const message of gone) scene.log.removed(rule, message.parts[0]?.path, nativeOf(message));
  scene.messages = scene.messages.filter((message) => !gone.has(message));
}

/** A reasoning item without the item it led to, or one that only stored state could explain. */
function mendReasoning(scene: FormatScene): void {
  const gone = new Set<Message>();
  const { messages, request } = scene;
  let follower: Message | undefined;
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (!message) continue;
    if (!isReasoning(message)) {
      follower = message;
      continue;
    }
    const unread = request['store'] === false && !isText(nativeOf(message)['encrypted_content']);
    if (unread || follower?.role !== 'assistant') gone.add(message);
    else if (!Array.isArray(nativeOf(message)['summary'])) edit(message, 'summary', [], 'reasoning-pair', scene);
    if (unread && follower && follower.role === 'assistant' && nativeOf(follower)['id'] !== undefined)
      edit(follower, 'id', undefined, 'reasoning-pair', scene);
  }
  remove(gone, 'reasoning-pair', scene);
}

/** The id of a reasoning model's call asks for the reasoning of its step. */
function mendMissingReasoning(scene: FormatScene): void {
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
