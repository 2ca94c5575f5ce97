/** Owns the rules of all formats. */
import { checkRule, suggest } from '@holdfast/core/internal/plain';
import { formats, type Format } from '../transcript.ts';
import { aiSdkRules, aiSdkUiRules } from './ai-sdk.ts';
import { anthropicMessagesRules } from './anthropic-messages.ts';
import { bedrockConverseRules } from './bedrock-converse.ts';
import type { FormatRules } from './format-rules.ts';
import { geminiRules } from './gemini.ts';
import { openaiChatRules } from './openai-chat.ts';
import { openaiResponsesRules } from './openai-responses.ts';
import type { ProviderRules } from './provider-rules.ts';
import { rulesOf } from './rules-of.ts';

const formatRules: Readonly<Record<Format, FormatRules>> = {
  'openai-chat': openaiChatRules,
  'openai-responses': openaiResponsesRules,
  'anthropic-messages': anthropicMessagesRules,
  gemini: geminiRules,
  'bedrock-converse': bedrockConverseRules,
  'ai-sdk': aiSdkRules,
  'ai-sdk-ui': aiSdkUiRules,
};

/**
 * Returns the rules of a format, overridden by those of the backend and the model. An unknown profile gets the rules of the format's own provider.
 */
export function rulesFor(format: Format, profile: string | undefined, model: string): ProviderRules {
  checkRule(formats, format, 'providerRules: format', suggest);
  for (const [name, value] of Object.entries({ profile: profile ?? '', model })) checkRule('string', value, `providerRules: ${name}`);
  return rulesOf(formatRules[format], profile, model);
}
