/** Function declarations. */
import type { Report } from '../problem.ts';
import { fieldsOf, findRepeated, isRecord, isText, listOf } from '../reading.ts';
import { checkSchema, invalidValue } from './schema.ts';
import type { GenerateRequest } from './shape.ts';

interface Declaration {
  readonly name?: unknown;
  readonly parameters?: unknown;
  readonly parametersJsonSchema?: unknown;
  readonly parameters_json_schema?: unknown;
}

const nameRule =
  'Invalid function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), underscores (_), dots (.), ' +
  'colons (:), or dashes (-), with a maximum length of 64.';

/** Fields of other providers' tools. The API refuses every unknown field, but new kinds of tools bring new ones. */
const foreign = {
  tool: ['type', 'function', 'name', 'description', 'parameters', 'input_schema'],
  declaration: ['type', 'input_schema', 'strict'],
};

function checkForeign(value: unknown, fields: readonly string[], path: string, report: Report): void {
  for (const field of fields) {
    if (!isRecord(value) || value[field] === undefined) continue;
    const message = `Invalid JSON payload received. Unknown name "${field}" at '${path}': Cannot find field.`;
    report({ rule: 'unknown-field', path: `${path}.${field}`, message });
  }
}

function checkDeclaration(declaration: Declaration, path: string, report: Report): void {
  const { name, parameters } = declaration;
  checkForeign(declaration, foreign.declaration, path, report);
  if (!isText(name) || !/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/.test(name)) {
    report({ rule: 'tool-name-form', path: `${path}.name`, message: `* GenerateContentRequest.${path}.name: ${nameRule}` });
  }
  const both = parameters !== undefined && (declaration.parametersJsonSchema ?? declaration.parameters_json_schema) !== undefined;
  if (both) {
    const message = `* GenerateContentRequest.${path}: parameters and parameters_json_schema are mutually exclusive.`;
    report({ rule: 'tool-schema', path, message });
  }
  checkSchema(parameters, `${path}.parameters`, true, report);
}

interface Tool {
  readonly functionDeclarations?: unknown;
  readonly function_declarations?: unknown;
}

const declarationsOf = (tool: unknown): readonly Declaration[] => {
  const { functionDeclarations, function_declarations: snake } = fieldsOf<Tool>(tool);
  return listOf(functionDeclarations ?? snake).map((declaration) => fieldsOf<Declaration>(declaration));
};

/** Proto3 JSON takes a single object for a list of one. */
const toolsOf = (tools: unknown): readonly unknown[] => (isRecord(tools) ? [tools] : listOf(tools));

interface CallingConfig {
  readonly mode?: unknown;
}

function checkCalling(request: GenerateRequest, declared: boolean, report: Report): void {
  const config = fieldsOf<{ readonly functionCallingConfig?: unknown; readonly function_calling_config?: unknown }>(
    request.toolConfig ?? request.tool_config,
  );
  const calling = config.functionCallingConfig ?? config.function_calling_config;
  // Whether the mode NONE is refused is not known.
  if (!isRecord(calling) || declared || fieldsOf<CallingConfig>(calling).mode === 'NONE') return;
  report({ rule: 'tool-choice', path: 'tool_config', message: 'Function calling config is set without function_declarations.' });
}

function checkTools(tools: unknown, report: Report): void {
  const complain = (path: string, value: unknown): void => report({ rule: 'tool-form', path, message: invalidValue(path, 'Tool', value) });
  if (tools !== undefined && tools !== null && typeof tools !== 'object') complain('tools', tools);
  for (const [index, tool] of listOf(tools).entries()) if (!isRecord(tool)) complain(`tools[${index}]`, tool);
}

export function checkDefinitions(request: GenerateRequest, report: Report): void {
  checkTools(request.tools, report);
  const tools = toolsOf(request.tools);
  for (const [index, tool] of tools.entries()) {
    checkForeign(tool, foreign.tool, `tools[${index}]`, report);
    const declarations = declarationsOf(tool);
    const path = `tools[${index}].function_declarations`;
    if (declarations.length > 512) {
      const message = `* GenerateContentRequest.${path}: [FIELD_INVALID] At most 512 function declarations can be specified.`;
      report({ rule: 'tool-count', path, message });
    }
    for (const [order, declaration] of declarations.entries()) checkDeclaration(declaration, `${path}[${order}]`, report);
  }
  const names = tools.flatMap((tool) => declarationsOf(tool).map(({ name }) => name));
  for (const name of findRepeated(names.filter(isText))) {
    report({ rule: 'tool-name-duplicate', path: 'tools', message: `Duplicate function declaration found: ${name}` });
  }
  checkCalling(request, names.length > 0, report);
}
