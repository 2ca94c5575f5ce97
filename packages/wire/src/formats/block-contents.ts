/**
 * Owns contents a provider refuses although they are plain values, in the formats whose messages are lists of blocks: empty texts, lists where a string is required,
 * outputs of the wrong form.
 */
import { isFilled, isList, isRecord, isText, jsonText, valueAt, type JsonObject } from '../json.ts';
import { editContent, type ContentContext } from './content-context.ts';
import type { RuleId } from '../rules.ts';
import { newPart, sentences, type Message, type Part } from '../transcript.ts';
import { hasData, removeUnknownFields } from './gemini/known-fields.ts';

/** Returns whether to keep the message. */
export function repairBlocks(message: Message, context: ContentContext, isLast: boolean): boolean {
  if (context.format === 'gemini') {
    removeUnknownFields(message, context.log);
    fillSignatures(message, context);
  }
  for (const part of message.parts) if (part.kind === 'result') repairResult(part, message, context);
  const kept = message.parts.every((part) => !isEmptyPart(part, context)) ? message.parts : filledParts(message, context);
  if (kept !== message.parts) {
    message.parts = kept;
    message.changed = true;
  }
  if (context.format === 'bedrock-converse') repairDocuments(message, context);
  if (kept.length > 0) return true;
  return repairEmptyMessage(message, context, isLast);
}

/** A signature may be in a part of its own, but a part needs data: an empty text is enough. */
function fillSignatures(message: Message, context: ContentContext): void {
  for (const part of message.parts)
    if (isFilled(valueAt(part.native, ['thoughtSignature'])) && !hasData(part.native))
      editContent(part, message, context, 'empty-content', ['text'], '');
}

function filledParts({ parts }: Message, context: ContentContext): readonly Part[] {
  return parts.filter((part) => {
    const empty = isEmptyPart(part, context);
    if (empty) context.log.removed('empty-content', part.path, part.native);
    return !empty;
  });
}

function isEmptyPart({ kind, native }: Part, { format, rules }: ContentContext): boolean {
  const text = isText(native) ? native : valueAt(native, ['text']);
  if (kind === 'text' && (rules.filledTexts ? !isFilled(text) : !isText(text))) return true;
  return format === 'gemini' && (kind === 'note' || kind === 'reasoning') && !hasData(native);
}

