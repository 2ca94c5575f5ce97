/**
 * Owns the errors of this side: an `Error` with a string as `code`, to distinguish it from an error of the server, whose code is a number.
 */

/** Why a request failed without an error of the server. */
export type WireErrorCode =
  /** Nothing was sent: the connection had ended. */
  | 'NOT_CONNECTED'
  /** The connection ended during the request. */
  | 'CONNECTION_CLOSED'
  /** The request was sent, and the stream or connection for its answer ended without it. */
  | 'ANSWER_LOST'
  | 'INVALID_ANSWER'
  | 'MESSAGE_TOO_LARGE'
  /** With `status`, `headers` and `body`. */
  | 'HTTP_STATUS'
  | 'HANDSHAKE_TIMEOUT'
  | 'UNSUPPORTED_VERSION';

/** An error made by this side, not by the server. Its `code` is a string; the code of an `RpcError` is a number. */
export interface WireError extends Error {
  /** Why the request failed. */
  readonly code: WireErrorCode;
  /** HTTP status of `HTTP_STATUS`. */
  readonly status?: number;
  /** Response headers of `HTTP_STATUS`. */
  readonly headers?: Readonly<Record<string, string | string[] | undefined>>;
  /** Response body of `HTTP_STATUS`. */
  readonly body?: string;
}

export function wireError(code: WireErrorCode, message: string, evidence: Omit<Partial<WireError>, 'code' | 'message'> = {}): WireError {
  const { cause, ...fields } = evidence;
  const error = cause === undefined ? new Error(message) : new Error(message, { cause });
  error.name = 'WireError';
  return Object.assign(error, { code, ...fields });
}

export function tooLarge(maxMessageBytes: number): WireError {
  return wireError('MESSAGE_TOO_LARGE', `a message was longer than ${maxMessageBytes} bytes`);
}
