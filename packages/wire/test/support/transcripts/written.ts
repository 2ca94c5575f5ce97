/** Conversations as requests of every format, and requests read back as calls and results in order. */
import type { Format } from '@holdfast/wire';
import { tools, type Call, type Conversation, type Entry, type Result } from './conversation.ts';

type Json = Readonly<Record<string, unknown>>;

export type ListFormat = Exclude<Format, 'ai-sdk-ui'>;

const noResult = 'Tool call was not completed: no result was recorded. It may or may not have run.';
const markOf = ({ number }: Call): Json => ({ mark: `C${number}.` });
const textOf = ({ number, isPlaceholder }: Result): string => (isPlaceholder ? noResult : `R${number}.`);
const withId = (field: string, id: unknown): Json => (id === undefined ? {} : { [field]: id });

interface Writer {
  readonly list: string;
  readonly namesResults: boolean;
  readonly around: Json;
  readonly user: (text: string) => Json;
  readonly model: (text: string | undefined, calls: readonly Call[]) => readonly Json[];
  readonly results: (results: readonly Result[], text: string | undefined) => readonly Json[];
}

const converse = (text: string): Json => ({ text });

const foreignTools = Array.from({ length: 20 }, (_, index) => `other_tool_${1000 + index}`);
const chatTool = (name: string): Json => ({ type: 'function', function: { name, parameters: { type: 'object', properties: {} } } });

export const writers: Readonly<Record<ListFormat, Writer>> = {
  'openai-chat': {
    list: 'messages',
    namesResults: true,
    // Beside an id, only the names of tools count.
    around: { model: 'some-model', tools: [...tools, ...foreignTools].map(chatTool) },
    user: (content) => ({ role: 'user', content }),
    model: (text, calls) => [
      {
        role: 'assistant',
        content: text ?? '',
        ...(calls.length > 0
          ? {
              tool_calls: calls.map((call) => ({
                ...withId('id', call.id),
                type: 'function',
                function: { name: call.name, arguments: JSON.stringify(markOf(call)) },
              })),
            }
          : {}),
      },
    ],
    results: (results, text) => [
      ...results.map((result) => ({ role: 'tool', ...withId('tool_call_id', result.id), name: result.name, content: textOf(result) })),
      ...(text === undefined ? [] : [{ role: 'user', content: text }]),
    ],
  },
  'openai-responses': {
    list: 'input',
    namesResults: false,
    around: { model: 'some-model', store: false },
    user: (content) => ({ role: 'user', content }),
    model: (text, calls) => [
      ...(text === undefined ? [] : [{ role: 'assistant', content: text }]),
      ...calls.map((call) => ({
        type: 'function_call',
        ...withId('call_id', call.id),
        name: call.name,
        arguments: JSON.stringify(markOf(call)),
      })),
    ],
    results: (results, text) => [
      ...results.map((result) => ({ type: 'function_call_output', ...withId('call_id', result.id), output: textOf(result) })),
      ...(text === undefined ? [] : [{ role: 'user', content: text }]),
    ],
  },
  'anthropic-messages': {
    list: 'messages',
    namesResults: false,
    around: { model: 'some-model', max_tokens: 10 },
    user: (content) => ({ role: 'user', content }),
    model: (text, calls) => [
      {
        role: 'assistant',
        content: [
          ...(text === undefined ? [] : [{ type: 'text', text }]),
          ...calls.map((call) => ({ type: 'tool_use', ...withId('id', call.id), name: call.name, input: markOf(call) })),
        ],
      },
    ],
    results: (results, text) => [
      {
        role: 'user',
        content: [
          ...results.map((result) => ({
            type: 'tool_result',
            ...withId('tool_use_id', result.id),
            content: textOf(result),
            ...(result.isPlaceholder ? { is_error: true } : {}),
          })),
          ...(text === undefined ? [] : [{ type: 'text', text }]),
        ],
      },
    ],
  },
  gemini: {
    list: 'contents',
    namesResults: true,
    around: { model: 'gemini-2.5-flash' },
    user: (text) => ({ role: 'user', parts: [{ text }] }),
    model: (text, calls) => [
      {
        role: 'model',
        parts: [
          ...(text === undefined ? [] : [{ text }]),
          ...calls.map((call) => ({ functionCall: { ...withId('id', call.id), name: call.name, args: markOf(call) } })),
        ],
      },
    ],
    results: (results, text) => [
      {
        role: 'user',
        parts: [
          ...results.map((result) => ({
            functionResponse: {
              ...withId('id', result.id),
              name: result.name ?? '',
              response: result.isPlaceholder ? { error: noResult } : { output: textOf(result) },
            },
          })),
          ...(text === undefined ? [] : [{ text }]),
        ],
      },
    ],
  },
  'bedrock-converse': {
    list: 'messages',
    namesResults: false,
    around: {
      modelId: 'amazon.nova-pro-v1:0',
      toolConfig: { tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }] },
    },
    user: (text) => ({ role: 'user', content: [converse(text)] }),
    model: (text, calls) => [
      {
        role: 'assistant',
        content: [
          ...(text === undefined ? [] : [converse(text)]),
          ...calls.map((call) => ({ toolUse: { ...withId('toolUseId', call.id), name: call.name, input: markOf(call) } })),
        ],
      },
    ],
    results: (results, text) => [
      {
        role: 'user',
        content: [
          ...results.map((result) => ({
            toolResult: {
              ...withId('toolUseId', result.id),
              content: [converse(textOf(result))],
              ...(result.isPlaceholder ? { status: 'error' } : {}),
            },
          })),
          ...(text === undefined ? [] : [converse(text)]),
        ],
      },
    ],
  },
  'ai-sdk': {
    list: 'messages',
    namesResults: true,
    around: {},
    user: (content) => ({ role: 'user', content }),
    model: (text, calls) => [
      {
        role: 'assistant',
        content: [
          ...(text === undefined ? [] : [{ type: 'text', text }]),
          ...calls.map((call) => ({ type: 'tool-call', ...withId('toolCallId', call.id), toolName: call.name, input: markOf(call) })),
        ],
      },
    ],
    results: (results, text) => [
      {
        role: 'tool',
        content: results.map((result) => ({
          type: 'tool-result',
          ...withId('toolCallId', result.id),
          toolName: result.name ?? '',
          output: result.isPlaceholder ? { type: 'error-text', value: noResult } : { type: 'text', value: textOf(result) },
        })),
      },
      ...(text === undefined ? [] : [{ role: 'user', content: text }]),
    ],
  },
};

