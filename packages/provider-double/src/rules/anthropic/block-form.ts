/** The form of each message and block. */
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, isText, listOf, wordOf } from '../reading.ts';
import { blocksOf, dottedPath, pathOf, type Block, type Message, type Placed } from './shape.ts';

const idPattern = /^[a-zA-Z0-9_-]+$/;

function checkText({ block, ...at }: Placed, report: Report): void {
  const path = `${pathOf({ block, ...at })}.text`;
  if (!isText(block.text))
    return report({ rule: 'content-form', path, message: `${dottedPath({ block, ...at })}.text.text: Field required` });
  if (block.text === '') return report({ rule: 'empty-content', path, message: 'messages: text content blocks must be non-empty' });
  if (block.text.trim() === '') {
    report({ rule: 'empty-content', path, message: 'messages: text content blocks must contain non-whitespace text' });
  }
}

function checkUse(placed: Placed, report: Report): void {
  const { block } = placed;
  const place = `${dottedPath(placed)}.tool_use`;
  const path = pathOf(placed);
  if (!isText(block.id)) report({ rule: 'call-id-form', path: `${path}.id`, message: `${place}.id: Field required` });
  else if (!idPattern.test(block.id)) {
    report({ rule: 'call-id-form', path: `${path}.id`, message: `${place}.id: String should match pattern '^[a-zA-Z0-9_-]+$'` });
  }
  if (!isText(block.name)) report({ rule: 'name-form', path: `${path}.name`, message: `${place}.name: Field required` });
  else if (block.name === '') {
    report({ rule: 'name-form', path: `${path}.name`, message: `${place}.name: String should have at least 1 character` });
  }
  if (block.input === undefined) report({ rule: 'arguments-form', path: `${path}.input`, message: `${place}.input: Field required` });
  else if (!isRecord(block.input)) {
    report({ rule: 'arguments-form', path: `${path}.input`, message: `${place}.input: Input should be a valid dictionary` });
  }
}

function checkResult(placed: Placed, report: Report): void {
  const { block } = placed;
  const place = `${dottedPath(placed)}.tool_result`;
  const path = `${pathOf(placed)}.tool_use_id`;
  if (!isText(block.tool_use_id)) report({ rule: 'call-id-form', path, message: `${place}.tool_use_id: Field required` });
  else if (!idPattern.test(block.tool_use_id)) {
    report({ rule: 'call-id-form', path, message: `${place}.tool_use_id: String should match pattern '^[a-zA-Z0-9_-]+$'` });
  }
  const { content = '' } = block;
  const contentPath = `${pathOf(placed)}.content`;
  if (!isText(content) && !Array.isArray(content)) {
    report({ rule: 'content-form', path: contentPath, message: `${place}.content: Input should be a valid list` });
  } else if (content.length === 0 && block.is_error === true) {
    report({ rule: 'empty-content', path: contentPath, message: `${place}: content cannot be empty if \`is_error\` is true` });
  }
  for (const [index, part] of listOf(content).entries()) {
    const { type, text } = fieldsOf<Block>(part);
    if (type !== 'text' || text !== '') continue;
    const message = 'messages: text content blocks must be non-empty';
    report({ rule: 'empty-content', path: `${contentPath}[${index}].text`, message });
  }
}

function checkBlock(placed: Placed, role: unknown, report: Report): void {
  const { block } = placed;
  const misplaced = (owner: string): void =>
    report({
      rule: 'role-form',
      path: pathOf(placed),
      message: `messages.${placed.message}: \`${wordOf(block.type)}\` blocks can only be in \`${owner}\` messages`,
    });
  if (block.type === 'text') checkText(placed, report);
  if (block.type === 'tool_use') {
    checkUse(placed, report);
    if (role !== 'assistant') misplaced('assistant');
  }
  if (block.type === 'tool_result') {
    checkResult(placed, report);
    if (role !== 'user') misplaced('user');
  }
}

export function checkMessage(message: Message, index: number, messages: readonly Message[], report: Report): void {
  const path = `messages[${index}]`;
  const allowed =
    message.role === 'user' || message.role === 'assistant' || (message.role === 'system' && messages[index - 1]?.role === 'user');
  if (!allowed) {
    const words = `messages: Unexpected role "${wordOf(message.role)}". Allowed roles are "user" or "assistant".`;
    report({ rule: 'role-form', path: `${path}.role`, message: words });
  }
  const blocks = blocksOf(message.content);
  if (message.content === undefined || message.content === null) {
    return report({ rule: 'empty-content', path: `${path}.content`, message: `messages.${index}.content: Field required` });
  }
  const finalAssistant = index === messages.length - 1 && message.role === 'assistant';
  if ((blocks.length === 0 || message.content === '') && !finalAssistant) {
    const words = `messages.${index}: all messages must have non-empty content except for the optional final assistant message`;
    return report({ rule: 'empty-content', path: `${path}.content`, message: words });
  }
  if (message.content === '') return;
  for (const [place, block] of blocks.entries()) checkBlock({ block, message: index, place }, message.role, report);
}
