/**
 * Owns the types of JSON-RPC in MCP: messages, errors, codes. Objects are passed on unchanged, including unknown fields.
 */

/** A JSON object. Unknown fields are passed through. */
export type JsonObject = Readonly<Record<string, unknown>>;
/** Id of a JSON-RPC request. */
export type RequestId = string | number;

/** A JSON-RPC request. */
export interface RpcRequest {
  /** Version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** The answer has the same id. */
  readonly id: RequestId;
  /** MCP method, such as `tools/call`. */
  readonly method: string;
  /** Parameters of the method. */
  readonly params?: JsonObject;
}

/** A JSON-RPC notification: a message without an answer. */
export interface RpcNotification {
  /** Version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** MCP method, such as `notifications/progress`. */
  readonly method: string;
  /** Parameters of the method. */
  readonly params?: JsonObject;
}

/** The `error` of a JSON-RPC answer. */
export interface RpcErrorBody {
  /** Number that identifies the error, such as one of `rpcCodes`. */
  readonly code: number;
  /** What went wrong, in one sentence. */
  readonly message: string;
  /** Details, as the code defines them. */
  readonly data?: unknown;
}

/** A JSON-RPC answer to a request that succeeded. */
export interface RpcResult {
  /** Version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** Id of the request. */
  readonly id: RequestId;
  /** Result, as the method defines it. */
  readonly result: JsonObject;
}

/** A JSON-RPC answer to a request that failed. */
export interface RpcFailure {
  /** Version of JSON-RPC. */
  readonly jsonrpc: '2.0';
  /** `null` if the request could not be read. */
  readonly id: RequestId | null;
  /** Why the request failed. */
  readonly error: RpcErrorBody;
}

/** Any JSON-RPC message. */
export type RpcMessage = RpcRequest | RpcNotification | RpcResult | RpcFailure;

/** Codes of JSON-RPC and of MCP. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Used by HTTP servers up to 2025-11-25 for an unknown session. */
  sessionNotFound: -32_001,
  /** Up to 2025-11-25; since 2026-07-28 it is `invalidParams`. */
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  missingClientCapability: -32_021,
  unsupportedProtocolVersion: -32_022,
} as const;

const marker: unique symbol = Symbol.for('holdfast.rpc-error') as never;

/** An error that is sent or received over the wire. */
export interface RpcError extends Error {
  /** Identifies the error across copies of this package; see `isRpcError`. */
  readonly [marker]: true;
  /** Number that identifies the error, such as one of `rpcCodes`. */
  readonly code: number;
  /** Details, as the code defines them. */
  readonly data?: unknown;
}

/** Creates an error that is sent to the other side unchanged. */
export function rpcError(code: number, message: string, data?: unknown): RpcError {
  const error = Object.assign(new Error(message), { code, [marker]: true as const, ...(data === undefined ? {} : { data }) });
  error.name = 'RpcError';
  return error;
}

/** Returns whether a value is an error created by `rpcError`, also by another copy of this package. */
export const isRpcError = (value: unknown): value is RpcError =>
  typeof value === 'object' && value !== null && (value as { readonly [marker]?: unknown })[marker] === true;

/** Returns the value of a JSON text; undefined for any other text. */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** Returns whether a value is an object, but neither `null` nor an array. */
export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
