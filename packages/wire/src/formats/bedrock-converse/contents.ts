/** Owns contents that Bedrock Converse refuses although they are plain values. */
import { isFilled, isList, isRecord, isText, valueAt } from '../../json.ts';
import type { ProviderRules } from '../../profiles/provider-rules.ts';
import { newPart, sentences, type Message, type Part } from '../../transcript.ts';
import { type BlockContents, type Edit, objectsOf } from '../block-contents.ts';
import type { ContentContext } from '../content-context.ts';

export const bedrockContents: BlockContents = { list: 'content', resultForm: bedrockResult, finish: repairDocuments };

function bedrockResult({ native }: Part, content: unknown, fields: readonly string[], { statusField }: ProviderRules): Edit | undefined {
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

/** A document needs a text beside it. */
function repairDocuments(message: Message, { log, codec }: ContentContext): void {
  if (!message.parts.some(({ native }) => isRecord(native) && native['document'] !== undefined)) return;
  if (message.role !== 'user' || message.parts.some(({ kind }) => kind === 'text')) return;
  const text = newPart('text', codec.textPart(sentences.noContent));
  log.added('empty-content', text);
  message.parts = [...message.parts, text];
  message.changed = true;
}
