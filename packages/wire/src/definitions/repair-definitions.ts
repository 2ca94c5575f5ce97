/**
 * Owns the tools of a request: names and schemas the provider accepts, no empty lists, no tool choice without tools.
 * A repair that would change the meaning of a tool is reported instead of made.
 */
import { isList, isRecord, isText, itemAt, sameJson, valueAt, type JsonObject } from '../json.ts';
import { isThinking } from '../profiles/is-thinking.ts';
import type { Format } from '../transcript.ts';
import { checkToolShapes } from './check-tool-shapes.ts';
import { nameOf, findTools, setItemAt, type ToolDefinitionPath, type ToolPaths } from './tool-paths.ts';
import type { DefinitionContext } from './definition-context.ts';
import { repairSchema, type RepairSchema } from './repair-schema.ts';

interface RepairContext extends DefinitionContext {
  readonly schemaRepair: RepairSchema;
}

/** @param schemaRepair the repair of a schema, where the format has its own */
export function repairDefinitions(request: JsonObject, given: DefinitionContext, schemaRepair: RepairSchema = repairSchema): JsonObject {
  const context: RepairContext = { ...given, schemaRepair };
  const { format, log, rules, nameMap } = context;
  checkToolShapes(request, context);
  const { definitions, choices, lists } = findTools(format, request);
  let repaired: unknown = request;
  for (const definition of definitions) nameMap.reserveName(nameOf(definition) ?? '');
  const seen = new Map<string, ToolDefinitionPath>();
  const duplicates: ToolDefinitionPath[] = [];
  for (const definition of definitions) {
    repaired = repairOne(repaired, definition, seen, duplicates, context);
  }
  for (const { path } of duplicates.toReversed()) repaired = setItemAt(repaired, path, undefined);
  if (definitions.length - duplicates.length > rules.maxTools)
    log.problem('tool-count', (lists[0] ?? []).join('.'), `${definitions.length} tools; the provider accepts at most ${rules.maxTools}.`);
  for (const choice of choices) repaired = repairChoice(repaired, choice, definitions, context);
  reportNamelessChoice(request, choices, context);
  reportForcedChoice(request, context);
  reportCallingConfig(request, definitions.length, context);
  return removeEmptyTools(repaired as JsonObject, context);
}

function repairOne(
  request: unknown,
  definition: ToolDefinitionPath,
  seen: Map<string, ToolDefinitionPath>,
  duplicates: ToolDefinitionPath[],
  context: RepairContext,
): unknown {
  const { log, nameMap } = context;
  const name = nameOf(definition);
  const path = [...definition.path, ...definition.name];
  if (name === undefined || name === '') {
    log.problem('tool-shape', path.join('.'), 'A tool has no name.');
    return request;
  }
  const first = seen.get(name);
  if (first && sameJson(first.native, definition.native)) {
    log.removed('tool-duplicate', definition.path.join('.'), definition.native);
    duplicates.push(definition);
    return request;
  }
  const wire = first ? nameMap.generateName(name, `${name} ${definition.path.join('.')}`) : nameMap.nameFor(name);
  if (!first) seen.set(name, definition);
  let repaired = request;
  if (wire !== name) {
    log.edited(first ? 'tool-duplicate' : 'name-form', path.join('.'), name, wire);
    repaired = setItemAt(repaired, path, wire);
  }
  return context.schemaRepair(removeEmptyDescription(repaired, definition, context), definition, context);
}

function removeEmptyDescription(request: unknown, { native, path }: ToolDefinitionPath, { format, log }: DefinitionContext): unknown {
  if (format !== 'bedrock-converse' || valueAt(native, ['toolSpec', 'description']) !== '') return request;
  const place = [...path, 'toolSpec', 'description'];
  log.edited('tool-shape', place.join('.'), '', undefined);
  return setItemAt(request, place, undefined);
}

function repairChoice(
  request: unknown,
  choice: readonly string[],
  definitions: readonly ToolDefinitionPath[],
  { log, nameMap }: DefinitionContext,
): unknown {
  const name = itemAt(request, choice);
  if (typeof name !== 'string') return request;
  if (definitions.length > 0 && !definitions.some((definition) => nameOf(definition) === name)) {
    const builtIn = isList(itemAt(request, ['tools'])) && (itemAt(request, ['tools']) as readonly unknown[]).length > definitions.length;
    if (!builtIn) log.problem('tool-choice', choice.join('.'), `The chosen tool '${name}' is not among the tools.`);
    return request;
  }
  const wire = nameMap.nameFor(name);
  if (wire === name) return request;
  log.edited('name-form', choice.join('.'), name, wire);
  return setItemAt(request, choice, wire);
}

