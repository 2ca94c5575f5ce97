/**
 * Owns the errors with which the framework reports a failure to the model: version 7 uses the error's text, version 6 its message.
 *
 * Invariant: a program sees the tool's own error wherever the model can read another text than its message.
 */
import type { ToolAnswer } from '@holdfast/core/agent';

/** Thrown by a wrapped tool whose call failed without an error of its own that could be thrown. `message` is the text for the model, `cause` the original error. */
export class ToolCallError extends Error {
  /** The error code of the result, such as `TIMEOUT` or `CIRCUIT_OPEN`. */
  readonly code: string;
  /** Not enumerable, so that telemetry that serializes errors as JSON does not include outputs. */
  declare readonly result: ToolAnswer['result'];

  constructor({ text, result }: ToolAnswer) {
    super(text, { cause: result.error?.cause });
    replaceMessage(this, text);
    this.code = result.error?.code ?? 'INTERNAL';
    Object.defineProperties(this, { name: { value: 'ToolCallError' }, result: { value: result } });
  }
}

/** Errors of tools that have the text of a call. One that is thrown again, by another call, cannot have two. */
const taken = new WeakSet<Error>();

/** The error to throw for a failed call. @param readsText whether the framework reads the text of an error for the model, and not its message */
export function failureOf(answer: ToolAnswer, readsText: boolean): Error {
  const { code, cause } = answer.result.error ?? {};
  const canBeOwn = readsText && code !== 'INVALID_ARGUMENTS' && code !== 'CANCELLED' && !taken.has(cause as Error);
  if (!canBeOwn || !replaceText(cause, answer.text)) return new ToolCallError(answer);
  taken.add(cause);
  return cause;
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
