/** Owns what the finish reasons of all formats mean, for complete answers and for streams. */

/**
 * How an answer ended. `fault`: the provider reported output of the model that it could not parse. `unknown`: with a reason of unknown meaning.
 * `none`: without a reason, so that it may be incomplete.
 */
export type Finish = 'stop' | 'calls' | 'cut-off' | 'filtered' | 'fault' | 'paused' | 'unknown' | 'none';

/** How a stream ended. `cut-off`: no end event, or a limit was reached; `fault`: the model or the provider failed. */
export type Ending = 'complete' | 'cut-off' | 'fault';

const finishes: ReadonlyMap<string, Finish> = new Map<string, Finish>([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['completed', 'stop'],
  ['finish_reason_stop', 'stop'],
  ['tool_calls', 'calls'],
  ['tool-calls', 'calls'],
  ['function_call', 'calls'],
  ['tool_use', 'calls'],
  ['length', 'cut-off'],
  ['max_tokens', 'cut-off'],
  ['max_output_tokens', 'cut-off'],
  ['model_context_window_exceeded', 'cut-off'],
  ['model_length', 'cut-off'],
  ['insufficient_system_resource', 'cut-off'],
  ['incomplete', 'cut-off'],
  ['in_progress', 'cut-off'],
  ['queued', 'cut-off'],
  ['cancelled', 'cut-off'],
  ['content_filter', 'filtered'],
  ['content-filter', 'filtered'],
  ['content_filtered', 'filtered'],
  ['guardrail_intervened', 'filtered'],
  ['refusal', 'filtered'],
  ['safety', 'filtered'],
  ['image_safety', 'filtered'],
  ['prohibited_content', 'filtered'],
  ['recitation', 'filtered'],
  ['blocklist', 'filtered'],
  ['spii', 'filtered'],
  ['sensitive', 'filtered'],
  ['pause_turn', 'paused'],
  ['malformed_function_call', 'fault'],
  ['unexpected_tool_call', 'fault'],
  ['too_many_tool_calls', 'fault'],
  ['malformed_tool_use', 'fault'],
  ['malformed_model_output', 'fault'],
  ['error', 'fault'],
  ['failed', 'fault'],
  ['network_error', 'fault'],
  // Written for an answer without a reason.
  ['', 'none'],
  ['unknown', 'none'],
  ['finish_reason_unspecified', 'none'],
]);

/** Words in the reasons of other servers, such as `abort`, `USER_CANCEL` and `max_new_tokens`. */
const finishWords: readonly (readonly [RegExp, Finish])[] = [
  [/error|fail|fault|malformed|invalid|overload|exception/, 'fault'],
  [/filter|safety|moderat|blocked|refus|toxic|polic(?:y|ies)/, 'filtered'],
  [/abort|cancel|limit|length|max|exceed|time_?out|interrupt|incomplete|truncat|partial|disconnect|pending|progress/, 'cut-off'],
];

/** @param format Gemini has one reason for complete answers; any other one is no end. */
export function finishOf(reason: string | undefined, format: string): Finish {
  const word = (reason ?? '').trim().toLowerCase();
  const known = finishes.get(word) ?? finishWords.find(([pattern]) => pattern.test(word))?.[1];
  return known ?? (format === 'gemini' ? 'cut-off' : 'unknown');
}

/** Whether the calls of an answer that ended in this way may be complete. A reason of unknown meaning is an end. */
export const isComplete = (finish: Finish): boolean => endings[finish] === 'complete';

export const endingOf = (reason: string | undefined, format: string): Ending => endings[finishOf(reason, format)];

/** The reason of an answer that has sent several: a later one does not complete an answer that was cut off. */
export const laterReason = (previous: string | undefined, next: unknown, format: string): string | undefined =>
  typeof next === 'string' && next !== '' && (previous === undefined || endingOf(previous, format) === 'complete') ? next : previous;

const endings: Readonly<Record<Finish, Ending>> = {
  stop: 'complete',
  calls: 'complete',
  paused: 'complete',
  unknown: 'complete',
  'cut-off': 'cut-off',
  filtered: 'cut-off',
  none: 'cut-off',
  fault: 'fault',
};
