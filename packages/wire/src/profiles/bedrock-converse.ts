/**
 * Owns the rules of Bedrock Converse. Evidence: S types or documentation, E error text of the
 * provider, L live probe, R report, M measured offline, ? not confirmed.
 */
import { claudeSince } from './claude-version.ts';
import { lenient } from './lenient.ts';
import type { FormatRules } from './format-rules.ts';

export const bedrockConverseRules: FormatRules = {
  format: 'bedrock-converse',
  provider: 'bedrock',
  rules: {
    ...lenient,
    // E
    results: 'next-turn',
    // S: 1 to 64; E: unique in the turn
    callId: { ...lenient.callId, pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
    // E, also for names in the transcript
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
    // E: 'The text field in the ContentBlock object … is blank'
    filledTexts: true,
    // L: 'A conversation must start with a user message'
    startsWithUser: true,
    // E: 'The toolConfig field must be defined when using toolUse and toolResult content blocks'
    toolsForHistory: true,
    // S
    schemaRequired: true,
  },
  backends: {},
  ofModel: (model) => ({
    // L: not for Anthropic and Qwen models
    startsWithUser: !/anthropic|claude|qwen/i.test(model),
    // E: 'Conversation blocks and tool result blocks cannot be provided in the same turn'
    besideResults: /meta\.|llama|mistral|mixtral|writer|palmyra/i.test(model)
      ? 'nothing'
      : /anthropic|claude/i.test(model)
        ? 'texts-and-images'
        : 'anything',
    // E, Writer: "This model doesn't support the status field"
    statusField: !/writer|palmyra/i.test(model),
    // E: prefill is refused by newer Claude models
    endsWithUser: claudeSince(model, 4.06),
  }),
};
