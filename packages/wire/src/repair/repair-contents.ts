/**
 * Owns the contents of parts: arguments, outputs, texts, and emptied messages.
 * Does not own the presence and order of parts. Format-specific rules are in the format's own folder and in `formats/block-contents.ts`.
 */
import { isList, isRecord, isText, parseJsonOrUndefined, valueAt, withValueAt } from '../json.ts';
import type { ContentContext } from '../formats/content-context.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Message, Part } from '../transcript.ts';
import type { RemovedRepeats } from './repeated-calls.ts';
import { plainValue } from './plain-values.ts';

export function repairContents(messages: readonly Message[], context: ContentContext): Message[] {
  const kept: Message[] = [];
  messages.forEach((message, index) => {
    for (const part of message.parts) repairPart(part, message, context);
    if (context.contents(message, context, index === messages.length - 1)) kept.push(message);
  });
  return kept;
}

/** Drops messages that repeated another one; checks the content of those that lost a call. */
export function removeEmptied(
  messages: readonly Message[],
  { removed, shortened }: RemovedRepeats,
  context: ContentContext,
): readonly Message[] {
  if (removed.size + shortened.size === 0) return messages;
  return messages.filter(
    (message, index) =>
      !removed.has(message) && (!shortened.has(message) || context.contents(message, context, index === messages.length - 1)),
  );
}

function repairPart(part: Part, message: Message, context: ContentContext): void {
  if (part.kind === 'text') {
    edit(part, message, whole, plainValue(part.native, { path: part.path ?? '', onEdit: context.onEdit, strict: false }));
    return;
  }
  if (part.kind !== 'call' && part.kind !== 'result') return;
  const fields = context.codec.fieldsOf(part);
  if (part.kind === 'call' && fields.arguments) repairArguments(part, message, fields.arguments, context);
  if (part.kind !== 'result' || !fields.content) return;
  const given = valueAt(part.native, fields.content);
  if (given === undefined) return;
  const path = pathOf(part, fields.content);
  edit(part, message, fields.content, plainValue(given, { path, onEdit: context.onEdit, strict: context.strict }));
}

const whole: readonly string[] = [];

function pathOf({ path = '' }: Part, fields: readonly string[]): string {
  let place = path;
  for (const field of fields) place += `.${field}`;
  return place;
}

function edit(part: Part, message: Message, fields: readonly string[], next: unknown): void {
  if (next === valueAt(part.native, fields)) return;
  part.native = fields.length === 0 ? next : withValueAt(part.native, fields, next);
  message.changed = true;
}

function repairArguments(part: Part, message: Message, fields: readonly string[], context: ContentContext): void {
  const { rules, log, onEdit, strict, format } = context;
  const given = valueAt(part.native, fields);
  // In Gemini, a call without arguments has no `args` field.
  if (given === undefined && format === 'gemini') return;
  const path = pathOf(part, fields);
  const plain = plainValue(given, { path, onEdit, strict });
  const formed = formedArguments(plain, rules.arguments);
  if (formed !== plain) log.edited('arguments-form', path, plain, formed);
  edit(part, message, fields, formed);
}

/** Converts arguments to the provider's form; returns the same value if they already have it. */
function formedArguments(given: unknown, form: ProviderRules['arguments']): unknown {
  if (form === 'object') return isRecord(given) ? given : objectOf(given);
  if (isText(given)) return form === 'any-text' || isRecord(parseJsonOrUndefined(given)) ? given : JSON.stringify(objectOf(given));
  return JSON.stringify(isRecord(given) ? given : objectOf(given));
}

function objectOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null || (isText(given) && given.trim() === '')) return {};
  if (!isText(given)) return isList(given) && given.length === 0 ? {} : { _invalid_arguments: given };
  const value = parseJsonOrUndefined(given);
  if (isRecord(value)) return value;
  // Arguments that were serialized twice.
  const inner = isText(value) ? parseJsonOrUndefined(value) : undefined;
  return isRecord(inner) ? inner : { _invalid_arguments: given };
}
