/**
 * Owns contents a provider refuses although they are plain values, in the formats whose messages are lists of blocks: empty texts, lists where a string is required,
 * outputs of the wrong form. What only one format has is in its own folder.
 */
import { isFilled, isList, isRecord, isText, valueAt, type JsonObject } from '../json.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import { editContent, type ContentContext } from './content-context.ts';
import type { RuleId } from '../rules.ts';
import { newPart, sentences, type Message, type Part } from '../transcript.ts';

/** Changes a value: the rule, the place in the part, and the new value. */
export type Edit = readonly [rule: RuleId, fields: readonly string[], next: unknown];

/** What one format has of its own. */
export interface BlockContents {
  /** The field of a message that holds its blocks. */
  readonly list: string;
  /** How a result has to change; `undefined` for one that is accepted. */
  readonly resultForm: (part: Part, content: unknown, fields: readonly string[], rules: ProviderRules) => Edit | undefined;
  /** Applied to a message before its parts are looked at. */
  readonly begin?: (message: Message, context: ContentContext) => void;
  /** Applied to a message after its empty parts were removed. */
  readonly finish?: (message: Message, context: ContentContext) => void;
  /** Whether a part that is no text has no data. */
  readonly isEmpty?: (part: Part) => boolean;
  /** Whether a message without parts is accepted. */
  readonly mayBeEmpty?: (message: Message, isLast: boolean, rules: ProviderRules) => boolean;
}

/** Returns whether to keep the message. */
export function repairBlocks(message: Message, context: ContentContext, isLast: boolean, format: BlockContents): boolean {
  format.begin?.(message, context);
  for (const part of message.parts) if (part.kind === 'result') repairResult(part, message, context, format);
  const kept = message.parts.every((part) => !isEmptyPart(part, context, format)) ? message.parts : filledParts(message, context, format);
  if (kept !== message.parts) {
    message.parts = kept;
    message.changed = true;
  }
  format.finish?.(message, context);
  return kept.length > 0 || repairEmptyMessage(message, context, isLast, format);
}

function filledParts({ parts }: Message, context: ContentContext, format: BlockContents): readonly Part[] {
  return parts.filter((part) => {
    const empty = isEmptyPart(part, context, format);
    if (empty) context.log.removed('empty-content', part.path, part.native);
    return !empty;
  });
}

function isEmptyPart(part: Part, { rules }: ContentContext, format: BlockContents): boolean {
  const { kind, native } = part;
  const text = isText(native) ? native : valueAt(native, ['text']);
  if (kind === 'text' && (rules.filledTexts ? !isFilled(text) : !isText(text))) return true;
  return format.isEmpty?.(part) === true;
}

function repairEmptyMessage(message: Message, { rules, log, codec }: ContentContext, isLast: boolean, format: BlockContents): boolean {
  const bare = message.native[format.list];
  if (message.role === 'tool' && isList(bare) && bare.length === 0) return true;
  if (format.mayBeEmpty?.(message, isLast, rules) === true) return true;
  if (message.role === 'assistant' || message.role === 'tool') {
    log.removed('empty-content', message.path, message.native);
    return false;
  }
  const text = newPart('text', message.role === 'system' ? sentences.noContent : codec.textPart(sentences.noContent));
  log.added('empty-content', text);
  message.parts = [text];
  message.changed = true;
  return true;
}

function repairResult(part: Part, message: Message, context: ContentContext, { resultForm }: BlockContents): void {
  const fields = context.codec.fieldsOf(part).content ?? [];
  const edit = resultForm(part, valueAt(part.native, fields), fields, context.rules);
  if (edit) editContent(part, message, context, ...edit);
}

/** Converts string blocks to objects; returns the same list if all are objects. */
export function objectsOf(content: readonly unknown[], textBlock: (text: string) => JsonObject): readonly JsonObject[] {
  if (content.every(isRecord)) return content;
  return content.flatMap((block) => (isRecord(block) ? [block] : isText(block) ? [textBlock(block)] : []));
}
