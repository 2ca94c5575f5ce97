/** Owns contents that Chat Completions and its backends refuse. */
import { isFilled, isList, isRecord, isText, jsonText, valueAt, withValueAt } from '../../json.ts';
import { newPart, sentences, type Message, type Part } from '../../transcript.ts';
import { editContent, repairInput, reportContentTypes, type ContentContext } from '../content-context.ts';

const isEmptyContent = (content: unknown): boolean =>
  content === undefined || content === null || (isList(content) && content.length === 0);

/** Fields that make the content optional. */
const contentAlternatives = ['refusal', 'function_call', 'audio'] as const;
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

/** Returns whether to keep the message. */
export function repairChat(message: Message, context: ContentContext): boolean {
  if (message.role === 'tool') return repairToolMessage(message, context);
  repairPieces(message, context);
  if (message.role === 'assistant') removeUnknownFields(message, context);
  for (const part of message.parts)
    if (part.kind === 'call' && valueAt(part.native, ['type']) === 'custom') repairInput(part, message, context, ['custom', 'input']);
  const content = message.parts.find(({ kind }) => kind === 'text')?.native;
  if (isEmptyContent(content))
    return message.role === 'assistant' ? repairAssistant(message, content, context) : setContent(message, sentences.noContent, context);
  if (!isText(content) && !isList(content)) return setContent(message, jsonText(content), context, 'content-form');
  if (message.role === 'user') reportContentTypes(content, message.path, context);
  if (context.rules.textContents && message.role !== 'user') joinTexts(message, content, context);
  if (context.rules.filledAnswers && message.role === 'assistant' && isBlank(content)) return repairAnswer(message, context);
  return true;
}

const isBlank = (content: unknown): boolean =>
  isList(content) ? content.every((piece) => valueAt(piece, ['text']) === '') : content === '';

/** A message without text and calls is removed, unless it holds anything else. */
function repairAnswer(message: Message, context: ContentContext): boolean {
  if (message.parts.some(({ kind }) => kind === 'call')) return true;
  const fields = [...contentAlternatives, ...reasoningFields];
  if (fields.some((field) => isPresent(message.native[field]))) return setContent(message, sentences.noContent, context);
  context.log.removed('empty-content', message.path, message.native);
  return false;
}

function removeUnknownFields(message: Message, { rules, log }: ContentContext): void {
  for (const field of rules.unknownFields) {
    if (message.native[field] === undefined) continue;
    if (message.path !== undefined) log.edited('unknown-field', `${message.path}.${field}`, message.native[field], undefined);
    message.native = withValueAt(message.native, [field], undefined);
    message.changed = true;
  }
}

function repairToolMessage(message: Message, context: ContentContext): boolean {
  const [part] = message.parts;
  if (!part) return true;
  const given = valueAt(part.native, ['content']);
  const content = isList(given) ? formedPieces(given, true) : given;
  if (content !== given) editContent(part, message, context, 'content-form', ['content'], content);
  if (isEmptyContent(content)) editContent(part, message, context, 'empty-content', ['content'], sentences.noContent);
  else if (!isText(content) && !isList(content)) editContent(part, message, context, 'content-form', ['content'], jsonText(content));
  else if (context.rules.textContents) {
    const text = textsOf(content);
    if (text !== undefined) editContent(part, message, context, 'content-form', ['content'], text);
  }
  return true;
}

/** Corrects content pieces that no provider accepts. */
function repairPieces(message: Message, context: ContentContext): void {
  const part = message.parts.find(({ kind }) => kind === 'text');
  if (!part || !isList(part.native)) return;
  const pieces = formedPieces(part.native, false);
  if (pieces !== part.native) editContent(part, message, context, 'content-form', [], pieces);
}

/** Results may contain only texts; elsewhere a typed piece is left alone, since backends define types of their own. */
function formedPieces(pieces: readonly unknown[], textsOnly: boolean): readonly unknown[] {
  const formed = pieces.flatMap((piece) => formedPiece(piece, textsOnly) ?? []);
  return formed.length === pieces.length && formed.every((piece, index) => piece === pieces[index]) ? pieces : formed;
}

function formedPiece(piece: unknown, textsOnly: boolean): unknown {
  if (isText(piece)) return { type: 'text', text: piece };
  if (!isRecord(piece) || Object.keys(piece).length === 0) return undefined;
  const { type, text } = piece;
  if (isText(text) && (type === 'text' || !isText(type) || textTypes.has(type)))
    return type === 'text' ? piece : { ...piece, type: 'text' };
  if (type !== 'text' && isText(type) && !textsOnly) return piece;
  return { type: 'text', text: jsonText(piece) };
}

/** Types of a text piece in other formats. */
const textTypes: ReadonlySet<string> = new Set(['input_text', 'output_text']);

function repairAssistant(message: Message, content: unknown, context: ContentContext): boolean {
  if (message.parts.some(({ kind }) => kind === 'call')) {
    if (context.rules.contentBesideCalls) return setContent(message, '', context);
    return isList(content) ? setContent(message, null, context) : true;
  }
  if (contentAlternatives.some((field) => isPresent(message.native[field])))
    return isList(content) ? setContent(message, null, context) : true;
  const hasReasoning = reasoningFields.some((field) => isPresent(message.native[field]));
  if (hasReasoning && !context.rules.contentBesideCalls)
    return setContent(message, context.rules.filledAnswers ? sentences.noContent : '', context);
  context.log.removed('empty-content', message.path, message.native);
  return false;
}

const isPresent = (value: unknown): boolean => (isText(value) ? isFilled(value) : isList(value) ? value.length > 0 : isRecord(value));

function setContent(
  message: Message,
  text: string | null,
  context: ContentContext,
  rule: 'empty-content' | 'content-form' = 'empty-content',
): true {
  const part = message.parts.find(({ kind }) => kind === 'text') ?? newContent(message);
  editContent(part, message, context, rule, [], text);
  return true;
}

function newContent(message: Message): Part {
  const part = newPart('text', undefined, message.path === undefined ? undefined : `${message.path}.content`);
  message.parts = [part, ...message.parts];
  return part;
}

function joinTexts(message: Message, content: unknown, context: ContentContext): void {
  const text = textsOf(content);
  if (text !== undefined) setContent(message, text, context, 'content-form');
}

/** Joins a list that contains only texts. */
function textsOf(content: unknown): string | undefined {
  if (!isList(content)) return undefined;
  const texts = content.map((part) => (isRecord(part) && isText(part['text']) ? part['text'] : undefined));
  return texts.every(isText) ? texts.join('\n') : undefined;
}