function writeEntry(entry: Entry, { user, model, results }: Writer): readonly Json[] {
  if (entry.kind === 'user') return [user(entry.text)];
  return entry.kind === 'model' ? model(entry.text, entry.calls) : results(entry.results, entry.text);
}

export function write({ entries }: Conversation, format: ListFormat): Json {
  const writer = writers[format];
  return { ...writer.around, [writer.list]: entries.flatMap((entry) => writeEntry(entry, writer)) };
}

/** A call or a result in a request, or anything else. */
export interface Piece {
  readonly kind: 'call' | 'result' | 'other';
  readonly message: number;
  readonly id: unknown;
  readonly name: unknown;
  /** The number it was made with; none for a placeholder. */
  readonly number: number | undefined;
}

const isRecord = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value);
const records = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isRecord) : []);

function numberIn(value: unknown, letter: 'C' | 'R'): number | undefined {
  const found = new RegExp(`${letter}(\\d+)\\.`).exec(JSON.stringify(value) ?? '');
  return found ? Number(found[1]) : undefined;
}

/** The pieces of one block, item or message. */
function pieceOf(block: Json, message: number): Piece {
  const call =
    [block['functionCall'], block['toolUse']].find(isRecord) ??
    (block['type'] === 'tool_use' || block['type'] === 'tool-call' || block['type'] === 'function_call' || block['type'] === 'function'
      ? block
      : undefined);
  if (call) {
    const body = isRecord(call['function']) ? call['function'] : call;
    return {
      kind: 'call',
      message,
      id: call['call_id'] ?? call['toolCallId'] ?? call['toolUseId'] ?? call['id'],
      name: body['name'] ?? call['toolName'],
      number: numberIn(body, 'C'),
    };
  }
  const result =
    [block['functionResponse'], block['toolResult']].find(isRecord) ??
    (block['type'] === 'tool_result' ||
    block['type'] === 'tool-result' ||
    block['type'] === 'function_call_output' ||
    block['role'] === 'tool'
      ? block
      : undefined);
  if (!result) return { kind: 'other', message, id: undefined, name: undefined, number: undefined };
  const id =
    result['tool_call_id'] ?? result['call_id'] ?? result['toolCallId'] ?? result['toolUseId'] ?? result['tool_use_id'] ?? result['id'];
  return { kind: 'result', message, id, name: result['name'] ?? result['toolName'], number: numberIn(result, 'R') };
}

export function readPieces(request: Json, format: ListFormat): readonly Piece[] {
  return records(request[writers[format].list]).flatMap((message, index): readonly Piece[] => {
    if (format === 'openai-responses' || (format === 'openai-chat' && message['role'] === 'tool')) return [pieceOf(message, index)];
    const blocks = format === 'openai-chat' ? message['tool_calls'] : (message['parts'] ?? message['content']);
    const pieces = records(blocks).map((block) => pieceOf(block, index));
    return pieces.length > 0 ? pieces : [{ kind: 'other', message: index, id: undefined, name: undefined, number: undefined }];
  });
}
