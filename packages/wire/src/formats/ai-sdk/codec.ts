/** Owns the AI SDK's ModelMessage format. */
import { isList, isRecord, textOf, type JsonObject } from '../../json.ts';
import { usableId, type Role } from '../../transcript.ts';
import { blockPath, readBlockMessages, writeBlockMessage, type BlockFormat, type BlockKind } from '../block-messages.ts';
import type { Codec, PartFields } from '../codec.ts';

/** The ids of calls, by who executes them. */
interface CallIds {
  readonly client: ReadonlySet<string>;
  readonly provider: ReadonlySet<string>;
}

/**
 * A result in an assistant message is provider-executed, unless its call is executed by the client. That of a call of the provider which the user has denied is in a
 * tool message, beside the answer of the user: the framework does not send it.
 */
function kindOf(block: JsonObject, role: Role | undefined, { client, provider }: CallIds): BlockKind {
  const id = usableId(block['toolCallId']);
  const name = textOf(block['toolName']);
  switch (block['type']) {
    case 'tool-call':
      return { kind: block['providerExecuted'] === true ? 'server' : 'call', id, name };
    case 'tool-result':
      if (client.has(id ?? '')) return { kind: 'result', id, name };
      if (role === 'assistant') return { kind: 'server', id, name };
      return provider.has(id ?? '') && isDenied(block) ? { kind: 'note' } : { kind: 'result', id, name };
    case 'text':
      return { kind: 'text' };
    case 'reasoning':
      return { kind: 'reasoning' };
    default:
      return { kind: 'note' };
  }
}

const isDenied = ({ output }: JsonObject): boolean => isRecord(output) && output['type'] === 'execution-denied';

function callIdsOf(list: readonly unknown[]): CallIds {
  const client = new Set<string>();
  const provider = new Set<string>();
  for (const message of list) {
    const content = isRecord(message) ? message['content'] : undefined;
    if (!isList(content)) continue;
    for (const block of content)
      if (isRecord(block) && block['type'] === 'tool-call')
        (block['providerExecuted'] === true ? provider : client).add(usableId(block['toolCallId']) ?? '');
  }
  return { client, provider };
}

const textPart = (text: string): JsonObject => ({ type: 'text', text });
const roles: ReadonlySet<unknown> = new Set(['system', 'user', 'assistant', 'tool']);

const blocksOf = (ids: CallIds): BlockFormat => ({
  list: 'content',
  roleOf: (native) => (roles.has(native) ? (native as Role) : undefined),
  roleField: (role) => role,
  kindOf: (block, role) => kindOf(block, role, ids),
  textPart,
  resultRole: 'tool',
  bareText: true,
});

const blocks = blocksOf({ client: new Set(), provider: new Set() });

const callFields: PartFields = { id: ['toolCallId'], name: ['toolName'], arguments: ['input'], content: undefined };
const resultFields: PartFields = { id: ['toolCallId'], name: ['toolName'], arguments: undefined, content: ['output'] };

export const aiSdk: Codec = {
  lists: ['messages', 'prompt'],
  read: (list, path, context) => readBlockMessages(list, path, blocksOf(callIdsOf(list)), context),
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
