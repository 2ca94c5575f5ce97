/**
 * Owns putting streamed answers together, whatever the format.
 * Does not own the transport: chunks come in as the values that stand in its events.
 *
 * Invariants
 * 1. Calls come out at the end only, in the order in which they began.
 * 2. The same chunks give the same calls, ids included.
 * 3. Never throws, whatever a chunk is.
 */
import { type AssembledAnswer, callsOf, type StreamReader } from './assembled-calls.ts';
import { anthropicReader, bedrockReader } from './block-readers.ts';
import { geminiReader } from './gemini-reader.ts';
import { openaiChatReader } from './openai-chat-reader.ts';
import { openaiResponsesReader } from './openai-responses-reader.ts';

/** Formats whose streams can be put together. */
export type StreamFormat = 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'bedrock-converse';

const readers: Readonly<Record<StreamFormat, () => StreamReader>> = {
  'openai-chat': openaiChatReader,
  'openai-responses': openaiResponsesReader,
  'anthropic-messages': anthropicReader,
  gemini: geminiReader,
  'bedrock-converse': bedrockReader,
};

/** An answer that is still coming in. */
export interface StreamAssembly {
  /** Takes the next chunk: the parsed data of one event. */
  readonly push: (chunk: unknown) => void;
  /** The whole answer. A stream without an end counts as cut off. */
  readonly finish: () => AssembledAnswer;
}

/**
 * Puts the calls of one streamed answer together.
 *
 * @throws TypeError for a format without streams, naming those that have them.
 */
export function assembleStream(format: StreamFormat): StreamAssembly {
  if (!Object.hasOwn(readers, format))
    throw new TypeError(`assembleStream: format '${String(format)}' is unknown; take one of ${Object.keys(readers).join(', ')}`);
  const reader = readers[format]();
  return {
    push: (chunk) => {
      try {
        reader.push(chunk);
      } catch {
        // A chunk that cannot be read says nothing.
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
