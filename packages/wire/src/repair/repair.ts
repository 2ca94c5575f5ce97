/**
 * Owns the repair of a request of any format.
 *
 * Invariant: never throws and never modifies its input. An unreadable input is reported as a problem.
 */
import { checkOptions, type Fields } from '@holdfast/core/internal/plain';
import { repairGeminiDefinitions } from '../definitions/gemini-schema.ts';
import { repairDefinitions } from '../definitions/repair-definitions.ts';
import { aiSdkRepair } from '../formats/ai-sdk/repair.ts';
import { repairUiMessages } from '../formats/ai-sdk-ui/repair-ui-messages.ts';
import { anthropicMessagesRepair } from '../formats/anthropic-messages/repair.ts';
import { bedrockConverseRepair } from '../formats/bedrock-converse/repair.ts';
import type { TranscriptFormat } from '../formats/codecs.ts';
import { geminiRepair } from '../formats/gemini/repair.ts';
import { openaiChatRepair } from '../formats/openai-chat/repair.ts';
import { openaiResponsesRepair } from '../formats/openai-responses/repair.ts';
import { profileRule } from '../profiles/profile-rule.ts';
import { formats, type Format } from '../transcript.ts';
import { noMapping, repairReadable, repairTranscript, type FormatRepair, type Repaired } from './repair-transcript.ts';

/** The format of a request and the provider that it is sent to. */
export interface RepairOptions {
  /** Format of the request. */
  readonly format: Format;
  /**
   * Provider profile whose rules apply, such as `openai`, `deepseek` or `mistral`.
   * @default the provider that defined the format
   */
  readonly profile?: string | undefined;
}

export const repairFields: Fields = { format: formats, profile: profileRule };

export const formatRepairs: Readonly<Record<TranscriptFormat, FormatRepair>> = {
  'openai-chat': openaiChatRepair,
  'openai-responses': openaiResponsesRepair,
  'anthropic-messages': anthropicMessagesRepair,
  gemini: geminiRepair,
  'bedrock-converse': bedrockConverseRepair,
  'ai-sdk': aiSdkRepair,
};

/**
 * Repairs a request so that its provider accepts it. Never throws, whatever the request is; returns a valid request as the same object.
 * @throws TypeError | RangeError for an invalid option, naming it, its value and the fix.
 */
export function repair<Request>(request: Request, options: RepairOptions): Repaired<Request> {
  checkOptions(repairFields, options, 'repair', ['format']);
  const { format, profile } = options;
  return format === 'ai-sdk-ui'
    ? repairReadable(request, (log) => ({ ...repairUiMessages(request, log), mapping: noMapping }))
    : repairTranscript(request, formatRepairs[format], {
        profile,
        definitions: format === 'gemini' ? repairGeminiDefinitions : repairDefinitions,
      });
}
