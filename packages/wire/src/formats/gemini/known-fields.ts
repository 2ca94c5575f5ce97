/** Owns the fields contents and parts may have: Gemini refuses unknown fields anywhere. */
import { camelCase } from '@holdfast/core/internal/plain';
import { isRecord, withValueAt, type JsonObject } from '../../json.ts';
import type { RepairLog } from '../../repair/repair-log.ts';
import type { Message, Part } from '../../transcript.ts';

const data: ReadonlySet<string> = new Set([
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
]);
const partFields: ReadonlySet<string> = new Set([
  ...data,
  'thought',
  'thoughtSignature',
  'videoMetadata',
  'partMetadata',
  'mediaResolution',
]);
const bodies: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['functionCall', new Set(['id', 'name', 'args', 'partialArgs', 'willContinue'])],
  ['functionResponse', new Set(['id', 'name', 'response', 'parts', 'willContinue', 'scheduling'])],
]);
const contentFields: ReadonlySet<string> = new Set(['role', 'parts']);

/** Whether a part has any data. */
export const hasData = (native: unknown): boolean =>
  isRecord(native) && Object.keys(native).some((key) => data.has(camelCase(key)) && native[key] !== undefined && native[key] !== null);

/** Removes fields that clients add to their messages for their own use. */
export function removeUnknownFields(message: Message, log: RepairLog): void {
  message.native = removeUnknown(message.native, contentFields, message.path, message, log);
  for (const part of message.parts) if (isRecord(part.native)) removeUnknownPartFields(part, part.native, message, log);
}

function removeUnknownPartFields(part: Part, given: JsonObject, message: Message, log: RepairLog): void {
  let native = removeUnknown(given, partFields, part.path, message, log);
  for (const key of Object.keys(native)) {
    const known = bodies.get(camelCase(key));
    const body = native[key];
    if (!known || !isRecord(body)) continue;
    const plain = removeUnknown(body, known, part.path === undefined ? undefined : `${part.path}.${key}`, message, log);
    if (plain !== body) native = withValueAt(native, [key], plain);
  }
  part.native = native;
}

function removeUnknown(
  value: JsonObject,
  known: ReadonlySet<string>,
  path: string | undefined,
  message: Message,
  log: RepairLog,
): JsonObject {
  let plain = value;
  for (const key of Object.keys(value)) {
    if (known.has(key) || value[key] === undefined || known.has(camelCase(key))) continue;
    if (path !== undefined) log.edited('unknown-field', `${path}.${key}`, value[key], undefined);
    plain = withValueAt(plain, [key], undefined);
    message.changed = true;
  }
  return plain;
}
