/** Owns contents and outputs that Responses refuses. */
import { isList, isRecord, isText, jsonText, valueAt, withValueAt } from '../../json.ts';
import { sentences, type Message, type Part } from '../../transcript.ts';
import { editContent, repairInput, reportContentTypes, type ContentContext } from '../content-context.ts';

/** Returns whether to keep the item. */
export function repairItem(message: Message, context: ContentContext): boolean {
  const [part] = message.parts;
  if (part?.kind === 'result') repairOutput(part, message, context);
  if (part?.kind === 'call' && valueAt(part.native, ['type']) === 'custom_tool_call') repairInput(part, message, context, ['input']);
  return part?.kind !== 'text' || repairMessageItem(part, message, context);
}

function repairOutput(part: Part, message: Message, context: ContentContext): void {
  const type = valueAt(part.native, ['type']);
  if (type !== 'function_call_output' && type !== 'custom_tool_call_output') return;
  const output = valueAt(part.native, ['output']);
  if (isText(output) || (isList(output) && output.length > 0)) return;
  const empty = output === undefined || output === null || isList(output);
  editContent(part, message, context, empty ? 'empty-content' : 'content-form', ['output'], empty ? sentences.noContent : jsonText(output));
}

function repairMessageItem(part: Part, message: Message, context: ContentContext): boolean {
  const content = valueAt(part.native, ['content']);
  if (isText(content)) return true;
  if (!isList(content) || content.length === 0) {
    if (message.role === 'assistant' && !isRecord(content)) {
      context.log.removed('empty-content', part.path, part.native);
      return false;
    }
    const text = isRecord(content) ? jsonText(content) : sentences.noContent;
    editContent(part, message, context, isRecord(content) ? 'content-form' : 'empty-content', ['content'], text);
    return true;
  }
  const formed = content.flatMap((piece) => formedPiece(piece, message.role === 'assistant') ?? []);
  if (formed.length < content.length || formed.some((piece, index) => piece !== content[index]))
    editContent(part, message, context, 'content-form', ['content'], formed);
  if (message.role === 'user') reportContentTypes(formed, part.path, context);
  return formed.length > 0 || repairMessageItem(part, message, context);
}

/** The type of a text depends on the role. */
function formedPiece(piece: unknown, isFromModel: boolean): unknown {
  if (isText(piece)) return { type: isFromModel ? 'output_text' : 'input_text', text: piece };
  if (!isRecord(piece) || Object.keys(piece).length === 0) return undefined;
  const type = valueAt(piece, ['type']);
  if (!isText(type))
    return { type: isFromModel ? 'output_text' : 'input_text', text: isText(piece['text']) ? piece['text'] : jsonText(piece) };
  if (type === 'text' || type === (isFromModel ? 'input_text' : 'output_text'))
    return withValueAt(piece, ['type'], isFromModel ? 'output_text' : 'input_text');
  return piece;
}
