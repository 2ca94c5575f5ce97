/** Owns the format of OpenAI's Chat Completions, where a result is a separate message and calls are next to the content. */
import { isList, isRecord, isText, textOf, valueAt, type JsonObject } from '../../json.ts';
import { newMessage, newPart, usableId, type Message, type Part, type Role } from '../../transcript.ts';
import type { Codec, PartFields, ReadContext } from '../codec.ts';

const roleNames: ReadonlyMap<unknown, Role> = new Map<unknown, Role>([
  ['system', 'system'],
  ['developer', 'system'],
  ['user', 'user'],
  ['assistant', 'assistant'],
  ['tool', 'tool'],
  // The legacy counterpart of `function_call`; left unchanged.
  ['function', 'user'],
]);

const isCustom = (native: unknown): boolean => isRecord(native) && native['type'] === 'custom';

const resultFields: PartFields = { id: ['tool_call_id'], name: undefined, arguments: undefined, content: ['content'] };
const callFields: PartFields = { id: ['id'], name: ['function', 'name'], arguments: ['function', 'arguments'], content: undefined };
const customFields: PartFields = { id: ['id'], name: ['custom', 'name'], arguments: undefined, content: undefined };

function fieldsOf({ kind, native }: Part): PartFields {
  if (kind !== 'call') return resultFields;
  return isCustom(native) ? customFields : callFields;
}

/** The ids of the calls, and the names of tools, of calls and of definitions. */
interface Known {
  readonly ids: ReadonlySet<string | undefined>;
  readonly names: ReadonlySet<string | undefined>;
}

function knownIn(list: readonly unknown[], { tools }: JsonObject): Known {
  const ids = new Set<string | undefined>();
  const names = new Set<string | undefined>();
  const take = (native: unknown): string | undefined => {
    if (!isRecord(native)) return undefined;
    names.add(nameOf(native));
    return usableId(native['id']);
  };
  if (isList(tools)) tools.forEach(take);
  for (const message of list) {
    const calls = isRecord(message) ? message['tool_calls'] : undefined;
    if (isList(calls)) for (const call of calls) ids.add(take(call));
  }
  return { ids, names };
}

const nameOf = (native: JsonObject): string | undefined => textOf(valueAt(native, [isCustom(native) ? 'custom' : 'function', 'name']));

/** The role of a message by its content, regardless of the declared role. */
function roleBy(native: JsonObject, calls: readonly unknown[], { ids }: Known): Role {
  const declared = roleNames.get(native['role']);
  if (calls.length > 0) return 'assistant';
  if (declared === 'tool') return 'tool';
  if ('tool_call_id' in native && (declared === undefined || ids.has(usableId(native['tool_call_id'])))) return 'tool';
  return declared ?? (native['role'] === 'model' || native['role'] === 'ai' ? 'assistant' : 'user');
}

function readMessage(given: JsonObject, path: string, known: Known, { log, rules }: ReadContext): Message {
  const { native, calls, changed } = readCalls(given, path, { log, rules });
  const role = roleBy(native, calls, known);
  let body = native;
  if (roleNames.get(native['role']) !== role || (native['role'] === 'developer' && !rules.developerRole)) {
    log.edited('role', `${path}.role`, native['role'] ?? null, role);
    body = { ...body, role };
  }
  if (role !== 'tool' && 'tool_call_id' in body) {
    const { tool_call_id: id, ...rest } = body;
    log.removed('role', `${path}.tool_call_id`, id ?? null);
    body = rest;
  }
  if (role === 'tool') return newMessage(role, body, [readResult(body, path, known)], path, body !== given);
  const content = body['content'] === undefined ? [] : [newPart('text', body['content'], `${path}.content`)];
  return newMessage(role, body, [...content, ...calls], path, changed || body !== given);
}

/** Clients write the name of the tool here, or that of an agent, which says nothing beside an id. */
function readResult(native: JsonObject, path: string, { names }: Known): Part {
  const id = usableId(native['tool_call_id']);
  const name = textOf(native['name']);
  return newPart('result', native, path, id, id === undefined || names.has(name) ? name : undefined);
}

function readCalls(native: JsonObject, path: string, context: Pick<ReadContext, 'log' | 'rules'>) {
  const { log } = context;
  const list = native['tool_calls'];
  if (list === undefined || list === null) return { native, calls: [], changed: false };
  const place = `${path}.tool_calls`;
  const calls: Part[] = [];
  if (isList(list))
    list.forEach((call, index) => {
      if (!isRecord(call)) log.removed('message-shape', `${place}.${index}`, call ?? null);
      else calls.push(readCall(call, `${place}.${index}`, context));
    });
  if (calls.length > 0)
    return {
      native,
      calls,
      changed: !isList(list) || calls.length < list.length || calls.some((part, index) => part.native !== list[index]),
    };
  if (!isList(list) || list.length === 0) log.removed('empty-calls', place, list ?? null);
  const { tool_calls: _removed, ...rest } = native;
  return { native: rest, calls, changed: true };
}

function readCall(given: JsonObject, path: string, { log, rules }: Pick<ReadContext, 'log' | 'rules'>): Part {
  let native = given;
  const { type } = given;
  if (!isText(type) || rules.callTypes?.includes(type) === false) {
    native = { ...given, type: isRecord(given['custom']) ? 'custom' : 'function' };
    log.edited('content-form', `${path}.type`, type, native['type']);
  }
  return newPart('call', native, path, usableId(native['id']), nameOf(native));
}

function write(message: Message): JsonObject {
  if (message.role === 'tool') return message.parts[0]?.native as JsonObject;
  const calls = message.parts.filter(({ kind }) => kind === 'call').map(({ native }) => native);
  const content = message.parts.find(({ kind }) => kind === 'text');
  const { tool_calls: _calls, content: _content, ...rest } = message.native;
  const written: Record<string, unknown> = { ...rest };
  if (content) written['content'] = content.native;
  if (calls.length > 0) written['tool_calls'] = calls;
  return written;
}

function partPath(path: string, message: Message, index: number): string {
  if (message.role === 'tool') return path;
  if (message.parts[index]?.kind !== 'call') return `${path}.content`;
  // The content, if any, precedes the calls.
  return `${path}.tool_calls.${index - (message.parts[0]?.kind === 'call' ? 0 : 1)}`;
}

export const openaiChat: Codec = {
  lists: ['messages'],
  read: (list, path, context) => {
    const known = knownIn(list, context.request);
    return list.flatMap((native, index) => {
      if (isRecord(native)) return [readMessage(native, `${path}.${index}`, known, context)];
      context.log.removed('message-shape', `${path}.${index}`, native ?? null);
      return [];
    });
  },
  write,
  fieldsOf,
  partPath,
  placeholder: (call, text) => ({ role: 'tool', tool_call_id: call.id ?? '', content: text }),
  textPart: (text) => text,
  emptyMessage: (role) => ({ role }),
  resultRole: 'tool',
  roleField: (role) => role,
};
