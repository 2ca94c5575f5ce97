/**
 * Owns the rules of the AI SDK. Evidence: S types or documentation, E error text of the
 * provider, L live probe, R report, M measured offline, ? not confirmed.
 */
import { lenient } from './lenient.ts';
import type { FormatRules } from './format-rules.ts';

/** M: the library itself only checks for missing results; other errors surface at the provider behind it. */
export const aiSdkRules: FormatRules = { format: 'ai-sdk', provider: 'ai-sdk', rules: lenient, backends: {} };

export const aiSdkUiRules: FormatRules = { ...aiSdkRules, format: 'ai-sdk-ui' };
