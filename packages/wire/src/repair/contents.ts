/**
 * Owns what is inside the parts: arguments, outputs, texts, and messages in which nothing is left.
 * Does not own which parts there are in which order. What differs between formats is in `formats/…/contents.ts`.
 */
import { isList, isObject, isText, parsed, valueAt, withValueAt } from '../json.ts';
import type { Codec } from '../formats/codec.ts';
import { mendFormatContents } from '../formats/contents.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Format, Message, Part } from '../transcript.ts';
import type { Log } from './log.ts';
import { plainValue } from './plain-values.ts';

export interface ContentScene {
  readonly format: Format;
  readonly codec: Codec;
  readonly rules: ProviderRules;
  readonly log: Log;
  readonly profile: string;
}

export function mendContents(messages: readonly Message[], scene: ContentScene): Message[] {
  const kept: Message[] = [];
  messages.forEach((message, index) => {
    for (const part of message.parts) mendPart(part, message, scene);
    if (mendFormatContents(message, scene, index === messages.length - 1)) kept.push(message);
  });
  return kept;
}

function mendPart(part: Part, message: Message, { codec, rules, log, format }: ContentScene): void {
  const edit = (fields: readonly string[], next: unknown): void => {
    if (next === valueAt(part.native, fields)) return;
    part.native = fields.length === 0 ? next : withValueAt(part.native, fields, next);
    message.changed = true;
  };
  const strict = format === 'ai-sdk';
  const path = part.path ?? '';
  const told = log.edited.bind(log);
  if (part.kind === 'text' && !isObject(part.native)) edit([], plainValue(part.native, { path, told, strict: false }));
  else if (part.kind === 'text') edit([], plainValue(part.native, { path, told, strict: false }));
  const fields = codec.fieldsOf(part);
  if (part.kind === 'call' && fields.arguments) {
    const place = [path, ...fields.arguments].join('.');
    const given = valueAt(part.native, fields.arguments);
    const plain = plainValue(given, { path: place, told, strict });
    const formed = formedArguments(plain, rules.arguments);
    if (formed !== plain) log.edited('arguments-form', place, plain, formed);
    edit(fields.arguments, formed);
  }
  if (part.kind === 'result' && fields.content) {
    const given = valueAt(part.native, fields.content);
    if (given !== undefined) edit(fields.content, plainValue(given, { path: [path, ...fields.content].join('.'), told, strict }));
  }
}

/** Arguments in the form of the provider, the same value when they have it. */
export function formedArguments(given: unknown, form: ProviderRules['arguments']): unknown {
  if (form === 'object') return isObject(given) ? given : objectOf(given);
  if (isText(given)) return form === 'any-text' || isObject(parsed(given)?.value) ? given : JSON.stringify(objectOf(given));
  return JSON.stringify(isObject(given) ? given : objectOf(given));
}

function objectOf(given: unknown): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null || (isText(given) && given.trim() === '')) return {};
  if (!isText(given)) return isList(given) && given.length === 0 ? {} : { _invalid_arguments: given };
  const value = parsed(given)?.value;
  if (isObject(value)) return value;
  // A text of a text: written twice.
  const inner = isText(value) ? parsed(value)?.value : undefined;
  return isObject(inner) ? inner : { _invalid_arguments: given };
}
