/** Flat tools and tool choice. */
import { checkParameters } from '../openai-schema.ts';
import { missingParameter, nameProblem, wrongType } from '../openai-words.ts';
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, listOf, textOf } from '../reading.ts';
import type { FlatTool, ResponsesRequest } from './shape.ts';

function checkList(tools: unknown, report: Report): void {
  if (tools === undefined || tools === null) return;
  if (!Array.isArray(tools)) return report(wrongType('tool-form', 'tools', 'an array of objects', tools));
  for (const [index, tool] of listOf(tools).entries()) {
    if (!isRecord(tool)) report(wrongType('tool-form', `tools[${index}]`, 'an object', tool));
    else if (!('type' in tool)) report(missingParameter('tool-form', `tools[${index}].type`));
  }
}

export function checkDefinitions(request: ResponsesRequest, limits: boolean, report: Report): void {
  const tools = listOf(request.tools).map((tool) => fieldsOf<FlatTool>(tool));
  if (limits) checkList(request.tools, report);
  const choice = fieldsOf<FlatTool>(request.tool_choice);
  const complain = (message: string): void => report({ rule: 'tool-choice', path: 'tool_choice', message, param: 'tool_choice' });
  if (request.tool_choice === 'required' && tools.length === 0)
    complain("Tool choice 'required' must be specified with 'tools' parameter.");
  if (isRecord(request.tool_choice) && choice.type === 'function' && !tools.some((tool) => tool.name === choice.name)) {
    complain("Tool choice 'function' not found in 'tools' parameter.");
  }
  for (const [index, tool] of tools.entries()) {
    if (tool.type !== 'function' && tool.type !== 'custom') continue;
    const wrong = nameProblem('tool-name-form', `tools[${index}].name`, tool.name, 128);
    if (wrong && (limits || tool.name === undefined)) report(wrong);
    if (!limits || tool.type === 'custom') continue;
    const strict = tool.strict === true;
    checkParameters({ name: textOf(tool.name), path: `tools[${index}].parameters`, parameters: tool.parameters, strict }, report);
  }
}