/** Reports a choice that names no tool although it is one of a tool, and an empty one at Bedrock. */
function reportNamelessChoice(request: JsonObject, choices: ToolPaths['choices'], { format, log }: DefinitionContext): void {
  const bedrock = valueAt(request, ['toolConfig', 'toolChoice']);
  if (isRecord(bedrock) && !['auto', 'any', 'tool'].some((kind) => kind in bedrock))
    log.problem('tool-choice', 'toolConfig.toolChoice', 'The tool choice is none of auto, any and tool.');
  const [choice] = choices;
  const typeOfOne = format === 'anthropic-messages' ? 'tool' : 'function';
  if (!choice || valueAt(request, ['tool_choice', 'type']) !== typeOfOne) return;
  if (!isText(itemAt(request, choice))) log.problem('tool-choice', choice.join('.'), 'The tool choice names no tool.');
}

/** Reports a forced tool choice for models that do not allow it while thinking is on. */
function reportForcedChoice(request: JsonObject, { format, log, profile, rules }: DefinitionContext): void {
  const choice = request['tool_choice'];
  const type = valueAt(choice, ['type']);
  const thinking = valueAt(request['thinking'], ['type']);
  const refused =
    format === 'anthropic-messages'
      ? (type === 'any' || type === 'tool') && (thinking === 'enabled' || thinking === 'adaptive')
      : format === 'openai-chat' &&
        (choice === 'required' || isRecord(choice)) &&
        ((profile === 'deepseek' && isThinking(request, rules)) || (profile === 'qwen' && request['enable_thinking'] === true));
  if (refused) log.problem('tool-choice', 'tool_choice', 'A tool call may not be forced while thinking is on.');
}

function hasEntries(tool: unknown, field: string): boolean {
  const list = valueAt(tool, [field]);
  return isList(list) && list.length > 0;
}

/** Reports how functions are to be called if none is declared. */
function reportCallingConfig(request: JsonObject, definitions: number, { format, log }: DefinitionContext): void {
  if (format !== 'gemini' || definitions > 0) return;
  const tools = [request['tools'] ?? valueAt(request, ['config', 'tools'])].flat();
  // Entries that are no declarations are reported themselves.
  if (tools.some((tool) => hasEntries(tool, 'functionDeclarations') || hasEntries(tool, 'function_declarations'))) return;
  const base = isRecord(request['config']) ? ['config'] : [];
  for (const path of [
    ['toolConfig', 'functionCallingConfig'],
    ['tool_config', 'function_calling_config'],
  ]) {
    const config = valueAt(request, [...base, ...path]);
    if (isRecord(config) && config['mode'] !== 'NONE')
      log.problem('tool-choice', [...base, ...path].join('.'), 'Function calling is configured, but no function is declared.');
  }
}

/** Fields that are not allowed without tools. */
const choiceFields: Readonly<Partial<Record<Format, readonly string[]>>> = {
  'openai-chat': ['tool_choice', 'parallel_tool_calls'],
  'openai-responses': ['tool_choice'],
  'anthropic-messages': ['tool_choice'],
};

/** Without tools, Responses refuses only a choice that requires a call. */
const isRefusedChoice = (format: Format, value: unknown): boolean =>
  value !== undefined && value !== null && (format !== 'openai-responses' || (value !== 'none' && value !== 'auto'));

function removeEmptyTools(request: JsonObject, { format, rules, log }: DefinitionContext): JsonObject {
  let repaired: unknown = request;
  const path = format === 'bedrock-converse' ? ['toolConfig'] : ['tools'];
  const list = valueAt(request, format === 'bedrock-converse' ? ['toolConfig', 'tools'] : path);
  const empty = isList(list) && list.length === 0;
  if (empty && (rules.emptyTools === 'remove' || format === 'bedrock-converse')) {
    log.removed('tools-empty', path.join('.'), itemAt(request, path));
    repaired = setItemAt(repaired, path, undefined);
  }
  if (list !== undefined && list !== null && !empty) return repaired as JsonObject;
  if (isRecord(repaired) && isList(repaired['functions']) && repaired['functions'].length > 0) return repaired;
  for (const field of choiceFields[format] ?? []) {
    const value = itemAt(repaired, [field]);
    if (!isRefusedChoice(format, value)) continue;
    log.edited('tool-choice', field, value, undefined);
    repaired = setItemAt(repaired, [field], undefined);
  }
  return repaired as JsonObject;
}
