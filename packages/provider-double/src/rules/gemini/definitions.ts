/** Function declarations. */
import type { Report } from '../problem.ts';
import { fieldsOf, isText, listOf } from '../reading.ts';
import { checkSchema } from './schema.ts';
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

function checkDeclaration(declaration: Declaration, path: string, report: Report): void {
  const { name, parameters } = declaration;
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

export function checkDefinitions(request: GenerateRequest, report: Report): void {
  for (const [index, tool] of listOf(request.tools).entries()) {
    const { functionDeclarations, function_declarations: snake } = fieldsOf<{
      readonly functionDeclarations?: unknown;
      readonly function_declarations?: unknown;
    }>(tool);
    const declarations = listOf(functionDeclarations ?? snake);
    const path = `tools[${index}].function_declarations`;
    if (declarations.length > 512) {
      const message = `* GenerateContentRequest.${path}: [FIELD_INVALID] At most 512 function declarations can be specified.`;
      report({ rule: 'tool-count', path, message });
    }
    for (const [order, declaration] of declarations.entries()) {
      checkDeclaration(fieldsOf<Declaration>(declaration), `${path}[${order}]`, report);
    }
  }
}
