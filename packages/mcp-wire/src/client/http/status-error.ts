/**
 * Owns the errors for responses without an answer.
 */
import type { Era } from '../../era.ts';
import { type JsonObject, type RpcError, isJsonObject, rpcError, parseJsonOrUndefined } from '../../message.ts';
import { type WireError, wireError } from '../wire-error.ts';
import type { EndedResponse } from './exchange.ts';

/** Returns why a request has no answer, after its response has ended. */
export function unansweredError({ wasSent, status, isEventStream }: EndedResponse, error: Error | undefined): Error {
  // Nothing was sent: the network error is sufficient.
  if (error !== undefined && !wasSent) return error;
  if (error !== undefined && isOwn(error)) return error;
  const why = isEventStream ? 'The stream ended before the answer arrived' : `The connection was lost before the answer arrived`;
  if (error !== undefined) return wireError('ANSWER_LOST', why, { cause: error });
  if (isEventStream) return wireError('ANSWER_LOST', why);
  return wireError('INVALID_ANSWER', `The response (HTTP ${status}) contains no answer to the request`);
}

const isOwn = (error: Error): boolean => error.name === 'WireError';

export function statusError({ status, headers, body }: EndedResponse): WireError {
  const { 'set-cookie': _cookies, ...kept } = headers;
  const short = body.slice(0, 4096);
  return wireError('HTTP_STATUS', `HTTP ${status}${short === '' ? '' : `: ${short.slice(0, 200)}`}`, {
    status,
    headers: kept,
    body: short,
  });
}

/**
 * Returns the server's error in a response with an error status. Modern servers answer this way; legacy ones may, but their errors about a session
 * are about the connection, not about the request.
 */
export function errorIn({ status, body }: EndedResponse, era: Era, requestId: number): RpcError | undefined {
  if (status === 401 || status === 403 || status === 429 || status >= 500) return undefined;
  const message = jsonOf(body);
  const error = message?.['error'];
  if (!isJsonObject(error) || typeof error['code'] !== 'number') return undefined;
  const isOurs = era === 'modern' ? message?.['id'] === undefined || message['id'] === null : false;
  if (!isOurs && Number(message?.['id'] ?? Number.NaN) !== requestId) return undefined;
  if (era === 'legacy' && (status === 404 || /session/i.test(String(error['message'])))) return undefined;
  return rpcError(error['code'], String(error['message']), error['data']);
}

function jsonOf(body: string): JsonObject | undefined {
  const value = parseJsonOrUndefined(body);
  return isJsonObject(value) ? value : undefined;
}
