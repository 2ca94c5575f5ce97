/** The finish reasons of each format. */
import type { NeutralRequest } from '../neutral/neutral-request.ts';

const words: Readonly<Record<NeutralRequest['format'], Readonly<Record<string, string>>>> = {
  'openai-chat': { calls: 'tool_calls', context_window: 'length', malformed_call: 'stop' },
  'openai-responses': { length: 'max_output_tokens', context_window: 'max_output_tokens' },
  'anthropic-messages': {
    stop: 'end_turn',
    calls: 'tool_use',
    length: 'max_tokens',
    content_filter: 'refusal',
    context_window: 'model_context_window_exceeded',
    malformed_call: 'end_turn',
  },
  gemini: {
    stop: 'STOP',
    // This format has no finish reason for tool calls.
    calls: 'STOP',
    length: 'MAX_TOKENS',
    content_filter: 'SAFETY',
    context_window: 'MAX_TOKENS',
    malformed_call: 'MALFORMED_FUNCTION_CALL',
  },
  'bedrock-converse': {
    stop: 'end_turn',
    calls: 'tool_use',
    length: 'max_tokens',
    content_filter: 'content_filtered',
    context_window: 'model_context_window_exceeded',
    malformed_call: 'malformed_tool_use',
  },
};

export const finishWord = (format: NeutralRequest['format'], finish: string): string => words[format][finish] ?? finish;
