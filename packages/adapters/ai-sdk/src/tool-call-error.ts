/** Owns the errors by which the framework tells a failure to the model: version 7 takes the error's own text, version 6 its message. */
import type { ToolAnswer } from '@holdfast/core/agent';

/** What a wrapped tool throws when its call did not succeed. `message` is what the model reads, `cause` the live error of the tool. */
export class ToolCallError extends Error {
  /** As in the result: `TIMEOUT`, `CIRCUIT_OPEN`. */
  readonly code: string;
  /** Not enumerable: telemetry that writes errors as JSON must not stumble over outputs. */
  declare readonly result: ToolAnswer['result'];

  constructor({ text, result }: ToolAnswer) {
    super(text, { cause: result.error?.cause });
    replaceMessage(this, text);
    this.code = result.error?.code ?? 'INTERNAL';
    Object.defineProperties(this, { name: { value: 'ToolCallError' }, result: { value: result } });
  }
}

/** Has an error of the framework's say what the model should read. */
export function replaceMessage(error: Error, text: string): void {
  Object.defineProperties(error, { message: { value: text }, toString: { value: () => text, configurable: true } });
}
