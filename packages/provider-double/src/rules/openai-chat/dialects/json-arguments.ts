/** Backends that parse the arguments of earlier calls again, and refuse those that are not a JSON object. */
import type { Report } from '../../problem.ts';
import { fieldsOf, isRecord, isText, listOf } from '../../reading.ts';
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

const objectOfJson = (text: string): boolean => {
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
};

export const checkJsonArguments =
  (words: (text: string, path: string) => Words) =>
  (messages: readonly ChatMessage[], report: Report): void => {
    for (const [index, message] of messages.entries()) {
      for (const [order, call] of listOf(message.tool_calls).entries()) {
        const { arguments: text } = fieldsOf<NamedArguments>(fieldsOf<ChatCall>(call).function);
        // No arguments at all is taken by all of them.
        if (!isText(text) || text === '' || objectOfJson(text)) continue;
        const path = `messages[${index}].tool_calls[${order}].function.arguments`;
        report({ rule: 'arguments-form', path, ...words(text, path) });
      }
    }
  };
