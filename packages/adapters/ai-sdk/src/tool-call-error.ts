/** Owns the errors with which the framework reports a failure to the model: version 7 uses the error's text, version 6 its message. */
import type { ToolAnswer } from '@holdfast/core/agent';

/** Thrown by a wrapped tool when its call did not succeed. `message` is the text for the model, `cause` the original error of the tool. */
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

/** Replaces the message of a framework error by the text for the model. */
export function replaceMessage(error: Error, text: string): void {
  Object.defineProperties(error, { message: { value: text }, toString: { value: () => text, configurable: true } });
}
