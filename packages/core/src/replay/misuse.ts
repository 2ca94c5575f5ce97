/**
 * Owns the errors of replay for invalid input. Does not own the checks (`event-fields.ts`, `recorded-settings.ts`, `recording.ts`).
 *
 * Invariant: every error is a `TypeError` that begins with `replay: ` and names the place, the value and the fix.
 */
import { describeError } from '../engine/classify/describe-error.ts';
import { show } from '../engine/settings/check.ts';

const prefix = 'replay: ';

/** @param sentence ends with the fix and a full stop */
export function refuse(sentence: string, cause?: unknown): never {
  throw new TypeError(`${prefix}${sentence}`, cause === undefined ? {} : { cause });
}

/** @param place such as `events[3].attempt` */
export function refuseValue(place: string, mustBe: string, value: unknown, hint: string = asRecorded): never {
  refuse(`${place} must be ${mustBe}, got ${show(value)}. ${hint}`);
}

export const asRecorded = 'Pass the events of one turn as they were recorded.';

/** Runs a task. Any other error that it throws is rethrown as an error of replay with the sentence of `sentenceFor`. */
export function withReplayErrors<T>(task: () => T, sentenceFor: (problem: string) => string): T {
  try {
    return task();
  } catch (error) {
    const { message } = describeError(error);
    if (message.startsWith(prefix)) throw error;
    return refuse(sentenceFor(message.replace(/\.$/u, '')), error);
  }
}
