/**
 * Owns the names of messages: of participants, of results, and of the functions in legacy results.
 * The name of a result has no meaning beside its id and is removed; the other names are kept as far as the provider accepts their characters.
 */
import { isText, textOf, valueAt, withValueAt } from '../../json.ts';
import type { RuleId } from '../../rules.ts';
import type { Message } from '../../transcript.ts';
import type { FormatContext } from '../format-context.ts';

export function repairMessageNames(context: FormatContext): void {
  const { messages, rules } = context;
  const { pattern, inResults, required } = rules.messageName;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (inResults) repairResultName(message, inResults, context);
      continue;
    }
    const name = message.native['name'];
    if (name === undefined || name === null) {
      if (required && message.native['role'] === 'function') set(message, legacyName(messages[index - 1]), 'name-missing', context);
    } else if (pattern && !(isText(name) && pattern.test(name))) set(message, accepted(name, message, pattern), 'name-form', context);
  }
}

/** The native value of a tool message is that of its result. */
function repairResultName(message: Message, form: RegExp, { log }: FormatContext): void {
  const [part] = message.parts;
  const name = valueAt(part?.native, ['name']);
  if (!part || name === undefined || name === null || (isText(name) && form.test(name))) return;
  log.edited('name-form', part.path === undefined ? undefined : `${part.path}.name`, name, undefined);
  part.native = withValueAt(part.native, ['name'], undefined);
  message.changed = true;
}

/** The function that the message before a legacy result calls. */
const legacyName = (before: Message | undefined): string => textOf(valueAt(before?.native['function_call'], ['name'])) || 'unknown_tool';

/** The name with other characters, or none if nothing of it is left. */
function accepted(name: unknown, { native }: Message, pattern: RegExp): string | undefined {
  const letters = isText(name) ? name.trim().replaceAll(/./gsu, (letter) => (pattern.test(letter) ? letter : '_')) : '';
  if (/[^_]/.test(letters)) return letters;
  return native['role'] === 'function' ? 'unknown_tool' : undefined;
}

function set(message: Message, name: string | undefined, rule: RuleId, { log }: FormatContext): void {
  log.edited(rule, message.path === undefined ? undefined : `${message.path}.name`, message.native['name'], name);
  message.native = withValueAt(message.native, ['name'], name);
  message.changed = true;
}
