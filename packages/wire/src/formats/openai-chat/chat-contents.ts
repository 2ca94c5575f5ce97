/** Owns what Chat Completions and its backends refuse as a content. */
import { isFilled, isList, isRecord, isText, jsonText, valueAt } from '../../json.ts';
import { newPart, sentences, type Message, type Part } from '../../transcript.ts';
import { editContent, type ContentContext } from '../content-context.ts';

const isNothing = (content: unknown): boolean => content === undefined || content === null || (isList(content) && content.length === 0);

/** What speaks in the place of a content. */
const otherContents = ['refusal', 'function_call', 'audio'] as const;
const reasoningFields = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

/** Whether the message stays. */
export function repairChat(message: Message, scene: ContentContext): boolean {
  if (message.role === 'tool') return repairToolMessage(message, scene);
  repairPieces(message, scene);
  const content = message.parts.find(({ kind }) => kind === 'text')?.native;
  if (isNothing(content))
    return message.role === 'assistant' ? repairAssistant(message, content, scene) : setContent(message, sentences.noContent, scene);
  if (!isText(content) && !isList(content)) return setContent(message, jsonText(content), scene, 'content-form');
  if (scene.rules.textContents && message.role !== 'user') joinTexts(message, content, scene);
  return true;
}

function repairToolMessage(message: Message, scene: ContentContext): boolean {
  const [part] = message.parts;
  if (!part) return true;
  const given = valueAt(part.native, ['content']);
  const content = isList(given) ? formedPieces(given, true) : given;
  if (content !== given) editContent(part, message, scene, 'content-form', ['content'], content);
  if (isNothing(content)) editContent(part, message, scene, 'empty-content', ['content'], sentences.noContent);
  else if (!isText(content) && !isList(content)) editContent(part, message, scene, 'content-form', ['content'], jsonText(content));
  else if (scene.rules.textContents) {
    const text = textsOf(content);
    if (text !== undefined) editContent(part, message, scene, 'content-form', ['content'], text);
  }
  return true;
}

/** Pieces that no provider could read. */
function repairPieces(message: Message, scene: ContentContext): void {
  const part = message.parts.find(({ kind }) => kind === 'text');
  if (!part || !isList(part.native)) return;
  const pieces = formedPieces(part.native, false);
  if (pieces !== part.native) editContent(part, message, scene, 'content-form', [], pieces);
}

/** Results have texts only; elsewhere what names a type is left alone, for there are types of the backends. */
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

/** Names of a string in other formats. */
const textTypes: ReadonlySet<string> = new Set(['input_text', 'output_text']);

function repairAssistant(message: Message, content: unknown, scene: ContentContext): boolean {
  if (message.parts.some(({ kind }) => kind === 'call')) {
    if (scene.rules.contentBesideCalls) return setContent(message, '', scene);
    return isList(content) ? setContent(message, null, scene) : true;
  }
  if (otherContents.some((field) => isPresent(message.native[field]))) return isList(content) ? setContent(message, null, scene) : true;
  const reasons = reasoningFields.some((field) => isPresent(message.native[field]));
  if (reasons && !scene.rules.contentBesideCalls) return setContent(message, '', scene);
  scene.log.removed('empty-content', message.path, message.native);
  return false;
}

const isPresent = (value: unknown): boolean => (isText(value) ? isFilled(value) : isList(value) ? value.length > 0 : isRecord(value));

function setContent(
  message: Message,
  text: string | null,
  scene: ContentContext,
  rule: 'empty-content' | 'content-form' = 'empty-content',
): true {
  const part = message.parts.find(({ kind }) => kind === 'text') ?? newContent(message);
  editContent(part, message, scene, rule, [], text);
  return true;
}

function newContent(message: Message): Part {
  const part = newPart('text', undefined, message.path === undefined ? undefined : `${message.path}.content`);
  message.parts = [part, ...message.parts];
  return part;
}

function joinTexts(message: Message, content: unknown, scene: ContentContext): void {
  const text = textsOf(content);
  if (text !== undefined) setContent(message, text, scene, 'content-form');
}

/** The text of a list that has nothing but texts. */
function textsOf(content: unknown): string | undefined {
  if (!isList(content)) return undefined;
  const texts = content.map((part) => (isRecord(part) && isText(part['text']) ? part['text'] : undefined));
  return texts.every(isText) ? texts.join('\n') : undefined;
}
