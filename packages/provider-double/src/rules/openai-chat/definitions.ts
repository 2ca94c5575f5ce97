/** Tools and tool choice. */
import { checkParameters } from '../openai-schema.ts';
import { emptyArray, longArray, missingParameter, nameProblem, wrongType } from '../openai-words.ts';
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, listOf, textOf } from '../reading.ts';
import type { ChatDialect } from './dialect.ts';
import { definitionOf, type ChatRequest, type ChatTool } from './shape.ts';

function checkChoice(request: ChatRequest, names: readonly string[], report: Report): void {
  for (const param of ['tool_choice', 'parallel_tool_calls'] as const) {
    if (request[param] === undefined || request[param] === null || names.length > 0) continue;
    const message = `Invalid value for '${param}': '${param}' is only allowed when 'tools' are specified.`;
    report({ rule: 'tool-choice', path: param, message, param });
  }
  const chosen = fieldsOf<ChatTool>(request.tool_choice);
  if (!isRecord(chosen.function) || names.length === 0) return;
  if (!names.includes(textOf(definitionOf(chosen).name))) {
    report({
      rule: 'tool-choice',
      path: 'tool_choice',
      message: "Tool choice 'function' not found in 'tools' parameter.",
      param: 'tool_choice',
    });
  }
}

function checkTool(tool: unknown, index: number, dialect: ChatDialect, report: Report): void {
  const path = `tools[${index}]`;
  if (!isRecord(tool)) return report(wrongType('tool-form', path, 'an object', tool));
  const { type, function: plain, custom } = fieldsOf<ChatTool>(tool);
  if (dialect.limits && type === undefined) report(missingParameter('tool-form', `${path}.type`));
  const owner = type === 'custom' ? 'custom' : 'function';
  // Other backends have tools of their own, with neither.
  const expected = dialect.limits || type === 'custom' || type === 'function' || type === undefined;
  if ((plain ?? custom) === undefined) {
    if (expected) report(missingParameter('tool-form', `${path}.${owner}`));
    return;
  }
  const { name, parameters, strict } = definitionOf(tool);
  const wrong = nameProblem('tool-name-form', `${path}.${owner}.name`, name, 64);
  if (wrong && (dialect.limits || name === undefined)) report(wrong);
  if (!dialect.limits || custom !== undefined) return;
  const place = `${path}.function.parameters`;
  checkParameters({ name: textOf(name), path: place, parameters, strict: strict === true }, (problem) =>
    report({ ...problem, param: `${path}.parameters` }),
  );
}

export function checkDefinitions(request: ChatRequest, dialect: ChatDialect, report: Report): void {
  const tools = listOf(request.tools);
  const names = tools.map((tool) => textOf(definitionOf(tool).name));
  if (request.tools !== undefined && request.tools !== null && !Array.isArray(request.tools)) {
    report(wrongType('tool-form', 'tools', 'an array of objects', request.tools));
  }
  if (dialect.limits && Array.isArray(request.tools) && tools.length === 0) report(emptyArray('tool-count', 'tools'));
  if (dialect.limits && tools.length > 128) report(longArray('tool-count', 'tools', 128, tools.length));
  checkChoice(request, names, report);
  for (const [index, tool] of tools.entries()) checkTool(tool, index, dialect, report);
}
