/** Owns what a running request needs of its transport. */
import type { JsonObject } from '../message.ts';

export type Answer = { readonly result: JsonObject } | { readonly error: unknown };

/** Where the words of one request go. */
export interface ResponseSink {
  /** Lost where the client does not read, or cannot be told before the answer. */
  send(text: string): void;
  /** The answer, or `undefined` where none is to be given: the request was cancelled. */
  end(answer: Answer | undefined): void;
  /** Asks the client. Absent where an era or a stream does not allow it. */
  ask?(method: string, params: JsonObject, signals: readonly AbortSignal[]): Promise<JsonObject>;
  /** Called now and then while the request runs. */
  tick?(nowMs: number): void;
}
