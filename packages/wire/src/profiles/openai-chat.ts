/**
 * Owns the rules of Chat Completions, by OpenAI and by the backends that have this format. Evidence: S types or documentation, E error text of the
 * provider, L live probe, R report, M measured offline, ? not confirmed.
 */
import { lenient } from './lenient.ts';
import type { FormatRules } from './format-rules.ts';
import type { RuleOverrides } from './provider-rules.ts';

/** Servers that parse the arguments in the transcript. E. */
const parsesArguments: RuleOverrides = { arguments: 'json-text' };

export const openaiChatRules: FormatRules = {
  format: 'openai-chat',
  provider: 'openai',
  rules: {
    ...lenient,
    // E: 'string too long. Expected a string with maximum length 40'
    callId: { ...lenient.callId, maxLength: 40 },
    // E, also for names in the transcript
    toolName: { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 64 },
    // E: array_above_max_length
    maxTools: 128,
    // R: the text of the arguments is not parsed
    arguments: 'any-text',
    // E elsewhere (DeepSeek); harmless to leave out
    emptyTools: 'remove',
  },
  backends: {
    openai: {
      // S, E
      contentTypes: ['text', 'image_url', 'input_audio', 'file'],
      // S, E: invalid_value
      callTypes: ['function', 'custom'],
      // E: "string does not match pattern", "messages with role 'function' must have a 'name'"
      messageName: { pattern: /^[^\s<|\\/>]+$/, inResults: /^[^\s<|\\/>]+$/, required: true },
    },
    // E: 'insufficient tool messages', `tools: []` rejected
    deepseek: {
      emptyTools: 'remove',
      // E: 'The `reasoning_content` in the thinking mode must be passed back'
      reasoningBack: 'since-user',
      // E: 'unknown variant `developer`'
      developerRole: false,
    },
    mistral: {
      // E, code 3280: 'must be a-z, A-Z, 0-9, with a length of 9'
      callId: { pattern: /^[a-zA-Z0-9]{9}$/, maxLength: 9, exactLength: 9 },
      // E: 'Function name was … but must be a-z, A-Z, 0-9', also in results
      messageName: { inResults: /^[a-zA-Z0-9_-]{1,64}$/ },
      // E, code 3230: "Unexpected role 'user' after role 'tool'"
      bridgeBehindResults: true,
      // E: 'Assistant message must have either content or tool_calls, but not none.'
      filledAnswers: true,
      // E, code 3230: 'Expected last role User or Tool (or Assistant with prefix True)'
      endsWithUser: true,
    },
    // E: the arguments in the transcript are parsed
    qwen: parsesArguments,
    // E: 'tool call id write:8 is duplicated'; R: its own ids must not be changed
    kimi: {
      // Its ids contain tool names, which may have 64 characters themselves
      callId: { uniqueIn: 'request', maxLength: Infinity },
      // E: 'must start with a letter'. Tools of its own start with a dollar sign: S
      toolName: { pattern: /^[a-zA-Z$][a-zA-Z0-9_-]*$/ },
      // E: 'must not be empty'
      filledAnswers: true,
      // E: 'thinking is enabled but reasoning_content is missing'
      reasoningBack: 'since-user',
    },
    // E: 'invalid function arguments json string', 'function parameters is empty'
    minimax: { arguments: 'json-text', schemaRequired: true },
    // E: 'Each message must have at least one content element'; '' next to calls works: R
    xai: { contentBesideCalls: true },
    // E: "'messages.1.content' : value must be a string", "property 'reasoning_content' is unsupported"
    groq: { textContents: true, unknownFields: ['reasoning_content'] },
    // E: arguments must be the JSON text of an object; '[]' as calls breaks templates
    vllm: parsesArguments,
    'llama-server': parsesArguments,
    // E: 'invalid message format'
    ollama: { ...parsesArguments, contentTypes: ['text', 'image_url'] },
    litellm: parsesArguments,
  },
};
