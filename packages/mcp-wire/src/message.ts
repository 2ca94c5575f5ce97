/**
 * Owns the words of JSON-RPC as MCP speaks it: messages, errors, codes. Objects pass through as they came: what is not known here is not lost.
 */

export type JsonObject = Readonly<Record<string, unknown>>;
export type RequestId = string | number;

export interface RpcRequest {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcNotification {
  readonly jsonrpc: '2.0';
  readonly method: string;
  readonly params?: JsonObject;
}

export interface RpcErrorBody {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface RpcResult {
  readonly jsonrpc: '2.0';
  readonly id: RequestId;
  readonly result: JsonObject;
}

export interface RpcFailure {
  readonly jsonrpc: '2.0';
  /** `null` where the request could not be read. */
  readonly id: RequestId | null;
  readonly error: RpcErrorBody;
}

export type RpcMessage = RpcRequest | RpcNotification | RpcResult | RpcFailure;

/** Codes of JSON-RPC and of MCP. */
export const rpcCodes = {
  parseError: -32_700,
  invalidRequest: -32_600,
  methodNotFound: -32_601,
  invalidParams: -32_602,
  internalError: -32_603,
  /** Of HTTP servers up to 2025-11-25, for an unknown session. */
  sessionNotFound: -32_001,
  /** Up to 2025-11-25; since 2026-07-28 it is `invalidParams`. */
  resourceNotFound: -32_002,
  headerMismatch: -32_020,
  missingClientCapability: -32_021,
  unsupportedProtocolVersion: -32_022,
} as const;

const marker: unique symbol = Symbol.for('holdfast.rpc-error') as never;

/** An error that goes over the wire, or came over it, as it is. */
export interface RpcError extends Error {
  readonly [marker]: true;
  readonly code: number;
  readonly data?: unknown;
}

export function rpcError(code: number, message: string, data?: unknown): RpcError {
  const error = Object.assign(new Error(message), { code, [marker]: true as const, ...(data === undefined ? {} : { data }) });
  error.name = 'RpcError';
  return error;
}

export const isRpcError = (value: unknown): value is RpcError =>
  typeof value === 'object' && value !== null && (value as { readonly [marker]?: unknown })[marker] === true;

export const isJsonObject = (value: unknown): value is JsonObject => typeof value === 'object' && value !== null && !Array.isArray(value);
