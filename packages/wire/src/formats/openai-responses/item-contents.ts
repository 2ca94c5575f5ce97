/** Owns what Responses refuses as a content or an output. */
import { isList, isRecord, isText, jsonText, valueAt, withValueAt } from '../../json.ts';
import { sentences, type Message, type Part } from '../../transcript.ts';
import { editContent, type ContentContext } from '../content-context.ts';

/** Whether the item stays. */
export function repairItem(message: Message, scene: ContentContext): boolean {
  const [part] = message.parts;
  if (part?.kind === 'result') repairOutput(part, message, scene);
  return part?.kind !== 'text' || repairMessageItem(part, message, scene);
}

function repairOutput(part: Part, message: Message, scene: ContentContext): void {
  const type = valueAt(part.native, ['type']);
  if (type !== 'function_call_output' && type !== 'custom_tool_call_output') return;
  const output = valueAt(part.native, ['output']);
  if (isText(output) || (isList(output) && output.length > 0)) return;
  const empty = output === undefined || output === null || isList(output);
  editContent(part, message, scene, empty ? 'empty-content' : 'content-form', ['output'], empty ? sentences.noContent : jsonText(output));
}

function repairMessageItem(part: Part, message: Message, scene: ContentContext): boolean {
  const content = valueAt(part.native, ['content']);
  if (isText(content)) return true;
  if (!isList(content) || content.length === 0) {
    if (message.role === 'assistant' && !isRecord(content)) {
      scene.log.removed('empty-content', part.path, part.native);
      return false;
    }
    const text = isRecord(content) ? jsonText(content) : sentences.noContent;
    editContent(part, message, scene, isRecord(content) ? 'content-form' : 'empty-content', ['content'], text);
    return true;
  }
  const formed = content.flatMap((piece) => formedPiece(piece, message.role === 'assistant') ?? []);
  if (formed.length < content.length || formed.some((piece, index) => piece !== content[index]))
    editContent(part, message, scene, 'content-form', ['content'], formed);
  return formed.length > 0 || repairMessageItem(part, message, scene);
}

/** Texts have other types on the two sides. */
function formedPiece(piece: unknown, ofModel: boolean): unknown {
  if (isText(piece)) return { type: ofModel ? 'output_text' : 'input_text', text: piece };
  if (!isRecord(piece) || Object.keys(piece).length === 0) return undefined;
  const type = valueAt(piece, ['type']);
  if (!isText(type)) return { type: ofModel ? 'output_text' : 'input_text', text: isText(piece['text']) ? piece['text'] : jsonText(piece) };
  if (type === 'text' || type === (ofModel ? 'input_text' : 'output_text'))
    return withValueAt(piece, ['type'], ofModel ? 'output_text' : 'input_text');
  return piece;
}
