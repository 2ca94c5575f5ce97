/** What AI SDK itself accepts as a list of messages; it throws at once for everything else. */
import { isRecord, isText, wordOf } from '../reading.ts';
import { partsOf, type Message, type Part } from './shape.ts';

const partTypes: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    system: [],
    user: ['text', 'image', 'file'],
    assistant: ['text', 'file', 'reasoning', 'reasoning-file', 'custom', 'tool-call', 'tool-result', 'tool-approval-request'],
    tool: ['tool-result', 'tool-approval-response'],
  }),
);

const outputTypes: readonly string[] = ['text', 'json', 'error-text', 'error-json', 'execution-denied', 'content'];

/** JSON cannot represent dates, functions, instances and missing values. */
function isJson(value: unknown): boolean {
  if (value === null || isText(value) || typeof value === 'boolean') return true;
  if (typeof value === 'number') return Number.isFinite(value);
  if (Array.isArray(value)) return value.every(isJson);
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  const plain = prototype === null || Object.getPrototypeOf(prototype) === null;
  return plain && Object.values(value).every((field) => field === undefined || isJson(field));
}

function outputIsGood(output: unknown): boolean {
  if (!isRecord(output) || !outputTypes.includes(wordOf(output['type']))) return false;
  const { type, value } = output;
  if (type === 'text' || type === 'error-text') return isText(value);
  if (type === 'json' || type === 'error-json') return isJson(value);
  return type === 'execution-denied' || Array.isArray(value);
}

const partIsGood = (part: Part): boolean => {
  if (part.type === 'text' || part.type === 'reasoning') return isText(part.text);
  if (part.type === 'tool-call') return isText(part.toolCallId) && isText(part.toolName);
  if (part.type === 'tool-result') return isText(part.toolCallId) && isText(part.toolName) && outputIsGood(part.output);
  return true;
};

/** The path of the first part that is not a `ModelMessage`; `undefined` if all are valid. */
export function badPlace(messages: readonly Message[]): string | undefined {
  for (const [index, message] of messages.entries()) {
    const allowed = partTypes.get(wordOf(message.role));
    if (!allowed) return `messages[${index}].role`;
    if (isText(message.content) && message.role !== 'tool') continue;
    if (!Array.isArray(message.content)) return `messages[${index}].content`;
    const wrong = partsOf(message).findIndex((part) => !allowed.includes(wordOf(part.type)) || !partIsGood(part));
    if (wrong >= 0) return `messages[${index}].content[${wrong}]`;
  }
  return undefined;
}
