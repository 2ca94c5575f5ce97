/** Owns adding a tool configuration to a transcript with tool blocks. */
import { isList, isRecord, valueAt } from '../../json.ts';
import type { NameMap } from '../../repair/name-mapping.ts';
import type { FormatContext } from '../format-context.ts';

export function repairToolConfig(context: FormatContext, nameMap: NameMap): void {
  const { request, messages, log, rules } = context;
  const tools = valueAt(request, ['toolConfig', 'tools']);
  if (!rules.toolsForHistory || (isList(tools) && tools.length > 0)) return;
  const names = new Set<string>();
  for (const { parts } of messages) for (const part of parts) if (part.kind === 'call') names.add(part.name ?? '');
  if (names.size === 0) {
    // Whether a configuration or its tools are missing is for the developer to say.
    if (isRecord(request['toolConfig']) && (tools === undefined || tools === null))
      log.problem('tool-shape', 'toolConfig.tools', 'The tool configuration has no tools.');
    return;
  }
  const config = {
    tools: [...names].map((name) => ({
      toolSpec: { name: name === '' ? 'unknown_tool' : nameMap.nameFor(name), inputSchema: { json: { type: 'object' } } },
    })),
  };
  log.edited('tools-missing', 'toolConfig', request['toolConfig'], config);
  context.request = { ...request, toolConfig: config };
}
