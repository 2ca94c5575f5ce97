/** Owns that a transcript with tool blocks comes with a tool configuration. */
import { isList, valueAt } from '../../json.ts';
import type { NameMap } from '../../repair/name-mapping.ts';
import type { FormatContext } from '../format-context.ts';

export function repairToolConfig(scene: FormatContext, words: NameMap): void {
  const { request, messages, log, rules } = scene;
  const tools = valueAt(request, ['toolConfig', 'tools']);
  if (!rules.toolsForHistory || (isList(tools) && tools.length > 0)) return;
  const names = new Set<string>();
  for (const { parts } of messages) for (const part of parts) if (part.kind === 'call') names.add(part.name ?? '');
  if (names.size === 0) return;
  const config = {
    tools: [...names].map((name) => ({
      toolSpec: { name: name === '' ? 'unknown_tool' : words.nameFor(name), inputSchema: { json: { type: 'object' } } },
    })),
  };
  log.edited('tools-missing', 'toolConfig', request['toolConfig'], config);
  scene.request = { ...request, toolConfig: config };
}
