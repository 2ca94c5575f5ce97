/**
 * Owns parsing a client's message: from text to one of a few shapes, without throwing.
 *
 * Invariants
 * 1. Parsed messages have been checked for shape only; their values are untrusted.
 * 2. Text nested deeper than the limit is refused before it is parsed.
 * 3. A request or batch with a name twice in one object is refused: `JSON.parse` would keep the last value, so that a tool is called with one of two arguments.
 */
import { repeatsName } from './repeats-name.ts';
import { isJsonObject, type JsonObject, type RequestId, rpcCodes, type RpcErrorBody } from '../message.ts';

export interface IncomingRequest {
  readonly kind: 'request';
  readonly id: RequestId;
  readonly method: string;
  readonly params: JsonObject;
}

interface IncomingNotification {
  readonly kind: 'notification';
  readonly method: string;
  readonly params: JsonObject;
}

export interface IncomingResponse {
  readonly kind: 'response';
  readonly id: RequestId;
  readonly result: JsonObject | undefined;
  readonly error: RpcErrorBody | undefined;
}

export interface IncomingFault {
  readonly kind: 'fault';
  readonly id: RequestId | null;
  readonly error: RpcErrorBody;
}

export type IncomingMessage = IncomingRequest | IncomingNotification | IncomingResponse | IncomingFault;
export type Incoming = IncomingMessage | { readonly kind: 'batch'; readonly items: readonly unknown[] };

const noParams: JsonObject = Object.freeze({});

export function parseMessage(text: string, depth: number): Incoming {
  if (isDeeper(text, depth)) return nestedDeeper(depth);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return notJson;
  }
  const incoming = messageOf(value);
  const isCall = incoming.kind === 'request' || incoming.kind === 'batch';
  return isCall && repeatsName(text, value) ? repeatedName(incoming) : incoming;
}

/** Of what `JSON.parse` returns. */
export const messageOf = (value: unknown): Incoming => (Array.isArray(value) ? { kind: 'batch', items: value } : checkMessage(value));

export const nestedDeeper = (depth: number): IncomingFault =>
  fault(rpcCodes.invalidRequest, `Invalid request: nested deeper than ${depth}`);

export const repeatedName = (incoming: Incoming): IncomingFault =>
  fault(rpcCodes.invalidRequest, 'Invalid request: an object has a name twice', incoming.kind === 'request' ? incoming.id : null);

export function checkMessage(value: unknown): IncomingMessage {
  if (!isJsonObject(value)) return fault(rpcCodes.invalidRequest, 'Invalid request: not an object');
  const { id, method } = value;
  const isIdentified = isRequestId(id);
  if (value['jsonrpc'] !== '2.0') return fault(rpcCodes.invalidRequest, 'Invalid request: jsonrpc is not "2.0"', isIdentified ? id : null);
  if (typeof method !== 'string')
    return isIdentified ? readResponse(id, value) : fault(rpcCodes.invalidRequest, 'Invalid request: no method');
  if (id !== undefined && !isIdentified) return fault(rpcCodes.invalidRequest, 'Invalid request: the id must be a string or an integer');
  const params = value['params'];
  if (params !== undefined && !isJsonObject(params))
    return fault(rpcCodes.invalidRequest, 'Invalid request: params is not an object', isIdentified ? id : null);
  return isIdentified
    ? { kind: 'request', id, method, params: params ?? noParams }
    : { kind: 'notification', method, params: params ?? noParams };
}

function readResponse(id: RequestId, value: JsonObject): IncomingMessage {
  const { result, error } = value;
  if (isJsonObject(error) && Number.isSafeInteger(error['code']) && typeof error['message'] === 'string') {
    const body = {
      code: error['code'] as number,
      message: error['message'],
      ...(error['data'] === undefined ? {} : { data: error['data'] }),
    };
    return { kind: 'response', id, result: undefined, error: body };
  }
  if (isJsonObject(result)) return { kind: 'response', id, result, error: undefined };
  return fault(rpcCodes.invalidRequest, 'Invalid request: no method, result or error', id);
}

export function fault(code: number, message: string, id: RequestId | null = null): IncomingFault {
  return { kind: 'fault', id, error: { code, message } };
}

export const isRequestId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value);

export const notJson: IncomingFault = fault(rpcCodes.parseError, 'Parse error: not JSON');

/** Whether arrays and objects are nested deeper than the limit; brackets in strings do not count. */
function isDeeper(text: string, limit: number): boolean {
  if (text.length <= limit * 2) return false;
  let depth = 0;
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (isQuoted) {
      if (code === 0x5c) index++;
      else if (code === 0x22) isQuoted = false;
    } else if (code === 0x22) isQuoted = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > limit) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
