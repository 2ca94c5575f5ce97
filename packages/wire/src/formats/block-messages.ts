/**
 * Owns reading and writing messages with a list of blocks, the structure shared by Anthropic, Bedrock, Gemini and the AI SDK.
 *
 * Invariant: a message with blocks of the model has the assistant role; a message with results does not.
 */
import type { ReadContext } from './codec.ts';
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import { newMessage, newPart, type Message, type Part, type PartKind, type Role } from '../transcript.ts';

export interface BlockKind {
  readonly kind: PartKind;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
}

export interface BlockFormat {
  /** Name of the field with the blocks. */
  readonly list: string;
  /** Maps a native role; `undefined` if it is unknown. */
  readonly roleOf: (native: unknown, index: number) => Role | undefined;
  readonly roleField: (role: Role) => string;
  readonly kindOf: (block: JsonObject, role: Role | undefined) => BlockKind;
  readonly textPart: (text: string) => unknown;
  /** The role of a message that contains results. */
  readonly resultRole: Role;
  /** Whether the content may be a string instead of a list. */
  readonly bareText: boolean;
}

const modelSide: ReadonlySet<PartKind> = new Set(['call', 'reasoning', 'server']);

export function readBlockMessages(list: readonly unknown[], path: string, format: BlockFormat, context: ReadContext): Message[] {
  const messages: Message[] = [];
  for (let index = 0; index < list.length; index += 1) {
    const native = list[index];
    const place = `${path}.${index}`;
    if (!isRecord(native)) context.log.removed('message-shape', place, native ?? null);
    else messages.push(...readBlockMessage(native, place, index, format, context));
  }
  return messages;
}

function readBlockMessage(native: JsonObject, path: string, index: number, format: BlockFormat, context: ReadContext): readonly Message[] {
  const declared = format.roleOf(native['role'], index);
  const { parts, changed } = readParts(native[format.list], `${path}.${format.list}`, declared, format, context);
  const role = roleOfParts(parts, declared, format);
  if (role === 'split') return splitBySide(native, path, parts, format, context);
  if (role === declared) return [newMessage(role, native, parts, path, changed)];
  const field = format.roleField(role);
  context.log.edited('role', `${path}.role`, native['role'] ?? null, field);
  return [newMessage(role, { ...native, role: field }, parts, path, true)];
}

function readParts(content: unknown, path: string, role: Role | undefined, format: BlockFormat, context: ReadContext) {
  if (isText(content) && format.bareText) return { parts: [newPart('text', content, path)], changed: false };
  if (isText(content)) return fromBareText(content, path, format, context);
  if (!isList(content)) return { parts: [], changed: false };
  const parts: Part[] = [];
  content.forEach((block, index) => {
    const place = `${path}.${index}`;
    if (isText(block)) {
      context.log.edited('content-form', place, block, format.textPart(block));
      parts.push(newPart('text', format.textPart(block), place));
    } else if (isRecord(block) && Object.keys(block).length > 0) {
      const native = addType(block, place, format, context);
      const { kind, id, name } = format.kindOf(native, role);
      parts.push(newPart(kind, native, place, id, name));
    } else context.log.removed('message-shape', place, block ?? null);
  });
  const changed = parts.length !== content.length || parts.some((part, index) => part.native !== content[index]);
  return { parts, changed };
}

/** Adds the missing type to a text block. */
function addType(block: JsonObject, path: string, { bareText }: BlockFormat, { log }: ReadContext): JsonObject {
  if (!bareText || !isText(block['text']) || (block['type'] !== undefined && block['type'] !== null)) return block;
  log.edited('content-form', `${path}.type`, block['type'], 'text');
  return { ...block, type: 'text' };
}

function fromBareText(text: string, path: string, format: BlockFormat, { log }: ReadContext) {
  if (text === '') {
    log.edited('empty-content', path, text, []);
    return { parts: [], changed: true };
  }
  const native = format.textPart(text);
  log.edited('content-form', path, text, [native]);
  return { parts: [newPart('text', native, `${path}.0`)], changed: true };
}

function roleOfParts(parts: readonly Part[], declared: Role | undefined, format: BlockFormat): Role | 'split' {
  const isFromModel = parts.some(({ kind }) => modelSide.has(kind));
  const results = parts.some(({ kind }) => kind === 'result');
  if (isFromModel) return declared === 'assistant' || !results ? 'assistant' : 'split';
  if (!results) return declared === undefined || (declared === 'tool' && !isToolNote(parts)) ? 'user' : declared;
  if (format.resultRole === 'user') return 'user';
  return parts.every(({ kind }) => kind === 'result' || kind === 'note') ? 'tool' : declared === 'tool' ? 'split' : (declared ?? 'user');
}

const isToolNote = (parts: readonly Part[]): boolean => parts.every(({ kind }) => kind === 'note');

/** Splits a message whose blocks belong to different roles into one message per run of blocks of the same role. */
function splitBySide(
  native: JsonObject,
  path: string,
  parts: readonly Part[],
  format: BlockFormat,
  context: ReadContext,
): readonly Message[] {
  const messages: Message[] = [];
  let role: Role | undefined;
  let pieces: Part[] = [];
  for (const part of parts) {
    const side = sideOf(part, role, format);
    if (side === role) pieces.push(part);
    else {
      pieces = [part];
      messages.push(newMessage(side, { ...native, role: format.roleField(side) }, pieces, messages.length === 0 ? path : undefined, true));
    }
    role = side;
  }
  const first = format.roleField(messages[0]?.role ?? 'user');
  if (first !== native['role']) context.log.edited('role', `${path}.role`, native['role'] ?? null, first);
  for (const message of messages.slice(1)) {
    context.log.added('role', message);
    for (const part of message.parts) context.log.moved('role', part);
  }
  return messages;
}

/** The role a block belongs to; a block allowed in any role stays with the blocks before it. */
function sideOf({ kind }: Part, before: Role | undefined, format: BlockFormat): Role {
  if (modelSide.has(kind)) return 'assistant';
  if (kind === 'result') return format.resultRole;
  return before === undefined || (before === 'tool' && kind === 'text') ? 'user' : before;
}

/** Writes the blocks back into the message; a single bare string stays a string. */
export function writeBlockMessage(message: Message, format: BlockFormat): JsonObject {
  const [first] = message.parts;
  if (message.parts.length === 1 && first && isText(first.native)) return { ...message.native, [format.list]: first.native };
  const blocks = message.parts.map(({ native }) => (isText(native) ? format.textPart(native) : native));
  return { ...message.native, [format.list]: blocks };
}

/** The path of a part in its message. */
export function blockPath(messagePath: string, message: Message, index: number, format: BlockFormat): string {
  const bare = message.parts.length === 1 && isText(message.parts[0]?.native);
  return bare ? `${messagePath}.${format.list}` : `${messagePath}.${format.list}.${index}`;
}
