/**
 * Owns item ids and reasoning items: pairs are kept together; invalid reasoning items are removed, with the ids that reference them.
 * A reasoning item is removed only if the provider would refuse the request because of it.
 */
import { isRecord, isText, sameJson, textOf, valueAt, withValueAt } from '../../json.ts';
import type { RuleId } from '../../rules.ts';
import type { Message } from '../../transcript.ts';
import type { FormatContext } from '../format-context.ts';

/** Prefixes of item ids by type. */
const prefixes: ReadonlyMap<string, string> = new Map([
  ['function_call', 'fc'],
  ['reasoning', 'rs'],
  ['message', 'msg'],
  ['custom_tool_call', 'ctc'],
]);

/** E: 'Expected an ID that contains letters, numbers, underscores, or dashes'. */
const idLetters = /^[a-zA-Z0-9_-]+$/;

export function repairItems(context: FormatContext): void {
  for (const message of context.messages)
    if (isReasoning(message) && !Array.isArray(nativeOf(message)['summary'])) edit(message, 'summary', [], 'reasoning-pair', context);
  repairItemIds(context);
  // Other backends store no items that could reference each other.
  if (context.rules.results === 'items-behind') repairReasoning(context);
  repairMissingReasoning(context);
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

function repairItemIds(context: FormatContext): void {
  const seen = new Map<string, Message>();
  const repeated = new Set<Message>();
  for (const message of context.messages) {
    const { id } = nativeOf(message);
    if (id === undefined || typeOf(message) === 'item_reference') continue;
    if (id === null && message.role !== 'assistant') continue;
    const prefix = prefixes.get(typeOf(message));
    if (!isText(id) || !idLetters.test(id) || (prefix !== undefined && !id.startsWith(prefix)))
      edit(message, 'id', undefined, 'item-id', context);
    else if (!seen.has(id)) seen.set(id, message);
    else if (isReasoning(message) && sameJson(nativeOf(seen.get(id) ?? message), nativeOf(message))) repeated.add(message);
    else edit(message, 'id', undefined, 'item-id', context);
  }
  remove(repeated, 'item-id', context);
}

function remove(removed: ReadonlySet<Message>, rule: RuleId, context: FormatContext): void {
  if (removed.size === 0) return;
  for (const message of removed) context.log.removed(rule, message.parts[0]?.path, nativeOf(message));
  context.messages = context.messages.filter((message) => !removed.has(message));
}

/**
 * A reasoning item must directly precede the item it led to. Results and instructions between the two are skipped, and so is a
 * user message if the item has an id, which references the reasoning; otherwise the item it led to is missing.
 */
function repairReasoning(context: FormatContext): void {
  const removed = new Set<Message>();
  const placed: Message[] = [];
  let held: Message[] = [];
  let passed: 'nothing' | 'others' | 'user' = 'nothing';
  const dropHeld = (): void => {
    for (const message of held) removed.add(message);
    held = [];
  };
  for (const message of removeUnreadable(context, removed)) {
    if (isReasoning(message)) {
      if (passed !== 'nothing') dropHeld();
      passed = 'nothing';
      held.push(message);
      continue;
    }
    if (message.role === 'assistant') {
      if (passed === 'user' && nativeOf(message)['id'] === undefined) dropHeld();
      if (passed !== 'nothing') for (const { parts } of held) for (const part of parts) context.log.moved('reasoning-pair', part);
      for (const reasoning of held) placed.push(reasoning);
      held = [];
      passed = 'nothing';
    } else if (held.length > 0 && passed !== 'user') passed = message.role === 'user' ? 'user' : 'others';
    placed.push(message);
  }
  dropHeld();
  for (const message of removed) context.log.removed('reasoning-pair', message.parts[0]?.path, nativeOf(message));
  context.messages = placed;
}

/** Removes reasoning that only stored state could resolve, and the ids of its step that reference it. */
function removeUnreadable(context: FormatContext, removed: Set<Message>): readonly Message[] {
  if (context.request['store'] !== false) return context.messages;
  let isLost = false;
  return context.messages.filter((message) => {
    if (isReasoning(message)) {
      isLost = !isText(nativeOf(message)['encrypted_content']);
      if (isLost) removed.add(message);
      return !isLost;
    }
    if (message.role !== 'assistant') isLost = false;
    else if (isLost && nativeOf(message)['id'] !== undefined) edit(message, 'id', undefined, 'reasoning-pair', context);
    return true;
  });
}

/**
 * Removes the ids of items whose step has no reasoning: a reasoning model's ids reference it. Messages only if the provider has stored
 * them: it knows nothing of others.
 */
function repairMissingReasoning(context: FormatContext): void {
  const effort = valueAt(context.request, ['reasoning', 'effort']);
  if (!context.rules.reasoningItems || effort === 'none') return;
  const owned = new Set(['function_call', 'custom_tool_call', ...(context.request['store'] === false ? [] : ['message'])]);
  let reasoned = false;
  for (const message of context.messages) {
    if (message.role !== 'assistant') reasoned = false;
    // What tools of the provider belong to is known to the provider alone.
    else if (isReasoning(message) || typeOf(message) === 'item_reference' || message.parts[0]?.kind === 'server') reasoned = true;
    else if (owned.has(typeOf(message)) && !reasoned && nativeOf(message)['id'] !== undefined)
      edit(message, 'id', undefined, 'reasoning-pair', context);
  }
}
