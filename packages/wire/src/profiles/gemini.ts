/**
 * Owns the rules of Gemini. Evidence: S types or documentation, E error text of the
 * provider, L live probe, R report, M measured offline, ? not confirmed.
 */
import { lenient } from './lenient.ts';
import type { FormatRules } from './format-rules.ts';

export const geminiRules: FormatRules = {
  format: 'gemini',
  provider: 'gemini',
  rules: {
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
  backends: {},
  // E: 'Function call is missing a thought_signature'; 2.5 is lenient
  ofModel: (model) => ({ signatures: /gemini-(?:[3-9]|\d{2})/i.test(model) }),
};
