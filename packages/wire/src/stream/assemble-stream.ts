/**
 * Owns assembling streamed answers, in any format.
 * Does not own the transport: chunks are the parsed data of its events.
 *
 * Invariants
 * 1. Calls are returned only at the end, in the order in which they started.
 * 2. The same chunks give the same calls, including ids.
 * 3. Never throws for any chunk.
 */
import { checkRule, suggest } from '@holdfast/core/internal/plain';
import { type AssembledAnswer, callsOf, type StreamReader } from './assembled-calls.ts';
import { anthropicReader, bedrockReader } from './block-readers.ts';
import { geminiReader } from './gemini-reader.ts';
import { openaiChatReader } from './openai-chat-reader.ts';
import { openaiResponsesReader } from './openai-responses-reader.ts';

/** Formats whose streams can be assembled. */
export type StreamFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse';

const readers: Readonly<Record<StreamFormat, () => StreamReader>> = {
  'openai-chat': openaiChatReader,
  'openai-responses': openaiResponsesReader,
  'anthropic-messages': anthropicReader,
  gemini: geminiReader,
  'bedrock-converse': bedrockReader,
};

/** A streamed answer in progress. */
export interface StreamAssembly {
  /** Adds the next chunk: the parsed data of one event. */
  readonly push: (chunk: unknown) => void;
  /** Returns the assembled answer. A stream without an end event counts as cut off. */
  readonly finish: () => AssembledAnswer;
}

/**
 * Assembles the calls of one streamed answer.
 *
 * @throws TypeError | RangeError for a format without streams, naming those that have them.
 */
export function assembleStream(format: StreamFormat): StreamAssembly {
  checkRule(Object.keys(readers), format, 'assembleStream: format', suggest);
  const reader = readers[format]();
  return {
    push: (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        // An unreadable chunk is ignored.
      }
    },
    finish: () => {
      try {
        return callsOf(reader.read());
      } catch {
        return { calls: [], ending: 'fault', reason: undefined };
      }
    },
  };
}
