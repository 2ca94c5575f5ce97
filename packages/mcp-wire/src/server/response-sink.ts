/** Owns the interface between a running request and its transport. */
import type { JsonObject } from '../message.ts';

export type Answer = { readonly result: JsonObject } | { readonly error: unknown };

/** Receives the messages of one request. */
export interface ResponseSink {
  /** Sends a message before the answer; dropped if the client does not read or accepts the answer only. */
  send(text: string): void;
  /** Sends the answer, or `undefined` if the request was cancelled and gets none. */
  end(answer: Answer | undefined): void;
  /** Sends a request to the client. Absent if the era or the stream does not allow it. */
  ask?(method: string, params: JsonObject, signals: readonly AbortSignal[]): Promise<JsonObject>;
  /** Called periodically while the request runs. */
  tick?(nowMs: number): void;
}
