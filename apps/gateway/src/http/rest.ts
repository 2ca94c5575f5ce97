/**
 * Owns handing a request to a handler that knows the web's `Request` and `Response` only. The converter is loaded when it is first needed.
 *
 * Invariants
 * 1. The handler sees no credentials.
 * 2. What it throws becomes a 500 without details.
 */
import { Buffer } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Entry } from './guard.ts';
import type { HttpShellOptions } from './options.ts';
import { addSecurityHeaders, refuse } from './replies.ts';
import { credentialHeaders } from './tokens.ts';

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;
export type RestHandler = (request: IncomingMessage, response: ServerResponse, entry: Entry) => void;

export function createRest(rest: HttpShellOptions['rest'], bodyBytes: number, onFault: (error: unknown) => void): RestHandler {
  const entries = new WeakMap<IncomingMessage, Entry>();
  let listener: Promise<Listener> | undefined;

  const load = async (): Promise<Listener> => {
    const { getRequestListener } = await import('@hono/node-server');
    return getRequestListener(
      (request, env) => {
        const principal = entries.get(env.incoming as IncomingMessage)?.principal;
        return rest(request, { principal });
      },
      {
        overrideGlobalObjects: false,
        errorHandler: (error) => {
          onFault(error);
          return failure();
        },
      },
    ) as Listener;
  };

  const hand = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    try {
      listener ??= load();
      await (
        await listener
      )(request, response);
    } catch (error) {
      onFault(error);
      refuse(response, 500, 'internal_error', 'Internal error');
    }
  };

  return (request, response, entry) => {
    entries.set(request, entry);
    withoutCredentials(request);
    addSecurityHeaders(response);
    if (entry.isModelProxy || request.method === 'GET' || request.method === 'HEAD') return void hand(request, response);
    readWhole(request, bodyBytes, (body) => {
      if (body === undefined) return refuse(response, 413, 'too_large', `A body has at most ${bodyBytes} bytes`, { connection: 'close' });
      (request as IncomingMessage & { rawBody?: Buffer }).rawBody = body;
      void hand(request, response);
    });
  };
}

const failure = (): Response => Response.json({ error: { code: 'internal_error', message: 'Internal error' } }, { status: 500 });

function withoutCredentials(request: IncomingMessage): void {
  for (const name of credentialHeaders) delete request.headers[name];
  request.rawHeaders = request.rawHeaders.filter(
    (_text, index, all) => !credentialHeaders.has((all[index - (index % 2)] as string).toLowerCase()),
  );
}

function readWhole(request: IncomingMessage, limit: number, done: (body: Buffer | undefined) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > limit) return done(undefined);
  const parts: Buffer[] = [];
  let length = 0;
  const onData = (part: Buffer): void => {
    length += part.length;
    parts.push(part);
    if (length <= limit) return;
    request.off('data', onData).off('end', onEnd).pause();
    done(undefined);
  };
  const onEnd = (): void => done(Buffer.concat(parts, length));
  request.on('data', onData).on('end', onEnd);
}
