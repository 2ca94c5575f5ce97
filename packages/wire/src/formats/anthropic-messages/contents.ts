/** Owns contents that the Messages API of Anthropic refuses although they are plain values. */
import { isFilled, isList, isText, jsonText, valueAt } from '../../json.ts';
import { sentences, type Part } from '../../transcript.ts';
import { type BlockContents, type Edit, objectsOf } from '../block-contents.ts';

export const anthropicContents: BlockContents = {
  list: 'content',
  resultForm: anthropicResult,
  mayBeEmpty: ({ native, role }, isLast, { endsWithUser }) => isLast && !endsWithUser && role === 'assistant' && isList(native['content']),
};

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
