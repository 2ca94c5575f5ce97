/** The form of each item of the input. */
import { emptyText, longText, missingParameter, wrongType, wrongValue } from '../openai-words.ts';
import type { Report, RequestProblem } from '../problem.ts';
import { fieldsOf, isText, listOf, wordOf } from '../reading.ts';
import { isCall, isOutput, typeOf, type Item } from './shape.ts';

const roles: readonly string[] = ['assistant', 'system', 'developer', 'user'];

const idPrefixes: Readonly<Record<string, string>> = { function_call: 'fc', custom_tool_call: 'ctc', reasoning: 'rs', message: 'msg' };

const longestOutput = 10_485_760;

function idProblem(item: Item, path: string): RequestProblem | undefined {
  if (item.id === undefined || item.id === null) return undefined;
  const at = { rule: 'item-id-form', path: `${path}.id`, param: `${path}.id`, code: 'invalid_value' };
  if (!isText(item.id)) return wrongType('item-id-form', `${path}.id`, 'a string', item.id);
  if (!/^[a-zA-Z0-9_-]+$/.test(item.id)) {
    return { ...at, message: `Invalid '${path}.id': '${item.id}'. Expected an ID that contains letters, numbers, underscores, or dashes.` };
  }
  const prefix = idPrefixes[typeOf(item)];
  if (prefix === undefined || item.id.startsWith(prefix)) return undefined;
  return { ...at, message: `Invalid '${path}.id': '${item.id}'. Expected an ID that begins with '${prefix}'.` };
}

function checkMessage(item: Item, path: string, report: Report): void {
  if (!roles.includes(wordOf(item.role))) return report(wrongValue('role-form', `${path}.role`, item.role, roles));
  if (item.content === undefined) return report(missingParameter('empty-content', `${path}.content`));
  if (isText(item.content)) return;
  if (!Array.isArray(item.content)) {
    return report(wrongType('content-form', `${path}.content`, 'one of an array of objects or string', item.content));
  }
  const allowed = item.role === 'assistant' ? ['output_text', 'refusal'] : ['input_text', 'input_image', 'input_file', 'input_audio'];
  for (const [order, part] of listOf(item.content).entries()) {
    const { type } = fieldsOf<Item>(part);
    if (!allowed.includes(wordOf(type))) report(wrongValue('content-form', `${path}.content[${order}].type`, type, allowed));
  }
}

function checkCallId(item: Item, path: string, report: Report): void {
  const { call_id: id } = item;
  if (id === undefined || id === null) report(missingParameter('call-id-form', `${path}.call_id`));
  else if (!isText(id)) report(wrongType('call-id-form', `${path}.call_id`, 'a string', id));
  else if (id === '') report(emptyText('call-id-form', `${path}.call_id`));
  else if (id.length > 64) report(longText('call-id-form', `${path}.call_id`, 64, id.length));
}

function checkCall(item: Item, path: string, report: Report): void {
  const field = item.type === 'custom_tool_call' ? 'input' : 'arguments';
  if (item.name === undefined || item.name === null) report(missingParameter('name-form', `${path}.name`));
  else if (!isText(item.name)) report(wrongType('name-form', `${path}.name`, 'a string', item.name));
  else if (item.name === '') report(emptyText('name-form', `${path}.name`));
  if (item[field] === undefined || item[field] === null) report(missingParameter('arguments-form', `${path}.${field}`));
  else if (!isText(item[field])) report(wrongType('arguments-form', `${path}.${field}`, 'a string', item[field]));
}

function checkOutput(item: Item, path: string, report: Report): void {
  const { output } = item;
  if (output === undefined || output === null) report(missingParameter('empty-content', `${path}.output`));
  else if (isText(output) && output.length > longestOutput)
    report(longText('content-form', `${path}.output`, longestOutput, output.length));
  else if (!isText(output) && !Array.isArray(output)) {
    report(wrongType('content-form', `${path}.output`, 'one of an array of objects or string', output));
  }
}

export function checkItem(item: Item, path: string, report: Report): void {
  if (typeOf(item) === 'message') checkMessage(item, path, report);
  if (isCall(item) || isOutput(item)) checkCallId(item, path, report);
  if (isCall(item)) checkCall(item, path, report);
  if (isOutput(item)) checkOutput(item, path, report);
  const wrongId = idProblem(item, path);
  if (wrongId) report(wrongId);
  if (item.type !== 'reasoning' || item.summary !== undefined) return;
  const index = path.slice('input'.length);
  report({ rule: 'reasoning-form', path: `${path}.summary`, message: `Input${index} missing required field \`summary\`` });
}
