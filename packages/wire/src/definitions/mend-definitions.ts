/**
 * Owns the tools of a request: names that the provider takes, schemas that it takes, no empty lists, no choice without tools.
 * What would change the meaning of a tool is reported, never done.
 */
import { isList, isObject, sameJson, valueAt, type JsonObject } from '../json.ts';
import type { Log } from '../repair/log.ts';
import type { Words } from '../repair/mapping.ts';
import type { ProviderRules } from '../profiles/provider-rules.ts';
import type { Format } from '../transcript.ts';
import { itemAt, nameOf, toolPlaces, withItemAt, type Definition } from './places.ts';
import { mendSchema } from './schema.ts';

export interface DefinitionScene {
  readonly format: Format;
  readonly rules: ProviderRules;
  readonly log: Log;
  readonly words: Words;
}

export function mendDefinitions(request: JsonObject, scene: DefinitionScene): JsonObject {
  const { format, log, rules, words } = scene;
  const { definitions, choices, lists } = toolPlaces(format, request);
  let mended: unknown = request;
  for (const definition of definitions) words.reserveName(nameOf(definition) ?? '');
  const seen = new Map<string, Definition>();
  const doubles: Definition[] = [];
  for (const definition of definitions) {
    mended = mendOne(mended, definition, seen, doubles, scene);
  }
  for (const { path } of doubles.toReversed()) mended = withItemAt(mended, path, undefined);
  if (definitions.length - doubles.length > rules.maxTools)
    log.problem('tool-count', (lists[0] ?? []).join('.'), `${definitions.length} tools; the provider takes ${rules.maxTools}.`);
  for (const choice of choices) mended = mendChoice(mended, choice, definitions, scene);
  return withoutEmptyTools(mended as JsonObject, scene);
}

function mendOne(
  request: unknown,
  definition: Definition,
  seen: Map<string, Definition>,
  doubles: Definition[],
  scene: DefinitionScene,
): unknown {
  const { log, words } = scene;
  const name = nameOf(definition);
  const path = [...definition.path, ...definition.name];
  if (name === undefined || name === '') {
    log.problem('tool-shape', path.join('.'), 'A tool has no name.');
    return request;
  }
  const first = seen.get(name);
  if (first && sameJson(first.native, definition.native)) {
    log.removed('tool-duplicate', definition.path.join('.'), definition.native);
    doubles.push(definition);
    return request;
  }
  const wire = first ? words.madeName(name, `${name} ${definition.path.join('.')}`) : words.nameFor(name);
  if (!first) seen.set(name, definition);
  let mended = request;
  if (wire !== name) {
    log.edited(first ? 'tool-duplicate' : 'name-form', path.join('.'), name, wire);
    mended = withItemAt(mended, path, wire);
  }
  return mendSchema(mended, definition, scene);
}

function mendChoice(
  request: unknown,
  choice: readonly string[],
  definitions: readonly Definition[],
  { log, words }: DefinitionScene,
): unknown {
  const name = itemAt(request, choice);
  if (typeof name !== 'string') return request;
  if (definitions.length > 0 && !definitions.some((definition) => nameOf(definition) === name)) {
    const builtIn = isList(itemAt(request, ['tools'])) && (itemAt(request, ['tools']) as readonly unknown[]).length > definitions.length;
    if (!builtIn) log.problem('tool-choice', choice.join('.'), `The chosen tool '${name}' is not among the tools.`);
    return request;
  }
  const wire = words.nameFor(name);
  if (wire === name) return request;
  log.edited('name-form', choice.join('.'), name, wire);
  return withItemAt(request, choice, wire);
}

/** Formats in which `tool_choice` and its like may not stand without tools. */
const choiceFields: Readonly<Partial<Record<Format, readonly string[]>>> = {
  'openai-chat': ['tool_choice', 'parallel_tool_calls'],
  'anthropic-messages': ['tool_choice'],
};

function withoutEmptyTools(request: JsonObject, { format, rules, log }: DefinitionScene): JsonObject {
  let mended: unknown = request;
  const path = format === 'bedrock-converse' ? ['toolConfig'] : ['tools'];
  const list = valueAt(request, format === 'bedrock-converse' ? ['toolConfig', 'tools'] : path);
  const empty = isList(list) && list.length === 0;
  if (empty && (rules.emptyTools === 'remove' || format === 'bedrock-converse')) {
    log.removed('tools-empty', path.join('.'), itemAt(request, path));
    mended = withItemAt(mended, path, undefined);
  }
  if (list !== undefined && list !== null && !empty) return mended as JsonObject;
  if (isObject(mended) && isList(mended['functions']) && mended['functions'].length > 0) return mended;
  for (const field of choiceFields[format] ?? []) {
    const value = itemAt(mended, [field]);
    if (value === undefined || value === 'none') continue;
    log.removed('tool-choice', field, value);
    mended = withItemAt(mended, [field], undefined);
  }
  return mended as JsonObject;
}
