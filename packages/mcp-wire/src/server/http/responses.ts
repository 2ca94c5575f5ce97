/** Owns the non-streaming responses of the HTTP transport: one head, one body, one write. */
import { Buffer } from 'node:buffer';
import type { ServerResponse } from 'node:http';
import { type RequestId, rpcCodes, type RpcErrorBody } from '../../message.ts';
import { errorText } from '../serialize-message.ts';

export type HeaderList = readonly string[];

export const noHeaders: HeaderList = [];

export function sendJson(response: ServerResponse, status: number, text: string, headers: HeaderList = noHeaders): void {
  if (response.headersSent || response.destroyed) return;
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, [
    'content-type',
    'application/json',
    'content-length',
    length,
    'x-content-type-options',
    'nosniff',
    ...headers,
  ]);
  response.end(text);
}

export const sendError = (
  response: ServerResponse,
  status: number,
  error: RpcErrorBody,
  id: RequestId | null = null,
  headers?: HeaderList,
): void => sendJson(response, status, errorText(id, error), headers);

export const refuse = (response: ServerResponse, status: number, message: string, headers?: HeaderList): void =>
  sendError(response, status, { code: rpcCodes.invalidRequest, message }, null, headers);

export function sendNothing(response: ServerResponse, status: number): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, ['content-length', '0']);
  response.end();
}

/** HTTP status of an error in the modern era, whether raised before the handler was called or by it. */
export function modernStatus(code: number): number {
  switch (code) {
    case rpcCodes.methodNotFound:
      return 404;
    case rpcCodes.headerMismatch:
    case rpcCodes.missingClientCapability:
    case rpcCodes.unsupportedProtocolVersion:
    case rpcCodes.invalidRequest:
    case rpcCodes.parseError:
      return 400;
    default:
      return 200;
  }
}
