/** Owns the paths of calls in complete answers and in stream events, and editing them in place. */
import { isList, isRecord, type JsonObject } from '../json.ts';
import type { StreamFormat } from '../stream/assemble-stream.ts';

export interface CallFields {
  readonly name: string;
  readonly arguments: string;
  /** The arguments are a JSON string. */
  readonly asText: boolean;
}

export const callFields: Readonly<Record<StreamFormat, CallFields>> = {
  'openai-chat': { name: 'name', arguments: 'arguments', asText: true },
  'openai-responses': { name: 'name', arguments: 'arguments', asText: true },
  'anthropic-messages': { name: 'name', arguments: 'input', asText: false },
  gemini: { name: 'name', arguments: 'args', asText: false },
  'bedrock-converse': { name: 'name', arguments: 'input', asText: false },
};

/** `*` matches every item of a list. */
type Path = readonly string[];

/** In complete answers. */
export const answerPaths: Readonly<Record<StreamFormat, readonly Path[]>> = {
  'openai-chat': [['choices', '*', 'message', 'tool_calls', '*', 'function']],
  'openai-responses': [['output', '*']],
  'anthropic-messages': [['content', '*']],
  gemini: [['candidates', '*', 'content', 'parts', '*', 'functionCall']],
  'bedrock-converse': [['output', 'message', 'content', '*', 'toolUse']],
};

/** In events of streams. */
export const eventPaths: Readonly<Record<StreamFormat, readonly Path[]>> = {
  'openai-chat': [['choices', '*', 'delta', 'tool_calls', '*', 'function']],
  'openai-responses': [['item'], ['response', 'output', '*']],
  'anthropic-messages': [['content_block']],
  gemini: answerPaths.gemini,
  'bedrock-converse': [['contentBlockStart', 'start', 'toolUse']],
};

/** Whether an item is a call, in formats whose lists contain other items too. */
export const isCall = (format: StreamFormat, value: JsonObject): boolean => {
  if (format === 'openai-responses') return value['type'] === 'function_call' || value['type'] === 'custom_tool_call';
  return format === 'anthropic-messages' ? value['type'] === 'tool_use' : true;
};

type Edit = (value: JsonObject, path: string) => JsonObject;

/** Edits every object at the given paths; returns the same value if no edit changed anything. */
export function editAt(value: unknown, paths: readonly Path[], edit: Edit): unknown {
  return paths.reduce<unknown>((edited, path) => editAlong(edited, path, '', edit), value);
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
