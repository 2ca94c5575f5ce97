/** Owns the format of Bedrock's Converse API. */
import { isRecord, textOf, type JsonObject } from '../../json.ts';
import { usableId, type Role } from '../../transcript.ts';
import { readBlockMessages, type BlockFormat, type BlockKind } from '../block-messages.ts';
import type { Codec, PartFields } from '../codec.ts';

/** A member of a block; an empty one for a block that has only a broken one. */
function memberOf(block: JsonObject, name: string): unknown {
  return name in block && !isRecord(block[name]) && Object.keys(block).length === 1 ? {} : block[name];
}

function kindOf(block: JsonObject): BlockKind {
  const use = memberOf(block, 'toolUse');
  if (isRecord(use)) {
    const server = textOf(use['type']) === 'server_tool_use';
    return { kind: server ? 'server' : 'call', id: usableId(use['toolUseId']), name: textOf(use['name']) };
  }
  const result = memberOf(block, 'toolResult');
  if (isRecord(result)) {
    const server = result['type'] !== undefined && result['type'] !== 'tool_result';
    return { kind: server ? 'server' : 'result', id: usableId(result['toolUseId']) };
  }
  if ('text' in block) return { kind: 'text' };
  return { kind: 'reasoningContent' in block ? 'reasoning' : 'note' };
}

const textPart = (text: string): JsonObject => ({ text });
const roleField = (role: Role): string => (role === 'assistant' ? 'assistant' : 'user');

const blocks: BlockFormat = {
  list: 'content',
  roleOf: (native) => (native === 'user' || native === 'assistant' ? native : undefined),
  roleField,
  kindOf,
  textPart,
  resultRole: 'user',
  bareText: false,
};

const callFields: PartFields = {
  id: ['toolUse', 'toolUseId'],
  name: ['toolUse', 'name'],
  arguments: ['toolUse', 'input'],
  content: undefined,
};
const resultFields: PartFields = {
  id: ['toolResult', 'toolUseId'],
  name: undefined,
  arguments: undefined,
  content: ['toolResult', 'content'],
};

export const bedrockConverse: Codec = {
  lists: ['messages'],
  read: (list, path, context) => readBlockMessages(list, path, blocks, context),
  // The content is always a list here, never a string.
  write: (message) => ({
    ...message.native,
    content: message.parts.map(({ native }) => (typeof native === 'string' ? textPart(native) : native)),
  }),
  fieldsOf: ({ kind }) => (kind === 'call' ? callFields : resultFields),
  partPath: (path, _message, index) => `${path}.content.${index}`,
  placeholder: (call, text, _denied, rules) => ({
    toolResult: { toolUseId: call.id ?? '', content: [{ text }], ...(rules.statusField ? { status: 'error' } : {}) },
  }),
  textPart,
  emptyMessage: (role) => ({ role: roleField(role), content: [] }),
  resultRole: 'user',
  roleField,
};
