/** Owns the table of codecs by format. */
import type { Format } from '../transcript.ts';
import { aiSdk } from './ai-sdk/codec.ts';
import { anthropicMessages } from './anthropic-messages/codec.ts';
import { bedrockConverse } from './bedrock-converse/codec.ts';
import type { Codec } from './codec.ts';
import { gemini } from './gemini/codec.ts';
import { openaiChat } from './openai-chat/codec.ts';
import { openaiResponses } from './openai-responses/codec.ts';

/** Formats whose messages consist of parts. */
export type TranscriptFormat = Exclude<Format, 'ai-sdk-ui'>;

export const codecs: Readonly<Record<TranscriptFormat, Codec>> = {
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  'anthropic-messages': anthropicMessages,
  gemini,
  'bedrock-converse': bedrockConverse,
  'ai-sdk': aiSdk,
};
