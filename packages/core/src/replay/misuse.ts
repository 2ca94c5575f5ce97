/**
 * Owns how replay refuses what it is given. Does not own what is refused (`event-fields.ts`, `recorded-settings.ts`, `recording.ts`).
 *
 * Invariant: whatever goes wrong leaves replay as a `TypeError` that begins with `replay: ` and names the place, the value and the fix.
 */
import { describeError } from '../engine/classify/describe-error.ts';

const opening = 'replay: ';

/** `sentence` ends with its fix and a full stop. */
export function refuse(sentence: string, cause?: unknown): never {
  throw new TypeError(`${opening}${sentence}`, cause === undefined ? {} : { cause });
}

/** `place`: such as `events[3].attempt`. */
export function refuseValue(place: string, mustBe: string, value: unknown, hint: string = asRecorded): never {
  refuse(`${place} must be ${mustBe}, got ${show(value)}. ${hint}`);
}

export const asRecorded = 'Pass the events of one turn as they were recorded.';

/** Runs `task`; what it throws becomes a refusal, unless it is one: `sentenceFor` says it. */
export function refusing<T>(task: () => T, sentenceFor: (problem: string) => string): T {
  try {
    return task();
  } catch (error) {
    const { message } = describeError(error);
    if (message.startsWith(opening)) throw error;
    return refuse(sentenceFor(message.replace(/\.$/u, '')), error);
  }
}

const longestShown = 60;

/** A value, short enough for a sentence. */
export function show(value: unknown): string {
  if (typeof value === 'string') return `'${value.length > longestShown ? `${value.slice(0, longestShown)}…` : value}'`;
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  return typeof value === 'function' ? 'a function' : String(value);
}
