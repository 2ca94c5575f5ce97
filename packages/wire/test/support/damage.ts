/** Ways in which programs break transcripts: parts removed, duplicated, swapped, renamed, emptied, or given another role. */
import fc from 'fast-check';
import type { Case } from './format-cases.ts';

type Json = Record<string, unknown>;

export interface Damage {
  readonly kind:
    | 'drop'
    | 'double'
    | 'swap'
    | 'role'
    | 'empty'
    | 'id'
    | 'block-drop'
    | 'block-double'
    | 'block-swap'
    | 'arguments'
    | 'insert'
    | 'name'
    | 'speaker'
    | 'reasoning';
  /** Which message, and which block or other message. */
  readonly at: number;
  readonly other: number;
  readonly value: number;
}

export const damages: fc.Arbitrary<readonly Damage[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Damage['kind'][]>(
      'drop',
      'double',
      'swap',
      'role',
      'empty',
      'id',
      'block-drop',
      'block-double',
      'block-swap',
      'arguments',
      'insert',
      'name',
      'speaker',
      'reasoning',
    ),
    at: fc.nat(1000),
    other: fc.nat(1000),
    value: fc.nat(1000),
  }),
  { minLength: 1, maxLength: 5 },
);

const pick = <Item>(list: readonly Item[], index: number): Item | undefined => list[index % Math.max(list.length, 1)];

/** A damaged copy. */
export function damaged(request: Readonly<Json>, list: string, damage: readonly Damage[], format: Case['format']): Json {
  const copy = structuredClone(request) as Json;
  const messages = copy[list] as Json[];
  for (const each of damage) if (messages.length > 0) hurt(messages, each, format);
  return copy;
}

const ids = ['', 'undefined', 'functions.x:0', 'x'.repeat(80), 'call_0', 'toolu_0', 'same', 'ü'] as const;
const roles = ['user', 'assistant', 'tool', 'system', 'model', 'function', 'human', 'developer'] as const;
const speakers = ['Mail Agent', '', '<|>', 7, null, 'files.read', 'ok'] as const;
const emptyValues = [null, '', [], ' ', undefined] as const;
const badArguments = ['{"a":', '', null, undefined, [1], 'ls', '{"a":1}', 5] as const;
const badNames = ['', 'a.b c', 'multi_tool_use.parallel', 'n'.repeat(140)] as const;

function hurt(messages: Json[], { kind, at, other, value }: Damage, format: Case['format']): void {
  const index = at % messages.length;
  const second = other % messages.length;
  const message = messages[index];
  if (!message) return;
  const blocks = blocksOf(message);
  switch (kind) {
    case 'drop':
      messages.splice(index, 1);
      return;
    case 'double':
      messages.splice(second, 0, structuredClone(message));
      return;
    case 'swap':
      [messages[index], messages[second]] = [messages[second] as Json, message];
      return;
    case 'insert':
      messages.splice(
        index,
        0,
        format === 'gemini'
          ? { role: 'user', parts: [{ text: 'wait' }] }
          : { role: 'user', content: format === 'bedrock-converse' ? [{ text: 'wait' }] : 'wait' },
      );
      return;
    case 'role':
      if ('role' in message && message['role'] !== 'system')
        message['role'] = format === 'openai-chat' && message['role'] === 'function' ? 'user' : pick(roles, value);
      return;
    case 'empty':
      message['parts' in message ? 'parts' : 'output' in message ? 'output' : 'content'] = pick(emptyValues, value);
      return;
    case 'block-drop':
      blocks?.splice(other % Math.max(blocks.length, 1), 1);
      return;
    case 'block-double':
      if (blocks && blocks.length > 0) blocks.splice(value % blocks.length, 0, structuredClone(pick(blocks, other) ?? {}));
      return;
    case 'block-swap':
      if (blocks && blocks.length > 1) blocks.push(...blocks.splice(other % blocks.length, 1));
      return;
    case 'id':
      eachTool(message, other, (tool) => void (tool[idField(tool)] = pick(ids, value)));
      return;
    case 'name':
      eachTool(message, other, (tool) => nameFields(tool, pick(badNames, value)));
      return;
    case 'speaker':
      if (format === 'openai-chat') message['name'] = pick(speakers, value);
      return;
    case 'reasoning':
      delete message['reasoning_content'];
      return;
    case 'arguments':
      eachTool(message, other, (tool) => argumentFields(tool, pick(badArguments, value)));
  }
}

function blocksOf(message: Json): Json[] | undefined {
  for (const field of ['tool_calls', 'parts', 'content']) if (Array.isArray(message[field])) return message[field] as Json[];
  return undefined;
}

const bodies = ['toolUse', 'toolResult', 'functionCall', 'functionResponse'] as const;
const idFields = ['tool_call_id', 'call_id', 'tool_use_id', 'toolCallId', 'toolUseId', 'id'] as const;

function eachTool(message: Json, which: number, change: (tool: Json) => void): void {
  const tools: Json[] = [];
  for (const block of [message, ...(blocksOf(message) ?? [])]) {
    if (typeof block !== 'object' || block === null) continue;
    const body = bodies.map((field) => block[field]).find((inner) => typeof inner === 'object' && inner !== null) as Json | undefined;
    const tool = body ?? block;
    const type = tool['type'];
    if (type === 'reasoning' || type === 'thinking' || type === 'message') continue;
    if (body || idFields.some((field) => field in tool)) tools.push(tool);
  }
  const tool = pick(tools, which);
  if (tool) change(tool);
}

const idField = (tool: Json): string => idFields.find((field) => field in tool) ?? 'id';

function nameFields(tool: Json, name: string | undefined): void {
  const body = typeof tool['function'] === 'object' ? (tool['function'] as Json) : tool;
  if ('name' in body) body['name'] = name;
  if ('toolName' in body) body['toolName'] = name;
}

function argumentFields(tool: Json, value: unknown): void {
  const body = typeof tool['function'] === 'object' ? (tool['function'] as Json) : tool;
  for (const field of ['arguments', 'input', 'args']) if (field in body) body[field] = value;
}
