/** Tools and tool choice. */
import { checkParameters } from '../openai-schema.ts';
import { longArray, nameProblem, wrongType } from '../openai-words.ts';
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, listOf, textOf } from '../reading.ts';
import type { ChatDialect } from './dialect.ts';
import type { ChatRequest, ChatTool, FunctionDefinition } from './shape.ts';

const definitionOf = (tool: unknown): FunctionDefinition => {
  const { function: plain, custom } = fieldsOf<ChatTool>(tool);
  return fieldsOf<FunctionDefinition>(plain ?? custom);
};

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

export function checkDefinitions(request: ChatRequest, dialect: ChatDialect, report: Report): void {
  const tools = listOf(request.tools);
  const names = tools.map((tool) => textOf(definitionOf(tool).name));
  if (request.tools !== undefined && request.tools !== null && !Array.isArray(request.tools)) {
    report(wrongType('tool-form', 'tools', 'an array of objects', request.tools));
  }
  if (dialect.limits && tools.length > 128) report(longArray('tool-count', 'tools', 128, tools.length));
  checkChoice(request, names, report);
  for (const [index, tool] of tools.entries()) {
    const definition = definitionOf(tool);
    const wrong = nameProblem('tool-name-form', `tools[${index}].function.name`, definition.name, 64);
    if (wrong && (dialect.limits || definition.name === undefined)) report(wrong);
    if (!dialect.limits || fieldsOf<ChatTool>(tool).custom !== undefined) continue;
    const path = `tools[${index}].function.parameters`;
    const { parameters, strict } = definition;
    checkParameters({ name: names[index] ?? '', path, parameters, strict: strict === true }, (problem) =>
      report({ ...problem, param: `tools[${index}].parameters` }),
    );
  }
}
