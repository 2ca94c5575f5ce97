/**
 * Owns the rules of Responses, by OpenAI and by the backends that have this format. Evidence: S types or documentation, E error text of the
 * provider, L live probe, R report, M measured offline, ? not confirmed.
 */
import { lenient } from './lenient.ts';
import type { FormatRules } from './format-rules.ts';
import type { RuleOverrides } from './provider-rules.ts';

/** Every backend except OpenAI: calls last, results directly after them. L, R. */
const compatible: RuleOverrides = { results: 'items-adjacent', emptyTools: 'remove' };

/** Servers that parse the arguments in the transcript. E. */
const parsesArguments: RuleOverrides = { ...compatible, arguments: 'json-text' };

export const openaiResponsesRules: FormatRules = {
  format: 'openai-responses',
  provider: 'openai',
  rules: {
    ...lenient,
    // R, L: position-free; output before its call: ?
    results: 'items-behind',
    // S, E: 1 to 64. Pairing is by id alone, so one id is one call: E
    callId: { ...lenient.callId, maxLength: 64, uniqueIn: 'request' },
    // S; the pattern in the transcript: ?
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 128 },
    arguments: 'any-text',
  },
  backends: {
    openai: {
      // S, E: "Supported values are: 'input_text', 'input_image', …"
      contentTypes: ['input_text', 'input_image', 'input_file', 'input_audio'],
    },
    // L: strictly adjacent
    deepseek: compatible,
    mistral: compatible,
    kimi: compatible,
    // E: 'tool call result does not follow tool call (2013)'
    minimax: compatible,
    xai: compatible,
    groq: compatible,
    qwen: parsesArguments,
    vllm: parsesArguments,
    'llama-server': parsesArguments,
    ollama: parsesArguments,
    litellm: parsesArguments,
  },
  ofModel: (model) => ({ reasoningItems: /(?:^|[/.])(?:o\d|gpt-5|gpt-6|codex)/i.test(model) }),
};
