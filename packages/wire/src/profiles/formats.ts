/**
 * Owns the rules of each format as applied by its original provider. Evidence: S types or documentation, E error text of the provider,
 * L live probe, R report, M measured offline, ? not confirmed.
 */
import type { Format } from '../transcript.ts';
import type { ProviderRules } from './provider-rules.ts';

const wordPattern = /^[a-zA-Z0-9_-]+$/;

const lenient: ProviderRules = {
  results: 'own-messages',
  callId: { pattern: undefined, maxLength: Infinity, exactLength: undefined, uniqueIn: 'turn', required: true },
  toolName: { pattern: undefined, maxLength: Infinity },
  maxTools: Infinity,
  arguments: 'object',
  emptyTools: 'keep',
  filledTexts: false,
  contentBesideCalls: false,
  filledAnswers: false,
  unknownFields: [],
  developerRole: true,
  messageName: { pattern: undefined, inResults: undefined, required: false },
  contentTypes: undefined,
  callTypes: undefined,
  textContents: false,
  startsWithUser: false,
  endsWithUser: false,
  bridgeBehindResults: false,
  besideResults: 'anything',
  statusField: true,
  toolsForHistory: false,
  signatures: false,
  thinkingEachStep: false,
  thinkingSigned: false,
  thinksUnasked: false,
  reasoningBack: 'none',
  reasoningItems: false,
  plainSchemaRoot: false,
  schemaRequired: false,
};

export const formatRules: Readonly<Record<Format, ProviderRules>> = {
  'openai-chat': {
    ...lenient,
    // E: 'string too long. Expected a string with maximum length 40'
    callId: { ...lenient.callId, maxLength: 40 },
    // E, also for names in the transcript
    toolName: { pattern: wordPattern, maxLength: 64 },
    // E: array_above_max_length
    maxTools: 128,
    // R: the text of the arguments is not parsed
    arguments: 'any-text',
    // E elsewhere (DeepSeek); harmless to leave out
    emptyTools: 'remove',
  },
  'openai-responses': {
    ...lenient,
    // R, L: position-free; output before its call: ?
    results: 'items-behind',
    // S, E: 1 to 64. Pairing is by id alone, so one id is one call: E
    callId: { ...lenient.callId, maxLength: 64, uniqueIn: 'request' },
    // S; the pattern in the transcript: ?
    toolName: { pattern: wordPattern, maxLength: 128 },
    arguments: 'any-text',
  },
  'anthropic-messages': {
    ...lenient,
    // E, S: first blocks of the next user message; same-role neighbours are merged
    results: 'next-turn',
    // E: '`tool_use` ids must be unique', in the whole request
    callId: { ...lenient.callId, pattern: wordPattern, uniqueIn: 'request' },
    // E for definitions, ? for the transcript
    toolName: { pattern: wordPattern, maxLength: 128 },
    // E: 'text content blocks must be non-empty', '… must contain non-whitespace text'
    filledTexts: true,
    // E: 'input_schema does not support oneOf, allOf, or anyOf at the top level'
    plainSchemaRoot: true,
    // E: 'input_schema: Field required'
    schemaRequired: true,
  },
  gemini: {
    ...lenient,
    // E: equal count, in one content, directly after the calls
    results: 'next-message',
    // S: optional
    callId: { ...lenient.callId, required: false },
    // S says 128, E says 64
    toolName: { pattern: /^[A-Za-z_][A-Za-z0-9_.:-]*$/, maxLength: 64 },
    // E: 'At most 512 function declarations'
    maxTools: 512,
    // R
    startsWithUser: true,
    endsWithUser: true,
  },
  'bedrock-converse': {
    ...lenient,
    // E
    results: 'next-turn',
    // S: 1 to 64; E: unique in the turn
    callId: { ...lenient.callId, pattern: wordPattern, maxLength: 64 },
    // E, also for names in the transcript
    toolName: { pattern: wordPattern, maxLength: 64 },
    // E: 'The text field in the ContentBlock object … is blank'
    filledTexts: true,
    // L: 'A conversation must start with a user message'
    startsWithUser: true,
    // E: 'The toolConfig field must be defined when using toolUse and toolResult content blocks'
    toolsForHistory: true,
    // S
    schemaRequired: true,
  },
  // M: the library itself only checks for missing results; other errors surface at the provider behind it
  'ai-sdk': { ...lenient },
  'ai-sdk-ui': { ...lenient },
};
