/** MiniMax: its own messages, arguments that are JSON, tools with parameters. */
import { listOf } from '../../reading.ts';
import { openai, type ChatDialect, type Words } from '../dialect.ts';
import { definitionOf } from '../shape.ts';
import { checkJsonArguments, isJson } from './json-arguments.ts';

const bad = (message: string): Words => ({ message: `invalid params, ${message} (2013)`, type: 'bad_request_error' });

const checkArguments = checkJsonArguments(
  (_text, _path, id) => bad(`invalid function arguments json string, tool_call_id: ${id}`),
  // Whether it refuses JSON that is no object is not known.
  (text) => text === '' || isJson(text),
);

export const minimax: ChatDialect = {
  ...openai,
  limits: false,
  missing: () => bad('tool call result does not follow tool call'),
  orphan: (id) => bad(`tool result's tool id (${id}) not found`),
  duplicate: () => bad('tool call result does not follow tool call'),
  extra(request, messages, report) {
    checkArguments(messages, report);
    for (const [index, tool] of listOf(request.tools).entries()) {
      const { name, parameters } = definitionOf(tool);
      if (name === undefined || (parameters ?? undefined) !== undefined) continue;
      report({ rule: 'tool-schema', path: `tools[${index}].function.parameters`, ...bad('function parameters is empty') });
    }
  },
};
