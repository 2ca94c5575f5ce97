/**
 * Owns the interface of one `tools/call`, from request to result.
 */
import type { ClientRequest, JsonObject } from '@holdfast/mcp-wire/server';

export interface Calls {
  /** Answers `tools/call`. Rejects with an `RpcError` for unknown tools and for protocol errors of servers, and with the signal's reason when cancelled. */
  handle(request: ClientRequest): Promise<JsonObject>;
  /** Returns the result of `resources/read` for `holdfast://results/<id>`, or a part of it with `?offset=0&limit=20000`; `undefined` if it is not (or no longer) kept for this owner. */
  readSpilled(uri: string, owner: string | undefined): Promise<JsonObject | undefined>;
  status(): CallsStatus;
  /** Cancels requests that wait for answers of clients; removes spilled results from a temporary folder. */
  close(): Promise<void>;
}

interface CallsStatus {
  readonly running: number;
  /** Requests of legacy servers that wait for a client's answer. */
  readonly suspended: number;
  readonly spilledBytes: number;
}

/** Prefix of the URIs that `readSpilled` accepts. */
export const spillPrefix = 'holdfast://results/';
