/** Owns the form of Gemini's generateContent. */
import { isObject, isText, textOf, type JsonObject } from '../../json.ts';
import { usableId, type Role } from '../../transcript.ts';
import { readBlockMessages, type BlockFormat, type BlockKind } from '../blocks.ts';
import type { Codec } from '../codec.ts';

function kindOf(block: JsonObject): BlockKind {
  const call = block['functionCall'];
  if (isObject(call)) return { kind: 'call', id: usableId(call['id']), name: textOf(call['name']) };
  const response = block['functionResponse'];
  if (isObject(response)) return { kind: 'result', id: usableId(response['id']), name: textOf(response['name']) };
  if (block['thought'] === true) return { kind: 'reasoning' };
  if (isText(block['text'])) return { kind: 'text' };
  return { kind: 'toolCall' in block || 'toolResponse' in block ? 'server' : 'note' };
}

const textPart = (text: string): JsonObject => ({ text });
const roleField = (role: Role): string => (role === 'assistant' ? 'model' : 'user');

function roleOf(native: unknown): Role | undefined {
  if (native === 'model') return 'assistant';
  return native === 'user' || native === 'function' || native === undefined ? 'user' : undefined;
}

const blocks: BlockFormat = { list: 'parts', roleOf, roleField, kindOf, textPart, resultRole: 'user' };

export const gemini: Codec = {
  lists: ['contents'],
  read: (list, path, scene) => readBlockMessages(list, path, blocks, scene),
  write: (message) => ({
    ...message.native,
    parts: message.parts.map(({ native }) => (isText(native) ? textPart(native) : native)),
  }),
  fieldsOf: ({ kind }) =>
    kind === 'call'
      ? { id: ['functionCall', 'id'], name: ['functionCall', 'name'], arguments: ['functionCall', 'args'], content: undefined }
      : {
          id: ['functionResponse', 'id'],
          name: ['functionResponse', 'name'],
          arguments: undefined,
          content: ['functionResponse', 'response'],
        },
  partPath: (path, _message, index) => `${path}.parts.${index}`,
  placeholder: (call, text) => ({
    functionResponse: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name ?? '', response: { error: text } },
  }),
  textPart,
  emptyMessage: (role) => ({ role: roleField(role), parts: [] }),
  resultRole: 'user',
  roleField,
};