function repairEmptyMessage(message: Message, { format, rules, log, codec }: ContentContext, isLast: boolean): boolean {
  const list = format === 'gemini' ? 'parts' : 'content';
  const bare = message.native[list];
  const fine = format === 'ai-sdk' && isText(bare);
  if (fine || (message.role === 'tool' && isList(bare) && bare.length === 0)) return true;
  const mayBeEmpty = format === 'anthropic-messages' && isLast && !rules.endsWithUser && message.role === 'assistant' && isList(bare);
  if (mayBeEmpty) return true;
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

function repairDocuments(message: Message, { log, codec }: ContentContext): void {
  if (!message.parts.some(({ native }) => isRecord(native) && native['document'] !== undefined)) return;
  if (message.role !== 'user' || message.parts.some(({ kind }) => kind === 'text')) return;
  const text = newPart('text', codec.textPart(sentences.noContent));
  log.added('empty-content', text);
  message.parts = [...message.parts, text];
  message.changed = true;
}

function repairResult(part: Part, message: Message, context: ContentContext): void {
  const [rule, fields, next] = resultForm(part, context) ?? [];
  if (rule && fields) editContent(part, message, context, rule, fields, next);
}

type Edit = readonly [RuleId, readonly string[], unknown];

function resultForm(part: Part, { format, codec, rules }: ContentContext): Edit | undefined {
  const fields = codec.fieldsOf(part).content ?? [];
  const content = valueAt(part.native, fields);
  switch (format) {
    case 'anthropic-messages':
      return anthropicResult(part, content, fields);
    case 'gemini':
      if (isRecord(content)) return undefined;
      return content === undefined || content === null
        ? ['empty-content', fields, { output: sentences.noContent }]
        : ['content-form', fields, { output: content }];
    case 'bedrock-converse':
      return bedrockResult(part, content, fields, rules.statusField);
    default:
      return aiSdkResult(part, content, fields);
  }
}

/** A result may be empty, unless it is an error. */
function anthropicResult({ native }: Part, content: unknown, fields: readonly string[]): Edit | undefined {
  const none = valueAt(native, ['is_error']) === true ? sentences.noContent : undefined;
  if (isText(content) ? content.trim() === '' && none !== undefined : content === undefined ? none !== undefined : content === null)
    return ['empty-content', fields, none];
  if (content === undefined || isText(content)) return undefined;
  if (!isList(content)) return ['content-form', fields, jsonText(content)];
  const blocks = objectsOf(content, (text) => ({ type: 'text', text }));
  const filled = blocks.filter((block) => block['type'] !== 'text' || isFilled(block['text']));
  if (content.length === 0 || filled.length === 0) return ['empty-content', fields, none];
  if (blocks !== content) return ['content-form', fields, filled];
  return filled.length === content.length ? undefined : ['empty-content', fields, filled];
}

/** Converts string blocks to objects; returns the same list if all are objects. */
function objectsOf(content: readonly unknown[], textBlock: (text: string) => JsonObject): readonly JsonObject[] {
  if (content.every(isRecord)) return content;
  return content.flatMap((block) => (isRecord(block) ? [block] : isText(block) ? [textBlock(block)] : []));
}

function bedrockResult({ native }: Part, content: unknown, fields: readonly string[], statusField: boolean): Edit | undefined {
  if (!statusField && valueAt(native, ['toolResult', 'status']) !== undefined) return ['status-field', ['toolResult', 'status'], undefined];
  const failed = valueAt(native, ['toolResult', 'status']) === 'error';
  const none = [{ text: sentences.noContent }];
  if (content === undefined || content === null) return ['empty-content', fields, failed ? none : []];
  if (isText(content)) return ['content-form', fields, content.trim() === '' ? none : [{ text: content }]];
  if (!isList(content)) return ['content-form', fields, [{ json: isRecord(content) ? content : { output: content } }]];
  const filled = objectsOf(content, (text) => ({ text })).filter((block) => !('text' in block) || isFilled(block['text']));
  const wrapped = filled.map((block) => ('json' in block && !isRecord(block['json']) ? { json: { output: block['json'] } } : block));
  if (wrapped.length === 0 && (failed || content.length > 0)) return ['empty-content', fields, none];
  if (filled.length < content.length) return ['empty-content', fields, wrapped];
  return wrapped.every((block, index) => block === content[index]) ? undefined : ['content-form', fields, wrapped];
}

const outputTypes: ReadonlySet<unknown> = new Set(['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content']);

function aiSdkResult({ native }: Part, output: unknown, fields: readonly string[]): Edit | undefined {
  if (isRecord(output) && outputTypes.has(output['type'])) return aiSdkValue(output, fields);
  const value = output ?? valueAt(native, ['result']);
  if (value === undefined || value === null) return ['empty-content', fields, { type: 'text', value: sentences.noContent }];
  return ['content-form', fields, isText(value) ? { type: 'text', value } : { type: 'json', value }];
}

/** Corrects the value of an output that does not match its type. */
function aiSdkValue(output: JsonObject, fields: readonly string[]): Edit | undefined {
  const { type, value } = output;
  if (type === 'execution-denied') return undefined;
  if (value === undefined) return ['empty-content', fields, { ...output, type: 'text', value: sentences.noContent }];
  const texts = type === 'text' || type === 'error-text';
  if (texts ? isText(value) : type !== 'content' || isList(value)) return undefined;
  return ['content-form', fields, { ...output, type: type === 'error-text' ? 'error-json' : 'json', value }];
}
