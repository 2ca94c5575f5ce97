/** The form of messages and blocks. */
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, isText, listOf, wordOf } from '../reading.ts';
import { blocksOf, type Message, type ToolResult, type ToolUse } from './shape.ts';

const constraint = (value: unknown, place: string, pattern: string): string =>
  `1 validation error detected: Value '${wordOf(value)}' at '${place}' failed to satisfy constraint: ${pattern}`;

const member = (message: number, block: number, field: string): string =>
  `messages.${message + 1}.member.content.${block + 1}.member.${field}`;

function checkId(id: unknown, message: number, block: number, field: string, report: Report): void {
  const path = `messages[${message}].content[${block}].${field}`;
  const place = member(message, block, field);
  if (!isText(id)) return report({ rule: 'call-id-form', path, message: constraint('null', place, 'Member must not be null') });
  if (id.length === 0 || id.length > 64) {
    const bound = id.length === 0 ? 'greater than or equal to 1' : 'less than or equal to 64';
    report({ rule: 'call-id-form', path, message: constraint(id, place, `Member must have length ${bound}`) });
  } else if (!/^[a-zA-Z0-9_.:-]+$/.test(id)) {
    const pattern = 'Member must satisfy regular expression pattern: [a-zA-Z0-9_.:-]+';
    report({ rule: 'call-id-form', path, message: constraint(id, place, pattern) });
  }
}

/** What a tool's name violates. */
export function nameDemand(name: unknown): string | undefined {
  if (!isText(name) || !/^[a-zA-Z0-9_-]+$/.test(name)) return 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+';
  return name.length > 64 ? 'Member must have length less than or equal to 64' : undefined;
}

function checkUse(use: ToolUse, message: number, block: number, report: Report): void {
  const path = `messages[${message}].content[${block}].toolUse`;
  checkId(use.toolUseId, message, block, 'toolUse.toolUseId', report);
  const demand = nameDemand(use.name);
  if (demand !== undefined) {
    report({ rule: 'name-form', path: `${path}.name`, message: constraint(use.name, member(message, block, 'toolUse.name'), demand) });
  }
  if (!isRecord(use.input)) {
    const place = `messages.${message}.content.${block}.toolUse.input`;
    const words = `The format of the value at ${place} is invalid. Provide a json object for the field and try again.`;
    report({ rule: 'arguments-form', path: `${path}.input`, message: words });
  }
}

function checkResult(result: ToolResult, at: { message: number; block: number; writer: boolean }, report: Report): void {
  const { message, block, writer } = at;
  const path = `messages[${message}].content[${block}].toolResult`;
  const place = `messages.${message}.content.${block}.toolResult`;
  checkId(result.toolUseId, message, block, 'toolResult.toolUseId', report);
  const contents = listOf(result.content);
  if (contents.length === 0 && result.status === 'error') {
    const words = `The content field at ${place} cannot be empty when status value is error.`;
    report({ rule: 'empty-content', path: `${path}.content`, message: words });
  }
  if (!Array.isArray(result.content)) {
    const words = constraint('null', member(message, block, 'toolResult.content'), 'Member must not be null');
    report({ rule: 'content-form', path: `${path}.content`, message: words });
  }
  if (writer && result.status !== undefined) {
    const words = "This model doesn't support the status field. Remove status and try again.";
    report({ rule: 'status-flag', path: `${path}.status`, message: words });
  }
  for (const [order, content] of contents.entries()) {
    const { json } = fieldsOf<{ readonly json?: unknown }>(content);
    if (json === undefined || isRecord(json)) continue;
    const words = `The format of the value at ${place}.content.${order}.json is invalid. Provide a json object for the field and try again.`;
    report({ rule: 'content-form', path: `${path}.content[${order}].json`, message: words });
  }
}

export function checkMessage(message: Message, index: number, writer: boolean, report: Report): void {
  const path = `messages[${index}]`;
  if (message.role !== 'user' && message.role !== 'assistant') {
    const words = constraint(message.role, `messages.${index + 1}.member.role`, 'Member must satisfy enum value set: [user, assistant]');
    report({ rule: 'role-form', path: `${path}.role`, message: words });
  }
  const blocks = blocksOf(message.content);
  if (blocks.length === 0) {
    const words = `The content field in the Message object at messages.${index} is empty. Add a ContentBlock object to the content field and try again.`;
    report({ rule: 'empty-content', path: `${path}.content`, message: words });
  }
  for (const [block, { text, toolUse, toolResult }] of blocks.entries()) {
    if (isText(text) && text.trim() === '') {
      const words = `The text field in the ContentBlock object at messages.${index}.content.${block} is blank. Add text to the text field, and try again.`;
      report({ rule: 'empty-content', path: `${path}.content[${block}].text`, message: words });
    }
    if (toolUse !== undefined) checkUse(fieldsOf<ToolUse>(toolUse), index, block, report);
    if (toolResult !== undefined) checkResult(fieldsOf<ToolResult>(toolResult), { message: index, block, writer }, report);
  }
  if (blocks.some((block) => block.document !== undefined) && !blocks.some((block) => isText(block.text))) {
    report({ rule: 'empty-content', path: `${path}.content`, message: 'A text block must be included when using documents.' });
  }
}
