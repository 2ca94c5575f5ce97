/** Owns the AI SDK's ModelMessage format. */
import { isList, isRecord, textOf, type JsonObject } from '../../json.ts';
import { usableId, type Role } from '../../transcript.ts';
import { blockPath, readBlockMessages, writeBlockMessage, type BlockFormat, type BlockKind } from '../block-messages.ts';
import type { Codec, PartFields } from '../codec.ts';

/** A result in an assistant message is provider-executed, unless its call is executed by the client. */
function kindOf(block: JsonObject, role: Role | undefined, clientCalls: ReadonlySet<string>): BlockKind {
  const id = usableId(block['toolCallId']);
  const name = textOf(block['toolName']);
  switch (block['type']) {
    case 'tool-call':
      return { kind: block['providerExecuted'] === true ? 'server' : 'call', id, name };
    case 'tool-result':
      return { kind: role === 'assistant' && !clientCalls.has(id ?? '') ? 'server' : 'result', id, name };
    case 'text':
      return { kind: 'text' };
    case 'reasoning':
      return { kind: 'reasoning' };
    default:
      return { kind: 'note' };
  }
}

function clientCallsOf(list: readonly unknown[]): ReadonlySet<string> {
  const ids = new Set<string>();
  for (const message of list) {
    const content = isRecord(message) ? message['content'] : undefined;
    if (!isList(content)) continue;
    for (const block of content)
      if (isRecord(block) && block['type'] === 'tool-call' && block['providerExecuted'] !== true)
        ids.add(usableId(block['toolCallId']) ?? '');
  }
  return ids;
}

const textPart = (text: string): JsonObject => ({ type: 'text', text });
const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

const blocksOf = (clientCalls: ReadonlySet<string>): BlockFormat => ({
  list: 'content',
  roleOf: (native) => (roles.has(native) ? (native as Role) : undefined),
  roleField: (role) => role,
  kindOf: (block, role) => kindOf(block, role, clientCalls),
  textPart,
  resultRole: 'tool',
  bareText: true,
});

const blocks = blocksOf(new Set());

const callFields: PartFields = { id: ['toolCallId'], name: ['toolName'], arguments: ['input'], content: undefined };
const resultFields: PartFields = { id: ['toolCallId'], name: ['toolName'], arguments: undefined, content: ['output'] };

export const aiSdk: Codec = {
  lists: ['messages', 'prompt'],
  read: (list, path, context) => readBlockMessages(list, path, blocksOf(clientCallsOf(list)), context),
  write: (message) => writeBlockMessage(message, blocks),
  fieldsOf: ({ kind }) => (kind === 'call' ? callFields : resultFields),
  partPath: (path, message, index) => blockPath(path, message, index, blocks),
  placeholder: (call, text, denied) => ({
    type: 'tool-result',
    toolCallId: call.id ?? '',
    toolName: call.name ?? '',
    output: denied ? { type: 'execution-denied', reason: text } : { type: 'error-text', value: text },
  }),
  textPart,
  emptyMessage: (role) => ({ role, content: [] }),
  resultRole: 'tool',
  roleField: (role) => role,
};
