/** Owns detecting the format of a request. Between similar formats, the shape of tools and tool messages decides. */
import { isList, isRecord, isText, type JsonObject } from '../json.ts';
import type { Format } from '../transcript.ts';

const maxInspected = 200;

/** Detects the format of a request; `undefined` if nothing identifies one. */
export function detectFormat(request: unknown): Format | undefined {
  try {
    return isRecord(request) ? byRequest(request) : undefined;
  } catch {
    return undefined;
  }
}

function byRequest(request: JsonObject): Format | undefined {
  if (isList(request['contents']) || isText(request['contents'])) return 'gemini';
  if (isList(request['uiMessages'])) return 'ai-sdk-ui';
  if (isList(request['input']) || (isText(request['input']) && !('messages' in request))) return 'openai-responses';
  if ('modelId' in request || 'toolConfig' in request || 'inferenceConfig' in request) return 'bedrock-converse';
  const messages = request['messages'] ?? request['prompt'];
  if (!isList(messages)) return undefined;
  return (
    byTools(request['tools']) ??
    byMessages(messages) ??
    ('max_tokens' in request && 'system' in request ? 'anthropic-messages' : 'openai-chat')
  );
}

function byTools(tools: unknown): Format | undefined {
  if (isRecord(tools)) return 'ai-sdk';
  const first = isList(tools) ? tools.find(isRecord) : undefined;
  if (!first) return undefined;
  if (isRecord(first['function']) || isRecord(first['custom'])) return 'openai-chat';
  return 'input_schema' in first ? 'anthropic-messages' : undefined;
}

function byMessages(messages: readonly unknown[]): Format | undefined {
  let guess: Format | undefined;
  for (const message of messages.slice(-maxInspected)) {
    if (!isRecord(message)) continue;
    if ('tool_calls' in message || 'tool_call_id' in message) return 'openai-chat';
    if (isList(message['parts'])) return 'ai-sdk-ui';
    for (const block of isList(message['content']) ? message['content'].slice(0, maxInspected) : []) {
      const found = isRecord(block) ? byBlock(block) : undefined;
      if (found) return found;
      if (isRecord(block) && isText(block['text']) && block['type'] === undefined) guess = 'bedrock-converse';
    }
  }
  return guess;
}

const blockTypes: ReadonlyMap<unknown, Format> = new Map<unknown, Format>([
  ['tool_use', 'anthropic-messages'],
  ['tool_result', 'anthropic-messages'],
  ['thinking', 'anthropic-messages'],
  ['tool-call', 'ai-sdk'],
  ['tool-result', 'ai-sdk'],
  ['reasoning', 'ai-sdk'],
  ['image_url', 'openai-chat'],
]);

function byBlock(block: JsonObject): Format | undefined {
  if ('toolUse' in block || 'toolResult' in block) return 'bedrock-converse';
  return blockTypes.get(block['type']);
}
