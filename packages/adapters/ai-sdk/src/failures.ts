/**
 * Owns the errors with which the framework reports a failure to the model: version 7 uses the error's text, version 6 its message.
 *
 * Invariant: a program sees the tool's own error wherever the model can read another text than its message.
 */
import { ToolCallError } from '@holdfast/adapter-kit';
import type { ToolAnswer } from '@holdfast/core/agent';

/** Errors of tools that have the text of a call. One that is thrown again, by another call, cannot have two. */
const taken = new WeakSet<Error>();

/** The error to throw for a failed call. @param readsText whether the framework reads the text of an error for the model, and not its message */
export function failureOf(answer: ToolAnswer, readsText: boolean): Error {
  const { code, cause } = answer.result.error ?? {};
  const canBeOwn = readsText && code !== 'INVALID_ARGUMENTS' && code !== 'CANCELLED' && !taken.has(cause as Error);
  if (canBeOwn && replaceText(cause, answer.text)) {
    taken.add(cause);
    return cause;
  }
  const error = new ToolCallError(answer);
  replaceText(error, answer.text);
  return error;
}

/** Replaces the message of a framework error by the text for the model. */
export function replaceMessage(error: Error, text: string): void {
  Object.defineProperty(error, 'message', { value: text });
  replaceText(error, text);
}

/** Whether the text could be replaced: an error may be frozen, or anything. */
function replaceText(error: unknown, text: string): error is Error {
  try {
    return error instanceof Error && Reflect.defineProperty(error, 'toString', { value: () => text, configurable: true, writable: true });
  } catch {
    return false;
  }
}
