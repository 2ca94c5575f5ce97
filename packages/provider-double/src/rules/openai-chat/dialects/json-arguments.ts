/** Backends that parse the arguments of earlier calls again, and refuse those that are not JSON, or no object. */
import type { Report } from '../../problem.ts';
import { fieldsOf, isRecord, isText, listOf, textOf } from '../../reading.ts';
import type { Words } from '../dialect.ts';
import type { ChatCall, ChatMessage, NamedArguments } from '../shape.ts';

/** The position at which the last string opens, if it is never closed. */
function openString(text: string): number | undefined {
  let start: number | undefined;
  for (let index = 0; index < text.length; index += 1) {
    if (text[index] === '\\' && start !== undefined) index += 1;
    else if (text[index] === '"') start = start === undefined ? index : undefined;
  }
  return start;
}

const place = (text: string, index: number): string => {
  const line = text.slice(0, index).split('\n');
  return `line ${line.length} column ${(line.at(-1) ?? '').length + 1} (char ${index})`;
};

/** Python's `json` error for such a string. */
export function pythonWords(text: string): string {
  const open = openString(text);
  if (open !== undefined) return `Unterminated string starting at: ${place(text, open)}`;
  return /^\s*[[{"]/.test(text) ? `Expecting ',' delimiter: ${place(text, text.length)}` : `Expecting value: ${place(text, 0)}`;
}

export const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

export const isJsonObject = (text: string): boolean => isJson(text) && isRecord(JSON.parse(text));

/** Most of these backends take no arguments at all for an empty object. */
const usual = (text: string): boolean => text === '' || isJsonObject(text);

export const checkJsonArguments =
  (words: (text: string, path: string, id: string) => Words, accepts: (text: string) => boolean = usual) =>
  (messages: readonly ChatMessage[], report: Report): void => {
    for (const [index, message] of messages.entries()) {
      for (const [order, call] of listOf(message.tool_calls).entries()) {
        const { id, function: called } = fieldsOf<ChatCall>(call);
        const { arguments: text } = fieldsOf<NamedArguments>(called);
        if (!isText(text) || accepts(text)) continue;
        const path = `messages[${index}].tool_calls[${order}].function.arguments`;
        report({ rule: 'arguments-form', path, ...words(text, path, textOf(id)) });
      }
    }
  };
