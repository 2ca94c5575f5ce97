/** The tool configuration. */
import type { Report } from '../problem.ts';
import { fieldsOf, isRecord, listOf, wordOf } from '../reading.ts';
import { nameDemand } from './block-form.ts';

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
  const demand = nameDemand(spec.name);
  if (demand !== undefined) report({ rule: 'tool-name-form', path: `${path}.name`, message: describeViolation(spec.name, 'name', demand) });
  if (spec.description === '') {
    const message = describeViolation('', 'description', 'Member must have length greater than or equal to 1');
    report({ rule: 'tool-form', path: `${path}.description`, message });
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

/** The kinds of tools. */
const kinds = ['toolSpec', 'cachePoint', 'systemTool'] as const;

function checkTools(tools: unknown, report: Report): void {
  const complain = (rule: string, value: string, demand: string): void => {
    const words = `1 validation error detected: Value${value} at 'toolConfig.tools' failed to satisfy constraint: ${demand}`;
    report({ rule, path: 'toolConfig.tools', message: words });
  };
  if (!Array.isArray(tools)) return complain('tool-form', ' null', 'Member must not be null');
  if (tools.length === 0) return complain('tool-count', '', 'Member must have length greater than or equal to 1');
  for (const [index, tool] of listOf(tools).entries()) {
    const { toolSpec } = fieldsOf<{ readonly toolSpec?: unknown }>(tool);
    if (isRecord(toolSpec)) checkSpec(fieldsOf<ToolSpec>(toolSpec), index, report);
    else if (!isRecord(tool) || !kinds.some((kind) => isRecord(tool[kind]))) {
      const words = `The format of the value at toolConfig.tools.${index} is invalid. Provide a json object for the field and try again.`;
      report({ rule: 'tool-form', path: `toolConfig.tools[${index}]`, message: words });
    }
  }
}

export function checkDefinitions(config: unknown, report: Report): void {
  if (config === undefined || config === null) return;
  const { tools, toolChoice } = fieldsOf<ToolConfig>(config);
  checkTools(tools, report);
  if (isRecord(toolChoice) && !['auto', 'any', 'tool'].some((key) => key in toolChoice)) {
    const message = 'The value at toolConfig.toolChoice must be one of the following: auto, any, tool.';
    report({ rule: 'tool-choice', path: 'toolConfig.toolChoice', message });
  }
}
