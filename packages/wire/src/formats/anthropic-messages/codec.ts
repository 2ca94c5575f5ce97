/** Owns the format of Anthropic's Messages API. */
import type { JsonObject } from '../../json.ts';
import { textOf } from '../../json.ts';
import { usableId, type Role } from '../../transcript.ts';
import { blockPath, readBlockMessages, writeBlockMessage, type BlockFormat, type BlockKind } from '../block-messages.ts';
import type { Codec, PartFields } from '../codec.ts';

function kindOf(block: JsonObject): BlockKind {
  const type = textOf(block['type']) ?? '';
  if (type === 'tool_use') return { kind: 'call', id: usableId(block['id']), name: textOf(block['name']) };
  if (type === 'tool_result') return { kind: 'result', id: usableId(block['tool_use_id']) };
  if (type === 'text') return { kind: 'text' };
  if (type === 'thinking' || type === 'redacted_thinking') return { kind: 'reasoning' };
  if (type === 'server_tool_use' || type === 'mcp_tool_use')
    return { kind: 'server', id: usableId(block['id']), name: textOf(block['name']) };
  if (type.endsWith('_tool_result')) return { kind: 'server', id: usableId(block['tool_use_id']) };
  return { kind: 'note' };
}

const textPart = (text: string): JsonObject => ({ type: 'text', text });
const roleField = (role: Role): string => (role === 'assistant' ? 'assistant' : role === 'system' ? 'system' : 'user');

const blocks: BlockFormat = {
  list: 'content',
  roleOf: (native, index) =>
    native === 'user' || native === 'assistant' ? native : native === 'system' && index > 0 ? 'system' : undefined,
  roleField,
  kindOf,
  textPart,
  resultRole: 'user',
  bareText: true,
};

const callFields: PartFields = { id: ['id'], name: ['name'], arguments: ['input'], content: undefined };
const resultFields: PartFields = { id: ['tool_use_id'], name: undefined, arguments: undefined, content: ['content'] };

export const anthropicMessages: Codec = {
  lists: ['messages'],
  read: (list, path, context) => readBlockMessages(list, path, blocks, context),
  write: (message) => writeBlockMessage(message, blocks),
  fieldsOf: ({ kind }) => (kind === 'call' ? callFields : resultFields),
  partPath: (path, message, index) => blockPath(path, message, index, blocks),
  placeholder: (call, text) => ({ type: 'tool_result', tool_use_id: call.id ?? '', content: text, is_error: true }),
  textPart,
  emptyMessage: (role) => ({ role: roleField(role), content: [] }),
  resultRole: 'user',
  roleField,
};
