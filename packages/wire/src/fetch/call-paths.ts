/** Owns where calls stand in answers, whole ones and events of streams, and changing them there. */
import { isList, isRecord, type JsonObject } from '../json.ts';
import type { StreamFormat } from '../stream/assemble-stream.ts';

export interface CallFields {
  readonly name: string;
  readonly arguments: string;
  /** Arguments stand as text. */
  readonly asText: boolean;
}

export const callFields: Readonly<Record<StreamFormat, CallFields>> = {
  'openai-chat': { name: 'name', arguments: 'arguments', asText: true },
  'openai-responses': { name: 'name', arguments: 'arguments', asText: true },
  'anthropic-messages': { name: 'name', arguments: 'input', asText: false },
  gemini: { name: 'name', arguments: 'args', asText: false },
  'bedrock-converse': { name: 'name', arguments: 'input', asText: false },
};

/** `*` is every item of a list. */
type Path = readonly string[];

/** Of whole answers. */
export const answerPaths: Readonly<Record<StreamFormat, readonly Path[]>> = {
  'openai-chat': [['choices', '*', 'message', 'tool_calls', '*', 'function']],
  'openai-responses': [['output', '*']],
  'anthropic-messages': [['content', '*']],
  gemini: [['candidates', '*', 'content', 'parts', '*', 'functionCall']],
  'bedrock-converse': [['output', 'message', 'content', '*', 'toolUse']],
};

/** Of events in streams. */
export const eventPaths: Readonly<Record<StreamFormat, readonly Path[]>> = {
  'openai-chat': [['choices', '*', 'delta', 'tool_calls', '*', 'function']],
  'openai-responses': [['item'], ['response', 'output', '*']],
  'anthropic-messages': [['content_block']],
  gemini: answerPaths.gemini,
  'bedrock-converse': [['contentBlockStart', 'start', 'toolUse']],
};

/** Only calls, where other things stand beside them. */
export const isCall = (format: StreamFormat, value: JsonObject): boolean => {
  if (format === 'openai-responses') return value['type'] === 'function_call' || value['type'] === 'custom_tool_call';
  return format === 'anthropic-messages' ? value['type'] === 'tool_use' : true;
};

type Edit = (value: JsonObject, path: string) => JsonObject;

/** The value with every object at a place edited; the same value when no edit changed one. */
export function editAt(value: unknown, places: readonly Path[], edit: Edit): unknown {
  return places.reduce<unknown>((edited, way) => editAlong(edited, way, '', edit), value);
}

function editAlong(value: unknown, [step, ...rest]: Path, path: string, edit: Edit): unknown {
  if (step === undefined) return isRecord(value) ? edit(value, path) : value;
  const inside = (key: string): string => (path === '' ? key : `${path}.${key}`);
  if (step === '*') {
    if (!isList(value)) return value;
    const items = value.map((item, index) => editAlong(item, rest, inside(String(index)), edit));
    return items.some((item, index) => item !== value[index]) ? items : value;
  }
  if (!isRecord(value) || !Object.hasOwn(value, step)) return value;
  const next = editAlong(value[step], rest, inside(step), edit);
  return next === value[step] ? value : { ...value, [step]: next };
}
