/**
 * Owns the rules backends add to those of their format.
 * Evidence as in `formats.ts`.
 */
import type { Format } from '../transcript.ts';
import type { ProviderProfile } from './profile-names.ts';
import type { RuleOverrides } from './provider-rules.ts';

/** The default profile of each format. */
export const profileOfFormat: Readonly<Record<Format, ProviderProfile>> = {
  'openai-chat': 'openai',
  'openai-responses': 'openai',
  'anthropic-messages': 'anthropic',
  gemini: 'gemini',
  'bedrock-converse': 'bedrock',
  'ai-sdk': 'ai-sdk',
  'ai-sdk-ui': 'ai-sdk',
};

/** Every Responses backend except OpenAI: calls last, results directly after them. L, R. */
const compatibleResponses: RuleOverrides = { results: 'items-adjacent', emptyTools: 'remove' };

/** Servers that parse the arguments in the transcript. E. */
const parsesArguments: Readonly<Partial<Record<Format, RuleOverrides>>> = {
  'openai-chat': { arguments: 'json-text' },
  'openai-responses': { ...compatibleResponses, arguments: 'json-text' },
};

export const backendRules: Readonly<Record<ProviderProfile, Readonly<Partial<Record<Format, RuleOverrides>>>>> = {
  openai: {
    'openai-chat': {
      // S, E
      contentTypes: ['text', 'image_url', 'input_audio', 'file'],
      // S, E: invalid_value
      callTypes: ['function', 'custom'],
      // E: "string does not match pattern", "messages with role 'function' must have a 'name'"
      messageName: { pattern: /^[^\s<|\\/>]+$/, inResults: /^[^\s<|\\/>]+$/, required: true },
    },
    'openai-responses': {
      // S, E: "Supported values are: 'input_text', 'input_image', …"
      contentTypes: ['input_text', 'input_image', 'input_file', 'input_audio'],
    },
  },
  // E: 'thinking.signature: Field required'
  anthropic: { 'anthropic-messages': { thinkingSigned: true } },
  gemini: {},
  bedrock: {},
  'ai-sdk': {},
  // E: 'insufficient tool messages', `tools: []` rejected; Responses: L, strictly adjacent
  deepseek: {
    'openai-chat': {
      emptyTools: 'remove',
      // E: 'The `reasoning_content` in the thinking mode must be passed back'
      reasoningBack: 'since-user',
      // E: 'unknown variant `developer`'
      developerRole: false,
    },
    'openai-responses': compatibleResponses,
    // E: 'The `content[].thinking` in the thinking mode must be passed back'
    'anthropic-messages': { thinkingEachStep: true },
  },
  mistral: {
    'openai-chat': {
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
    'openai-responses': compatibleResponses,
  },
  // E: the arguments in the transcript are parsed
  qwen: parsesArguments,
  // E: 'tool call id write:8 is duplicated'; R: its own ids must not be changed
  kimi: {
    'openai-chat': {
      // Its ids contain tool names, which may have 64 characters themselves
      callId: { uniqueIn: 'request', maxLength: Infinity },
      // E: 'must start with a letter'. Tools of its own start with a dollar sign: S
      toolName: { pattern: /^[a-zA-Z$][a-zA-Z0-9_-]*$/ },
      // E: 'must not be empty'
      filledAnswers: true,
      // E: 'thinking is enabled but reasoning_content is missing'
      reasoningBack: 'since-user',
    },
    'openai-responses': compatibleResponses,
  },
  // E: 'tool call result does not follow tool call (2013)', 'invalid function arguments json string'
  minimax: {
    // E: 'function parameters is empty'
    'openai-chat': { arguments: 'json-text', schemaRequired: true },
    'openai-responses': compatibleResponses,
  },
  // E: 'Each message must have at least one content element'; '' next to calls works: R
  xai: {
    'openai-chat': { contentBesideCalls: true },
    'openai-responses': compatibleResponses,
  },
  // E: "'messages.1.content' : value must be a string"
  groq: {
    // E: "property 'reasoning_content' is unsupported"
    'openai-chat': { textContents: true, unknownFields: ['reasoning_content'] },
    'openai-responses': compatibleResponses,
  },
  // E: arguments must be the JSON text of an object; '[]' as calls breaks templates
  vllm: parsesArguments,
  'llama-server': parsesArguments,
  // E: 'invalid message format'
  ollama: { ...parsesArguments, 'openai-chat': { ...parsesArguments['openai-chat'], contentTypes: ['text', 'image_url'] } },
  litellm: parsesArguments,
};
