/** Owns the format of OpenAI's Responses: a flat list of items, each read as a message with one part. */
import { isList, isRecord, isText, textOf, type JsonObject } from '../../json.ts';
import { newMessage, newPart, usableId, type Message, type Part, type Role } from '../../transcript.ts';
import type { Codec, PartFields, ReadContext } from '../codec.ts';

/** Types of calls executed by the client. */
const callTypes: ReadonlySet<unknown> = new Set(['function_call', 'custom_tool_call', 'computer_call', 'shell_call', 'apply_patch_call']);

const answerOf = (type: unknown): string => `${String(type)}_output`;
const answers: ReadonlySet<unknown> = new Set([...callTypes].map(answerOf));

/** Reads an item by its type, else by its role. */
function roleAndPart(native: JsonObject, path: string): readonly [Role, Part] {
  const type = native['type'];
  if (callTypes.has(type)) return ['assistant', newPart('call', native, path, usableId(native['call_id']), textOf(native['name']))];
  if (answers.has(type)) return ['tool', newPart('result', native, path, usableId(native['call_id']))];
  if (type === 'reasoning') return ['assistant', newPart('reasoning', native, path)];
  if (type === undefined || type === 'message') {
    const role = native['role'];
    const side: Role = role === 'assistant' ? 'assistant' : role === 'system' || role === 'developer' ? 'system' : 'user';
    return [side, newPart('text', native, path)];
  }
  return ['assistant', newPart(type === 'item_reference' ? 'note' : 'server', native, path)];
}

const known: ReadonlySet<unknown> = new Set(['user', 'assistant', 'system', 'developer']);

/** Converts items in the chat format, as left behind by clients. */
function fromOtherFormats(native: JsonObject, path: string, { log }: ReadContext): readonly JsonObject[] {
  const { type, role } = native;
  if (isText(type) && type !== 'message') return [native];
  if (role === 'tool' || 'tool_call_id' in native) {
    const item = { type: 'function_call_output', call_id: native['tool_call_id'] ?? native['call_id'], output: native['content'] };
    log.edited('role', path, native, item);
    return [item];
  }
  const calls = native['tool_calls'];
  if (isList(calls) && calls.length > 0) return fromChat(native, calls, path, log);
  if (known.has(role)) return [native];
  const next = { ...native, role: role === 'model' || role === 'ai' ? 'assistant' : 'user' };
  log.edited('role', `${path}.role`, role, next.role);
  return [next];
}

function fromChat(native: JsonObject, calls: readonly unknown[], path: string, log: ReadContext['log']): readonly JsonObject[] {
  const items: JsonObject[] = [];
  const content = native['content'];
  if (content !== undefined && content !== null && content !== '') items.push({ role: 'assistant', content });
  for (const call of calls) {
    const body = isRecord(call) && isRecord(call['function']) ? call['function'] : {};
    if (isRecord(call)) items.push({ type: 'function_call', call_id: call['id'], name: body['name'], arguments: body['arguments'] });
  }
  log.edited('role', path, native, items);
  return items;
}

function readItems(list: readonly unknown[], path: string, context: ReadContext): Message[] {
  return list.flatMap((given, index) => {
    const place = `${path}.${index}`;
    if (!isRecord(given)) {
      context.log.removed('message-shape', place, given ?? null);
      return [];
    }
    return fromOtherFormats(given, place, context).map((native) => {
      const [role, part] = roleAndPart(native, native === given || !isText(native['type']) ? place : place);
      return newMessage(role, native, [part], place, native !== given);
    });
  });
}

const resultFields: PartFields = { id: ['call_id'], name: undefined, arguments: undefined, content: ['output'] };
const functionFields: PartFields = { id: ['call_id'], name: ['name'], arguments: ['arguments'], content: undefined };
const customFields: PartFields = { id: ['call_id'], name: ['name'], arguments: undefined, content: undefined };
const namelessFields: PartFields = { id: ['call_id'], name: undefined, arguments: undefined, content: undefined };

function fieldsOf({ kind, native }: Part): PartFields {
  if (kind !== 'call') return resultFields;
  const type = isRecord(native) ? native['type'] : undefined;
  return type === 'function_call' ? functionFields : type === 'custom_tool_call' ? customFields : namelessFields;
}

function placeholder(call: Part, text: string): unknown {
  const type = isRecord(call.native) ? call.native['type'] : undefined;
  const base = { type: answerOf(type), call_id: call.id ?? '' };
  if (type === 'function_call' || type === 'custom_tool_call') return { ...base, output: text };
  if (type === 'shell_call') return { ...base, output: [{ stdout: '', stderr: text, outcome: { type: 'exit', exit_code: 1 } }] };
  if (type === 'apply_patch_call') return { ...base, status: 'failed', output: text };
  return undefined;
}

export const openaiResponses: Codec = {
  lists: ['input'],
  read: readItems,
  write: (message) => message.parts[0]?.native,
  fieldsOf,
  partPath: (path) => path,
  placeholder,
  textPart: (text) => ({ role: 'user', content: text }),
  emptyMessage: () => ({}),
  resultRole: 'tool',
  roleField: (role) => role,
};
