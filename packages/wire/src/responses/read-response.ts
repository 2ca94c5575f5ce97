/**
 * Owns reading a model's answer in any format: text, calls, results, and how it ended.
 * Does not own validation (`validate-response`).
 */
import { looksTruncated } from '../arguments/is-open.ts';
import { isList, isRecord, isText, itemAt, textOf, valueAt, type JsonObject } from '../json.ts';
import { codecs, type TranscriptFormat } from '../formats/codecs.ts';
import { rulesFor } from '../profiles/rules-for.ts';
import { RepairLog } from '../repair/repair-log.ts';
import type { Message, Part } from '../transcript.ts';
import { type Finish, finishOf } from './finish-reasons.ts';

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
  /** The call was cut off, whatever the response says about itself. It must not be run. */
  readonly truncated: boolean;
}

export interface ReadResponse {
  readonly text: string;
  readonly calls: readonly ResponseCall[];
  readonly finish: Finish;
  /** The provider's finish reason. */
  readonly reason: string | undefined;
  /** Anything but empty text and reasoning. */
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
      const given = fields.arguments ? valueAt(part.native, fields.arguments) : undefined;
      return {
        callId: part.id,
        toolName: part.name,
        arguments: given,
        truncated: isIncomplete(part.native) || looksTruncated(given),
        path: format === 'openai-responses' ? place : [path, place].filter((each) => each !== '').join('.'),
      };
    });
  const texts = parts.filter(({ kind }) => kind === 'text').flatMap(({ native: text }) => textsIn(text));
  return { text: texts.join(''), calls, finish: finishOf(reason, format), reason, hasContent: parts.some(isContent) };
}

/** `content: null` and an empty string are no content, nor is what the model thought before its answer was cut off. */
const isContent = ({ kind, native }: Part): boolean =>
  kind !== 'reasoning' && (kind !== 'text' || textsIn(native).some((text) => text !== ''));

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

/** Whether an item of Responses says that it is not complete. */
const isIncomplete = (native: unknown): boolean => isRecord(native) && isText(native['status']) && native['status'] !== 'completed';
