/** The tool configuration. */
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, isText, listOf, wordOf } from '../reading.ts';

interface ToolConfig {
  readonly tools?: unknown;
  readonly toolChoice?: unknown;
}

interface ToolSpec {
  readonly name?: unknown;
  readonly description?: unknown;
  readonly inputSchema?: unknown;
}

function checkSpec(spec: ToolSpec, index: number, report: Report): void {
  const path = `toolConfig.tools[${index}].toolSpec`;
  const place = `toolConfig.tools.${index + 1}.member.toolSpec`;
  const describeViolation = (value: unknown, field: string, demand: string): string =>
    `1 validation error detected: Value '${wordOf(value)}' at '${place}.${field}' failed to satisfy constraint: ${demand}`;
  if (!isText(spec.name) || !/^[a-zA-Z0-9_-]{1,64}$/.test(spec.name)) {
    const demand = 'Member must satisfy regular expression pattern: [a-zA-Z0-9_-]+';
    report({ rule: 'tool-name-form', path: `${path}.name`, message: describeViolation(spec.name, 'name', demand) });
  }
  if (spec.description === '') {
    const demand = 'Member must have length greater than or equal to 1';
    report({ rule: 'tool-form', path: `${path}.description`, message: describeViolation('', 'description', demand) });
  }
  const { json } = fieldsOf<{ readonly json?: unknown }>(spec.inputSchema);
  if (fieldsOf<{ readonly type?: unknown }>(json).type !== 'object') {
    const at = `toolConfig.tools.${index}.toolSpec.inputSchema.json.type`;
    report({
      rule: 'tool-schema',
      path: `${path}.inputSchema.json.type`,
      message: `The value at ${at} must be one of the following: object.`,
    });
  }
}

export function checkDefinitions(config: unknown, report: Report): void {
  const { tools, toolChoice } = fieldsOf<ToolConfig>(config);
  for (const [index, tool] of listOf(tools).entries()) {
    const { toolSpec } = fieldsOf<{ readonly toolSpec?: unknown }>(tool);
    if (isRecord(toolSpec)) checkSpec(fieldsOf<ToolSpec>(toolSpec), index, report);
  }
  if (isRecord(toolChoice) && !['auto', 'any', 'tool'].some((key) => key in toolChoice)) {
    const message = 'The value at toolConfig.toolChoice must be one of the following: auto, any, tool.';
    report({ rule: 'tool-choice', path: 'toolConfig.toolChoice', message });
  }
}
