/** Tools and tool choice. */
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, isText, listOf, findRepeated, wordOf } from '../reading.ts';
import type { MessagesRequest } from './shape.ts';

interface Tool {
  readonly type?: unknown;
  readonly name?: unknown;
  readonly input_schema?: unknown;
  readonly defer_loading?: unknown;
}

function checkSchema(schema: unknown, index: number, report: Report): void {
  const path = `tools[${index}].input_schema`;
  const complain = (message: string): void => report({ rule: 'tool-schema', path, message: `tools.${index}.custom.${message}` });
  if (schema === undefined) return complain('input_schema: Field required');
  if (!isRecord(schema)) return complain('input_schema: Input should be a valid dictionary');
  const { type } = fieldsOf<{ readonly type?: unknown }>(schema);
  if (['oneOf', 'allOf', 'anyOf'].some((keyword) => keyword in schema)) {
    complain('input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level');
  } else if (type === undefined) complain('input_schema.type: Field required');
  else if (type !== 'object') complain("input_schema.type: Input should be 'object'");
}

/** A tool reached by MCP has no definition here. */
function checkChoice(request: MessagesRequest, names: readonly unknown[], report: Report): void {
  const { type, name } = fieldsOf<Tool>(request.tool_choice);
  const thinking = fieldsOf<Tool>(request.thinking).type;
  if ((type === 'any' || type === 'tool') && (thinking === 'enabled' || thinking === 'adaptive')) {
    report({ rule: 'tool-choice', path: 'tool_choice', message: 'Thinking may not be enabled when tool_choice forces tool use.' });
  }
  if (type !== 'tool' || names.includes(name) || request.mcp_servers !== undefined) return;
  report({ rule: 'tool-choice', path: 'tool_choice.name', message: `Tool '${wordOf(name)}' not found in provided tools` });
}

export function checkDefinitions(request: MessagesRequest, report: Report): void {
  if (request.tools !== undefined && request.tools !== null && !Array.isArray(request.tools)) {
    report({ rule: 'tool-form', path: 'tools', message: 'tools: Input should be a valid list' });
  }
  const tools = listOf(request.tools).map((tool) => fieldsOf<Tool>(tool));
  const names = tools.map((tool) => tool.name).filter(isText);
  if (findRepeated(names).length > 0) report({ rule: 'tool-name-duplicate', path: 'tools', message: 'tools: Tool names must be unique.' });
  if (tools.length > 0 && tools.every((tool) => tool.defer_loading === true)) {
    report({ rule: 'tool-form', path: 'tools', message: 'tools: At least one tool must have defer_loading=false.' });
  }
  for (const [index, tool] of tools.entries()) {
    if (tool.type === 'function') {
      const expected = "'bash_20250124', 'custom', 'text_editor_20250124'";
      const message = `tools.${index}: Input tag 'function' found using 'type' does not match any of the expected tags: ${expected}`;
      report({ rule: 'tool-form', path: `tools[${index}].type`, message });
    }
    if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom') continue;
    if (!isText(tool.name) || !/^[a-zA-Z0-9_-]{1,128}$/.test(tool.name)) {
      const message = `tools.${index}.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'`;
      report({ rule: 'tool-name-form', path: `tools[${index}].name`, message });
    }
    checkSchema(tool.input_schema, index, report);
  }
  checkChoice(request, names, report);
}
