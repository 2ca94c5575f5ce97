/**
 * Owns reading a model's answer in any format: text, calls, results, and how it ended.
 * Does not own validation (`validate-response`).
 */
import { isList, isRecord, isText, itemAt, textOf, valueAt, type JsonObject } from '../json.ts';
import { codecs, type TranscriptFormat } from '../formats/codecs.ts';
import { rulesFor } from '../profiles/rules-for.ts';
import { RepairLog } from '../repair/repair-log.ts';
import type { Message } from '../transcript.ts';

/** How an answer ended. `fault`: the provider reported output of the model that it could not parse. */
export type Finish = 'stop' | 'calls' | 'cut-off' | 'filtered' | 'fault' | 'paused' | 'unknown';

/** A call as the model sent it; its arguments are not parsed yet. */
export interface ResponseCall {
  /** Id of the call; `undefined` if the model sent none. */
  readonly callId: string | undefined;
  /** Name of the tool; `undefined` if the model sent none. */
  readonly toolName: string | undefined;
  /** An object, or the text the model wrote. */
  readonly arguments: unknown;
  /** Path in the response, such as `choices.0.message.tool_calls.0`. */
  readonly path: string;
}

export interface ReadResponse {
  readonly text: string;
  readonly calls: readonly ResponseCall[];
  readonly finish: Finish;
  /** The provider's finish reason. */
  readonly reason: string | undefined;
  readonly hasContent: boolean;
}

/** The path of the message in an answer, by format. */
const messagePaths: Readonly<Record<TranscriptFormat, readonly string[]>> = {
  'openai-chat': ['choices', '0', 'message'],
  'openai-responses': ['output'],
  'anthropic-messages': [],
  gemini: ['candidates', '0', 'content'],
  'bedrock-converse': ['output', 'message'],
  'ai-sdk': [],
};

const reasonPaths: Readonly<Record<TranscriptFormat, readonly string[]>> = {
  'openai-chat': ['choices', '0', 'finish_reason'],
  'openai-responses': ['status'],
  'anthropic-messages': ['stop_reason'],
  gemini: ['candidates', '0', 'finishReason'],
  'bedrock-converse': ['stopReason'],
  'ai-sdk': ['finishReason'],
};

const finishes: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['tool_calls', 'calls'],
  ['tool-calls', 'calls'],
  ['function_call', 'calls'],
  ['tool_use', 'calls'],
  ['length', 'cut-off'],
  ['max_tokens', 'cut-off'],
  ['max_output_tokens', 'cut-off'],
  ['model_context_window_exceeded', 'cut-off'],
  ['incomplete', 'cut-off'],
  ['in_progress', 'cut-off'],
  ['content_filter', 'filtered'],
  ['content-filter', 'filtered'],
  ['content_filtered', 'filtered'],
  ['guardrail_intervened', 'filtered'],
  ['refusal', 'filtered'],
  ['safety', 'filtered'],
  ['prohibited_content', 'filtered'],
  ['pause_turn', 'paused'],
  ['malformed_function_call', 'fault'],
  ['unexpected_tool_call', 'fault'],
  ['too_many_tool_calls', 'fault'],
  ['malformed_tool_use', 'fault'],
  ['malformed_model_output', 'fault'],
  ['error', 'fault'],
  ['failed', 'fault'],
]);

export function readResponse(response: unknown, format: TranscriptFormat): ReadResponse {
  const reason = reasonOf(response, format);
  const native = itemAt(response, messagePaths[format]);
  const path = messagePaths[format].join('.');
  const messages = messagesOf(native, format);
  const parts = messages.flatMap((message) => message.parts);
  const { fieldsOf } = codecs[format];
  const calls = parts
    .filter(({ kind }) => kind === 'call')
    .map((part): ResponseCall => {
      const fields = fieldsOf(part);
      // The message was read as the only item of an unnamed list.
      const place = (part.path ?? '').replace(/^\.0\.?/, '');
      return {
        callId: part.id,
        toolName: part.name,
        arguments: fields.arguments ? valueAt(part.native, fields.arguments) : undefined,
        path: format === 'openai-responses' ? place : [path, place].filter((each) => each !== '').join('.'),
      };
    });
  const texts = parts.filter(({ kind }) => kind === 'text').flatMap(({ native: text }) => textsIn(text));
  return { text: texts.join(''), calls, finish: finishOf(reason), reason, hasContent: parts.length > 0 };
}

function messagesOf(native: unknown, format: TranscriptFormat): readonly Message[] {
  const codec = codecs[format];
  const rules = rulesFor(format, undefined, '');
  const context = { log: new RepairLog(), rules, request: {} };
  if (format === 'openai-responses') return isList(native) ? codec.read(native, 'output', context) : [];
  if (!isRecord(native)) return [];
  const shell: JsonObject = format === 'ai-sdk' ? { role: 'assistant', content: aiSdkContent(native) } : native;
  return codec.read([shell['role'] === undefined ? { ...shell, role: codec.roleField('assistant') } : shell], '', context);
}

/** Results of the AI SDK have their parts in `content`, or calls and text in separate fields. */
function aiSdkContent(native: JsonObject): unknown {
  if (isList(native['content']) || isText(native['content'])) return native['content'];
  const text = isText(native['text']) && native['text'] !== '' ? [{ type: 'text', text: native['text'] }] : [];
  return [
    ...text,
    ...(isList(native['toolCalls']) ? native['toolCalls'].map((call) => (isRecord(call) ? { type: 'tool-call', ...call } : call)) : []),
  ];
}

function textsIn(native: unknown): readonly string[] {
  if (isText(native)) return [native];
  if (!isRecord(native)) return isList(native) ? native.flatMap(textsIn) : [];
  return isText(native['text']) ? [native['text']] : textsIn(native['content']);
}

function reasonOf(response: unknown, format: TranscriptFormat): string | undefined {
  const reason = itemAt(response, reasonPaths[format]);
  if (format === 'openai-responses' && reason === 'incomplete')
    return textOf(itemAt(response, ['incomplete_details', 'reason'])) ?? 'incomplete';
  return isRecord(reason) ? (textOf(reason['unified']) ?? textOf(reason['raw'])) : textOf(reason);
}

function finishOf(reason: string | undefined): Finish {
  if (reason === undefined) return 'unknown';
  return finishes.get(reason.toLowerCase()) ?? 'unknown';
}
