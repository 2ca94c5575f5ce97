/**
 * Owns calling a handler with a web `Request`, and writing its web `Response`.
 *
 * Invariants
 * 1. The handler sees no credentials, except for the cookie of a login on the way back from it; an error that it throws becomes a 500 without details.
 * 2. An answer is streamed at the pace of the client; a client that disconnects aborts the request and cancels the answer.
 * 3. Nothing is written to the standard streams: they may be used by the protocol.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dropBody, readBody } from '@holdfast/mcp-wire/server';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadableStream } from 'node:stream/web';
import { bodyStream } from './body-stream.ts';
import type { Entry } from './guard.ts';
import type { HttpShellOptions } from './options.ts';
import { addSecurityHeaders, refuse } from './replies.ts';
import { isCallback } from '../server-logins/browser-address.ts';
import { loginCookies } from '../server-logins/cookies.ts';
import { credentialHeaders } from './tokens.ts';

export type RestHandler = (request: IncomingMessage, response: ServerResponse, entry: Entry) => void;
type Body = NonNullable<RequestInit['body']> | undefined;

/** Methods that a web `Request` supports. */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

export function createRest(rest: HttpShellOptions['rest'], bodyBytes: number, onFault: (error: unknown) => void): RestHandler {
  const forward = async (request: IncomingMessage, response: ServerResponse, entry: Entry, body: Body): Promise<void> => {
    const controller = new AbortController();
    response.on('close', () => {
      if (!response.writableFinished) controller.abort(new Error('The client has disconnected'));
    });
    try {
      const answer = await rest(webRequest(request, body, controller.signal), { principal: entry.principal, access: entry.access });
      await write(answer, response);
      if (!request.complete) dropBody(request, bodyBytes);
    } catch (error) {
      if (controller.signal.aborted) return;
      onFault(error);
      if (response.headersSent) response.destroy();
      else refuse(response, 500, 'internal_error', 'Internal error');
    }
  };

  return (request, response, entry) => {
    const { method = '' } = request;
    if (!methods.has(method)) return refuse(response, 405, 'method_not_allowed', 'Method not allowed');
    addSecurityHeaders(response);
    if (method === 'GET' || method === 'HEAD') return void forward(request, response, entry, undefined);
    if (entry.isModelProxy) return void forward(request, response, entry, bodyStream(request, bodyBytes));
    readBody(request, bodyBytes, (body) => {
      if (body === undefined) return refuse(response, 413, 'too_large', `The body is larger than ${bodyBytes} bytes`);
      void forward(request, response, entry, body.length === 0 ? undefined : new Uint8Array(body));
    });
  };
}

function webRequest(request: IncomingMessage, body: Body, signal: AbortSignal): Request {
  const headers = new Headers();
  const { rawHeaders, headers: known, method = 'GET', url = '/' } = request;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (!credentialHeaders.has(name.toLowerCase())) headers.append(name, rawHeaders[index + 1] as string);
  }
  const cookies = isCallback(url) ? loginCookies(known.cookie) : undefined;
  if (cookies !== undefined) headers.set('cookie', cookies);
  const target = `http://${known.host || 'localhost'}${url}`;
  return new Request(target, { method, headers, signal, ...(body === undefined ? {} : { body, duplex: 'half' }) } as RequestInit);
}

async function write(answer: Response, response: ServerResponse): Promise<void> {
  if (response.destroyed) {
    await answer.body?.cancel();
    return;
  }
  const cookies = answer.headers.getSetCookie();
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...(cookies.length === 0 ? {} : { 'set-cookie': cookies }) });
  if (answer.body === null) {
    response.end();
    return;
  }
  // A body that is ready is sent together with the headers; a slow one does not delay them.
  const flush = setImmediate(() => response.flushHeaders());
  try {
    await pipeline(Readable.fromWeb(answer.body as ReadableStream), response);
  } finally {
    clearImmediate(flush);
  }
}
