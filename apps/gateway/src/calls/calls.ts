/**
 * Owns one `tools/call`: from what a client sent to what it gets.
 */
import type { FaceRequest, JsonObject } from '@holdfast/mcp-wire/server';

export interface Calls {
  /** Answers `tools/call`. Rejects with an `RpcError` for unknown tools and for protocol errors of servers, and with the signal's reason when cancelled. */
  handle(request: FaceRequest): Promise<JsonObject>;
  /** The result of `resources/read` for `holdfast://results/<id>`, with `?offset=0&limit=20000` a part of it; `undefined` for what is not (or no longer) there. */
  readSpilled(uri: string): Promise<JsonObject | undefined>;
  status(): CallsStatus;
  /** Cancels what waits for answers of clients; removes what was spilled to a folder of its own. */
  close(): Promise<void>;
}

interface CallsStatus {
  readonly running: number;
  /** Requests of legacy servers that wait for a client's answer. */
  readonly suspended: number;
  readonly spilledBytes: number;
}

/** Of every URI that `readSpilled` may know. */
export const spillPrefix = 'holdfast://results/';
