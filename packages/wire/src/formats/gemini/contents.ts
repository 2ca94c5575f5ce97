/** Owns contents that Gemini refuses although they are plain values. */
import { isFilled, isRecord, valueAt } from '../../json.ts';
import { sentences, type Message } from '../../transcript.ts';
import type { BlockContents } from '../block-contents.ts';
import { editContent, type ContentContext } from '../content-context.ts';
import { hasData, removeUnknownFields } from './known-fields.ts';

export const geminiContents: BlockContents = {
  list: 'parts',
  begin: (message, context) => {
    removeUnknownFields(message, context.log);
    fillSignatures(message, context);
  },
  isEmpty: ({ kind, native }) => (kind === 'note' || kind === 'reasoning') && !hasData(native),
  resultForm: (_part, content, fields) => {
    if (isRecord(content)) return undefined;
    return content === undefined || content === null
      ? ['empty-content', fields, { output: sentences.noContent }]
      : ['content-form', fields, { output: content }];
  },
};

/** A signature may be in a part of its own, but a part needs data: an empty text is enough. */
function fillSignatures(message: Message, context: ContentContext): void {
  for (const part of message.parts)
    if (isFilled(valueAt(part.native, ['thoughtSignature'])) && !hasData(part.native))
      editContent(part, message, context, 'empty-content', ['text'], '');
}
