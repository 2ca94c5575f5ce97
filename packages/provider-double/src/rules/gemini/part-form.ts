/** The form of contents and parts. Unknown fields are refused everywhere. */
import type { Report } from '../problem.ts';
import { isRecord, isText, listOf, type JsonObject } from '../reading.ts';
import { callOf, responseOf, type Call, type Part } from './shape.ts';

const dataFields = [
  'text',
  'inlineData',
  'fileData',
  'functionCall',
  'functionResponse',
  'executableCode',
  'codeExecutionResult',
  'toolCall',
  'toolResponse',
];
const partFields = [...dataFields, 'thought', 'thoughtSignature', 'videoMetadata', 'partMetadata', 'mediaResolution'];
const callFields = ['id', 'name', 'args', 'partialArgs', 'willContinue'];
const responseFields = ['id', 'name', 'response', 'parts', 'willContinue', 'scheduling'];

const camel = (name: string): string => name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

function checkFields(value: unknown, known: readonly string[], path: string, report: Report): void {
  for (const [key, field] of Object.entries(isRecord(value) ? value : {})) {
    if (field === undefined || known.includes(camel(key))) continue;
    const message = `Invalid JSON payload received. Unknown name "${key}" at '${path}': Cannot find field.`;
    report({ rule: 'unknown-field', path: `${path}.${key}`, message });
  }
}

const struct = (path: string, value: unknown): string =>
  `Invalid value at '${path}' (type.googleapis.com/google.protobuf.Struct), ${JSON.stringify(value) ?? 'undefined'}`;

function checkNamed(call: Call, path: string, field: 'args' | 'response', report: Report): void {
  if (!isText(call.name) || call.name === '') {
    report({ rule: 'name-form', path: `${path}.name`, message: `* GenerateContentRequest.${path}.name: Name cannot be empty.` });
  }
  const value = call[field];
  if (value !== undefined && value !== null && !isRecord(value)) {
    report({
      rule: field === 'args' ? 'arguments-form' : 'content-form',
      path: `${path}.${field}`,
      message: struct(`${path}.${field}`, value),
    });
  }
}

function checkPart(part: Part & JsonObject, path: string, report: Report): void {
  checkFields(part, partFields, path, report);
  const filled = Object.entries(part).some(([key, value]) => dataFields.includes(camel(key)) && value !== undefined && value !== null);
  // A signature may come in a separate part with an empty text.
  if (!filled) {
    const message = `* GenerateContentRequest.${path}.data: required oneof field 'data' must have one initialized field`;
    report({ rule: 'empty-content', path, message });
  }
  const call = callOf(part);
  if (call) {
    checkNamed(call, `${path}.function_call`, 'args', report);
    checkFields(call, callFields, `${path}.function_call`, report);
  }
  const response = responseOf(part);
  if (response) {
    checkNamed(response, `${path}.function_response`, 'response', report);
    checkFields(response, responseFields, `${path}.function_response`, report);
  }
}

export function checkContent(content: unknown, index: number, report: Report): void {
  const path = `contents[${index}]`;
  const fields: JsonObject = isRecord(content) ? content : {};
  const role = fields['role'];
  if (role !== undefined && role !== 'user' && role !== 'model' && role !== 'function') {
    report({ rule: 'role-form', path: `${path}.role`, message: 'Please use a valid role: user, model.' });
  }
  checkFields(fields, ['role', 'parts'], path, report);
  const parts = listOf(fields['parts']);
  if (parts.length === 0) {
    const message = `* GenerateContentRequest.${path}.parts: contents.parts must not be empty.`;
    report({ rule: 'empty-content', path: `${path}.parts`, message });
  }
  for (const [order, part] of parts.entries()) checkPart(isRecord(part) ? part : {}, `${path}.parts[${order}]`, report);
}
