/**
 * Owns the rules of Anthropic's Messages, also by the backends that have this format. Evidence: S types or documentation, E error text of the
 * provider, L live probe, R report, M measured offline, ? not confirmed.
 */
import { claudeSince } from './claude-version.ts';
import { lenient } from './lenient.ts';
import type { FormatRules } from './format-rules.ts';

export const anthropicMessagesRules: FormatRules = {
  format: 'anthropic-messages',
  provider: 'anthropic',
  rules: {
    ...lenient,
    // E, S: first blocks of the next user message; same-role neighbours are merged
    results: 'next-turn',
    // E: '`tool_use` ids must be unique', in the whole request
    callId: { ...lenient.callId, pattern: /^[a-zA-Z0-9_-]+$/, uniqueIn: 'request' },
    // E for definitions, ? for the transcript
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
    // E: 'text content blocks must be non-empty', '… must contain non-whitespace text'
    filledTexts: true,
    // E: 'input_schema does not support oneOf, allOf, or anyOf at the top level'
    plainSchemaRoot: true,
    // E: 'input_schema: Field required'
    schemaRequired: true,
  },
  backends: {
    // E: 'thinking.signature: Field required'
    anthropic: { thinkingSigned: true },
    // E: 'The `content[].thinking` in the thinking mode must be passed back'
    deepseek: { thinkingEachStep: true },
  },
  // E: 'This model does not support assistant message prefill'. Older models think only once per turn: S
  ofModel: (model) => (claudeSince(model, 4.06) ? { endsWithUser: true, thinkingEachStep: true } : {}),
};
