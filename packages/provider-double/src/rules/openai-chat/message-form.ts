/** The form of each message: role, content, calls. */
import { emptyArray, longText, missingParameter, nameProblem, wrongPattern, wrongType, wrongValue } from '../openai-words.ts';
import type { Report } from '../problem.ts';
import { fieldsOf, isText, listOf, wordOf } from '../reading.ts';
import type { ChatDialect } from './dialect.ts';
import type { ChatCall, ChatMessage, NamedArguments } from './shape.ts';

const roles: readonly string[] = ['system', 'assistant', 'user', 'function', 'tool', 'developer'];

const partTypes: Readonly<Record<string, readonly string[]>> = {
  assistant: ['text', 'refusal'],
  user: ['text', 'image_url', 'input_audio', 'file'],
};

const mayBeEmpty = (message: ChatMessage): boolean =>
  message.role === 'assistant' &&
  [message.tool_calls, message.function_call, message.refusal, message.audio].some((value) => value !== undefined && value !== null);

function checkContent(message: ChatMessage, path: string, dialect: ChatDialect, report: Report): void {
  const { content, role } = message;
  const index = path.slice('messages'.length);
  if (content === undefined || content === null) {
    // Other backends accept an assistant message with only reasoning.
    const lenient = mayBeEmpty(message) || (role === 'assistant' && !dialect.limits) || role === 'function';
    if (lenient) return;
    return report({
      rule: 'empty-content',
      path: `${path}.content`,
      message: "Invalid value for 'content': expected a string, got null.",
      param: `messages.${index}.content`,
    });
  }
  if (isText(content)) return;
  if (!Array.isArray(content)) return report(wrongType('content-form', `${path}.content`, 'one of a string or array of objects', content));
  if (content.length === 0) return report(emptyArray('empty-content', `${path}.content`));
  const allowed = partTypes[wordOf(role)] ?? ['text'];
  for (const [order, part] of listOf(content).entries()) {
    const { type } = fieldsOf<{ readonly type?: unknown }>(part);
    if (!allowed.includes(wordOf(type))) report(wrongValue('content-form', `${path}.content[${order}].type`, type, allowed));
  }
}

function checkFunction(call: ChatCall, path: string, dialect: ChatDialect, report: Report): void {
  const { name, arguments: written } = fieldsOf<NamedArguments>(call.function);
  const wrong = nameProblem('name-form', `${path}.function.name`, name, 64);
  if (wrong && (dialect.limits || name === '' || !isText(name))) report(wrong);
  if (written === undefined || written === null) report(missingParameter('arguments-form', `${path}.function.arguments`));
  else if (!isText(written)) report(wrongType('arguments-form', `${path}.function.arguments`, 'a string', written));
}

function checkCustom(call: ChatCall, path: string, report: Report): void {
  const { name, input } = fieldsOf<NamedArguments>(call.custom);
  const wrong = nameProblem('name-form', `${path}.custom.name`, name, 64);
  if (wrong) report(wrong);
  if (input === undefined || input === null) report(missingParameter('arguments-form', `${path}.custom.input`));
  else if (!isText(input)) report(wrongType('arguments-form', `${path}.custom.input`, 'a string', input));
}

function checkCall(call: ChatCall, path: string, dialect: ChatDialect, report: Report): void {
  if (call.id === undefined || call.id === null) report(missingParameter('call-id-form', `${path}.id`));
  else if (!isText(call.id)) report(wrongType('call-id-form', `${path}.id`, 'a string', call.id));
  else if (dialect.limits && call.id.length > 40) report(longText('call-id-form', `${path}.id`, 40, call.id.length));
  if (call.type === 'custom') {
    if (dialect.limits) checkCustom(call, path, report);
    return;
  }
  if (call.type === 'function') return checkFunction(call, path, dialect, report);
  if (call.type === undefined) report(missingParameter('call-form', `${path}.type`));
  else report(wrongValue('call-form', `${path}.type`, call.type, ['function', 'custom']));
}

function checkCalls(message: ChatMessage, path: string, dialect: ChatDialect, report: Report): void {
  const calls = message.tool_calls;
  if (message.role !== 'assistant' || calls === undefined || calls === null) return;
  if (!Array.isArray(calls)) return report(wrongType('call-form', `${path}.tool_calls`, 'an array of objects', calls));
  if (calls.length === 0) {
    const usual = emptyArray('empty-tool-calls', `${path}.tool_calls`);
    report({ ...usual, ...dialect.emptyCalls?.(`${path}.tool_calls`) });
  }
  for (const [order, call] of listOf(calls).entries()) checkCall(fieldsOf<ChatCall>(call), `${path}.tool_calls[${order}]`, dialect, report);
}

function checkName({ role, name }: ChatMessage, index: number, report: Report): void {
  const path = `messages[${index}].name`;
  if (name === undefined || name === null) {
    if (role !== 'function') return;
    const message = "Missing parameter 'name': messages with role 'function' must have a 'name'.";
    report({ rule: 'name-form', path, message, param: `messages.[${index}].name` });
  } else if (!isText(name)) report(wrongType('name-form', path, 'a string', name));
  else if (!/^[^\s<|\\/>]+$/.test(name)) report(wrongPattern('name-form', path, '^[^\\s<|\\\\/>]+$'));
}

export function checkMessage(message: ChatMessage, index: number, dialect: ChatDialect, report: Report): void {
  const path = `messages[${index}]`;
  if (!roles.includes(wordOf(message.role))) return report(wrongValue('role-form', `${path}.role`, message.role, roles));
  if (dialect.limits) checkName(message, index, report);
  checkContent(message, path, dialect, report);
  checkCalls(message, path, dialect, report);
  if (message.role !== 'tool') return;
  if (message.tool_call_id === undefined || message.tool_call_id === null) report(missingParameter('call-id-form', `${path}.tool_call_id`));
  else if (!isText(message.tool_call_id)) report(wrongType('call-id-form', `${path}.tool_call_id`, 'a string', message.tool_call_id));
  else if (dialect.limits && message.tool_call_id.length > 40) {
    report(longText('call-id-form', `${path}.tool_call_id`, 40, message.tool_call_id.length));
  }
}
