/** Owns telling by its fields which provider's response an object is, or that it is an error. Does not own reading it (`read-response.ts`). */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import type { TranscriptFormat } from '../formats/codecs.ts';

/** The format of a provider's response; `undefined` if the object has the form of none. */
export function detectResponseFormat(response: JsonObject): TranscriptFormat | undefined {
  const { choices, candidates, output, content } = response;
  if (isList(choices)) return 'openai-chat';
  if (isList(candidates) || isRecord(response['promptFeedback'])) return 'gemini';
  if (isList(output)) return 'openai-responses';
  if (isRecord(output) && 'message' in output) return 'bedrock-converse';
  if (response['type'] === 'message' || (isList(content) && 'stop_reason' in response)) return 'anthropic-messages';
  if (isList(content) && 'finishReason' in response) return 'ai-sdk';
  return undefined;
}

/** The message of an error body, such as `{ error: { message } }`; `undefined` if it is none. */
export function errorBodyMessage(response: JsonObject): string | undefined {
  const { error } = response;
  if (error === undefined || error === null) return undefined;
  if (isText(error)) return error;
  return isRecord(error) && isText(error['message']) ? error['message'] : 'without a message';
}
