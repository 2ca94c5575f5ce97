/** Owns serializing the messages of a transport. */
import { isRpcError, type JsonObject, type RequestId, rpcCodes, type RpcErrorBody } from '../message.ts';
import type { Answer } from './response-sink.ts';

export const resultText = (id: RequestId, result: JsonObject): string =>
  `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${JSON.stringify(result)}}`;

/** The answer to an unreadable message has no id, since the protocol's schemas do not allow `null`. Data that cannot be serialized is left out. */
export function errorText(id: RequestId | null, error: RpcErrorBody): string {
  const head = `{"jsonrpc":"2.0",${id === null ? '' : `"id":${JSON.stringify(id)},`}"error":`;
  try {
    return `${head}${JSON.stringify(error)}}`;
  } catch {
    return `${head}${JSON.stringify({ code: error.code, message: error.message })}}`;
  }
}

export const notificationText = (method: string, params: JsonObject): string => JSON.stringify({ jsonrpc: '2.0', method, params });

export const requestText = (id: RequestId, method: string, params: JsonObject): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

/** The error body sent to a client: an `RpcError` unchanged, any other error without details. */
export function errorBody(error: unknown, onFault: (error: unknown) => void): RpcErrorBody {
  if (isRpcError(error)) return { code: error.code, message: error.message, ...(error.data === undefined ? {} : { data: error.data }) };
  onFault(error);
  return { code: rpcCodes.internalError, message: 'Internal error' };
}

/** A result that cannot be serialized is reported as an internal error. */
export function answerText(id: RequestId, answer: Answer, onFault: (error: unknown) => void): string {
  if ('error' in answer) return errorText(id, errorBody(answer.error, onFault));
  try {
    return resultText(id, answer.result);
  } catch (error) {
    return errorText(id, errorBody(error, onFault));
  }
}
