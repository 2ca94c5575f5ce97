/** Owns the error with which an adapter reports a call that did not succeed, where its framework sends the message of a thrown error to the model. */
import type { ToolAnswer } from '@holdfast/core/agent';

/** Thrown by a wrapped tool when its call did not succeed. `message` is the text for the model, `cause` the original error of the tool. */
export class ToolCallError extends Error {
  /** The error code of the result, such as `TIMEOUT` or `CIRCUIT_OPEN`. */
  declare readonly code: string;
  /** The result of the service. */
  declare readonly result: ToolAnswer['result'];

  constructor({ text, result }: ToolAnswer) {
    super(text, { cause: result.error?.cause });
    // Frameworks copy enumerable properties into streams, spans and storage.
    Object.defineProperties(this, {
      name: { value: 'ToolCallError' },
      code: { value: result.error?.code ?? 'INTERNAL' },
      result: { value: result },
    });
  }

  /** What is stored and traced: neither outputs nor the original error. */
  toJSON(): { readonly name: string; readonly message: string; readonly code: string } {
    const { name, message, code } = this;
    return { name, message, code };
  }
}
