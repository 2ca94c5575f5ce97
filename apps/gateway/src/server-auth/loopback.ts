/**
 * Owns the address on this machine that a browser is sent to after a login.
 *
 * Invariants
 * 1. It is open before the login begins: its port belongs to this login alone.
 * 2. A request with a wrong answer ends nothing: anyone on this machine can send one.
 * 3. Slow, large and many requests are cut off.
 */
import type { Server, ServerResponse } from 'node:http';
import { authError } from './auth-error.ts';
import { pageHeaders, pageOf } from './page.ts';

/** An import of `node:http` would also load Node's fetch: 14 MB that a gateway does not need. */
const { createServer } = process.getBuiltinModule('node:http');

export interface Loopback {
  /** Stops listening, after the last page was sent. */
  readonly close: () => Promise<void>;
}

const requestMs = 10_000;
const maxConnections = 16;

/** `take`: resolves to what the page says; rejects with the reason of a failure. */
export async function openLoopback(redirect: URL, take: (callback: URL) => Promise<string>): Promise<Loopback> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs, maxHeaderSize: 16 * 1024 }, (request, response) => {
    const url = URL.canParse(request.url ?? '', redirect.origin) ? new URL(request.url ?? '', redirect.origin) : undefined;
    if (request.method !== 'GET' || url?.pathname !== redirect.pathname) return send(response, 404, 'Not found', 'There is nothing here.');
    take(url).then(
      (text) => send(response, 200, 'Logged in', text),
      (error: unknown) => send(response, 400, 'The login has failed', error instanceof Error ? error.message : String(error)),
    );
  });
  server.maxConnections = maxConnections;
  await listen(server, redirect);
  return {
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
        setTimeout(() => server.closeAllConnections(), 500).unref();
      }),
  };
}

function listen(server: Server, { hostname, port, host }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === 'EADDRINUSE';
      const advice = isTaken ? 'another login may be waiting there: end it, or set redirect_url to another port' : error.message;
      reject(authError('AUTHORIZATION_FAILED', `Cannot listen on ${host}: ${advice}.`));
    });
    server.listen({ host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 80 : Number(port) }, resolve);
  });
}

function send(response: ServerResponse, status: number, title: string, text: string): void {
  response.writeHead(status, { ...pageHeaders, connection: 'close' }).end(pageOf(title, text));
}
