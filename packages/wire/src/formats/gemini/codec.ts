/** Owns the format of Gemini's generateContent. */
import { isRecord, isText, textOf, type JsonObject } from '../../json.ts';
import { usableId, type Part, type Role } from '../../transcript.ts';
import { readBlockMessages, type BlockFormat, type BlockKind } from '../block-messages.ts';
import type { Codec, PartFields } from '../codec.ts';

/** Reads a field in either spelling. */
const either = (block: JsonObject, camel: string, snake: string): unknown => block[camel] ?? block[snake];

function kindOf(block: JsonObject): BlockKind {
  const call = either(block, 'functionCall', 'function_call');
  if (isRecord(call)) return { kind: 'call', id: usableId(call['id']), name: textOf(call['name']) };
  const response = either(block, 'functionResponse', 'function_response');
  if (isRecord(response)) return { kind: 'result', id: usableId(response['id']), name: textOf(response['name']) };
  if (block['thought'] === true) return { kind: 'reasoning' };
  if (isText(block['text'])) return { kind: 'text' };
  const server = either(block, 'toolCall', 'tool_call') ?? either(block, 'toolResponse', 'tool_response');
  return { kind: server === undefined ? 'note' : 'server' };
}

const textPart = (text: string): JsonObject => ({ text });
const roleField = (role: Role): string => (role === 'assistant' ? 'model' : 'user');

function roleOf(native: unknown): Role | undefined {
  if (native === 'model') return 'assistant';
  return native === 'user' || native === 'function' || native === undefined ? 'user' : undefined;
}

const blocks: BlockFormat = { list: 'parts', roleOf, roleField, kindOf, textPart, resultRole: 'user', bareText: false };

const callFields = (body: string): PartFields => ({
  id: [body, 'id'],
  name: [body, 'name'],
  arguments: [body, 'args'],
  content: undefined,
});
const resultFields = (body: string): PartFields => ({
  id: [body, 'id'],
  name: [body, 'name'],
  arguments: undefined,
  content: [body, 'response'],
});
const camelCall = callFields('functionCall');
const snakeCall = callFields('function_call');
const camelResult = resultFields('functionResponse');
const snakeResult = resultFields('function_response');

function fieldsOf({ kind, native }: Part): PartFields {
  const has = (field: string): boolean => isRecord(native) && native[field] !== undefined;
  if (kind === 'call') return has('function_call') && !has('functionCall') ? snakeCall : camelCall;
  return has('function_response') && !has('functionResponse') ? snakeResult : camelResult;
}

export const gemini: Codec = {
  lists: ['contents'],
  read: (list, path, context) => readBlockMessages(list, path, blocks, context),
  write: (message) => ({
    ...message.native,
    parts: message.parts.map(({ native }) => (isText(native) ? textPart(native) : native)),
  }),
  fieldsOf,
  partPath: (path, _message, index) => `${path}.parts.${index}`,
  placeholder: (call, text) => ({
    functionResponse: { ...(call.id === undefined ? {} : { id: call.id }), name: call.name ?? '', response: { error: text } },
  }),
  textPart,
  emptyMessage: (role) => ({ role: roleField(role), parts: [] }),
  resultRole: 'user',
  roleField,
};
