/**
 * Owns the repair of single formats, for adapters: a bundle contains only the formats that its adapter uses, and the repair of tool definitions only if the adapter hands
 * over whole requests.
 */
import { repairDefinitions } from '../definitions/repair-definitions.ts';
import { aiSdkRepair } from '../formats/ai-sdk/repair.ts';
import { anthropicMessagesRepair } from '../formats/anthropic-messages/repair.ts';
import { bedrockConverseRepair } from '../formats/bedrock-converse/repair.ts';
import type { TranscriptFormat } from '../formats/codecs.ts';
import { geminiRepair } from '../formats/gemini/repair.ts';
import { openaiChatRepair } from '../formats/openai-chat/repair.ts';
import { openaiResponsesRepair } from '../formats/openai-responses/repair.ts';
import { repairTranscript, type Repaired } from './repair-transcript.ts';

/** The repair of one format, as `repair` does it. */
export interface FormatRepairer {
  /** Format of the requests. */
  readonly format: TranscriptFormat;
  /** Repairs a request by the rules of a provider profile. Never throws; returns a valid request as the same object. */
  readonly repair: <Request>(request: Request, profile?: string) => Repaired<Request>;
}

/** Repairs messages of the AI SDK, `{ messages }`. Tool definitions are not looked at. */
export const aiSdkMessages: FormatRepairer = {
  format: 'ai-sdk',
  repair: (request, profile) => repairTranscript(request, aiSdkRepair, { profile }),
};

/** Repairs requests of the Messages API of Anthropic, with their tools. */
export const anthropicRequests: FormatRepairer = {
  format: 'anthropic-messages',
  repair: (request, profile) => repairTranscript(request, anthropicMessagesRepair, { profile, definitions: repairDefinitions }),
};

/** Repairs requests of Bedrock Converse, with their tools. */
export const bedrockRequests: FormatRepairer = {
  format: 'bedrock-converse',
  repair: (request, profile) => repairTranscript(request, bedrockConverseRepair, { profile, definitions: repairDefinitions }),
};

/** Repairs contents of Gemini, `{ model, contents }`. Tool definitions are not looked at. */
export const geminiContents: FormatRepairer = {
  format: 'gemini',
  repair: (request, profile) => repairTranscript(request, geminiRepair, { profile }),
};

/** Repairs messages of Chat Completions, `{ messages }`. Tool definitions are not looked at. */
export const openaiChatMessages: FormatRepairer = {
  format: 'openai-chat',
  repair: (request, profile) => repairTranscript(request, openaiChatRepair, { profile }),
};

/** Repairs items of Responses, `{ input }`. Tool definitions are not looked at. */
export const openaiResponsesItems: FormatRepairer = {
  format: 'openai-responses',
  repair: (request, profile) => repairTranscript(request, openaiResponsesRepair, { profile }),
};
