/** Flat tools and tool choice. */
import { checkParameters } from '../openai-schema.ts';
import { nameProblem } from '../openai-words.ts';
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, listOf, textOf } from '../reading.ts';
import type { FlatTool, ResponsesRequest } from './shape.ts';

export function checkDefinitions(request: ResponsesRequest, limits: boolean, report: Report): void {
  const tools = listOf(request.tools).map((tool) => fieldsOf<FlatTool>(tool));
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
