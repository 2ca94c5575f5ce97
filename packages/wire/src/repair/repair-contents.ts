/**
 * Owns what is inside the parts: arguments, outputs, texts, and messages in which nothing is left.
 * Does not own which parts there are in which order. What differs between formats is in `formats/…/contents.ts`.
 */
import { isList, isRecord, isText, tryParse, valueAt, withValueAt } from '../json.ts';
import type { ContentContext } from '../formats/content-context.ts';
import { repairFormatContents } from '../formats/format-contents.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Message, Part } from '../transcript.ts';
import type { RemovedRepeats } from './pair-results.ts';
import { plainValue } from './plain-values.ts';

export function repairContents(messages: readonly Message[], scene: ContentContext): Message[] {
  const kept: Message[] = [];
  messages.forEach((message, index) => {
    for (const part of message.parts) repairPart(part, message, scene);
    if (repairFormatContents(message, scene, index === messages.length - 1)) kept.push(message);
  });
  return kept;
}

/** Messages that repeated another one are gone; those that lost a call still need a content. */
export function removeEmptied(
  messages: readonly Message[],
  { removed, shortened }: RemovedRepeats,
  scene: ContentContext,
): readonly Message[] {
  if (removed.size + shortened.size === 0) return messages;
  return messages.filter(
    (message, index) =>
      !removed.has(message) && (!shortened.has(message) || repairFormatContents(message, scene, index === messages.length - 1)),
  );
}

function repairPart(part: Part, message: Message, scene: ContentContext): void {
  if (part.kind === 'text') {
    edit(part, message, whole, plainValue(part.native, { path: part.path ?? '', onEdit: scene.onEdit, strict: false }));
    return;
  }
  if (part.kind !== 'call' && part.kind !== 'result') return;
  const fields = scene.codec.fieldsOf(part);
  if (part.kind === 'call' && fields.arguments) repairArguments(part, message, fields.arguments, scene);
  if (part.kind !== 'result' || !fields.content) return;
  const given = valueAt(part.native, fields.content);
  if (given === undefined) return;
  const path = pathOf(part, fields.content);
  edit(part, message, fields.content, plainValue(given, { path, onEdit: scene.onEdit, strict: scene.strict }));
}

const whole: readonly string[] = [];

const pathOf = (part: Part, fields: readonly string[]): string => `${part.path ?? ''}.${fields.join('.')}`;

function edit(part: Part, message: Message, fields: readonly string[], next: unknown): void {
  if (next === valueAt(part.native, fields)) return;
  part.native = fields.length === 0 ? next : withValueAt(part.native, fields, next);
  message.changed = true;
}

function repairArguments(part: Part, message: Message, fields: readonly string[], scene: ContentContext): void {
  const { rules, log, onEdit, strict, format } = scene;
  const given = valueAt(part.native, fields);
  // A call without arguments has no field for them there.
  if (given === undefined && format === 'gemini') return;
  const path = pathOf(part, fields);
  const plain = plainValue(given, { path, onEdit, strict });
  const formed = formedArguments(plain, rules.arguments);
  if (formed !== plain) log.edited('arguments-form', path, plain, formed);
  edit(part, message, fields, formed);
}

/** Arguments in the form of the provider, the same value when they have it. */
function formedArguments(given: unknown, form: ProviderRules['arguments']): unknown {
  if (form === 'object') return isRecord(given) ? given : objectOf(given);
  if (isText(given)) return form === 'any-text' || isRecord(tryParse(given)?.value) ? given : JSON.stringify(objectOf(given));
  return JSON.stringify(isRecord(given) ? given : objectOf(given));
}

function objectOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null || (isText(given) && given.trim() === '')) return {};
  if (!isText(given)) return isList(given) && given.length === 0 ? {} : { _invalid_arguments: given };
  const value = tryParse(given)?.value;
  if (isRecord(value)) return value;
  // A string of a string: written twice.
  const inner = isText(value) ? tryParse(value)?.value : undefined;
  return isRecord(inner) ? inner : { _invalid_arguments: given };
}
