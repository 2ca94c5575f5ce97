/**
 * Owns the gateway's HTTP server: its address, its limits, dispatching requests, and closing.
 *
 * Invariants
 * 1. It does not listen on an address that other machines can reach without a token.
 * 2. No request reaches a handler before the guard has admitted it.
 * 3. No client can block the others: times, sizes and numbers are limited, and a malformed request ends only its own connection.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { dropBody } from '@holdfast/mcp-wire/server';
import { allowOrigin, answerPreflight } from './cors.ts';
import { createGuard, isLoopback } from './guard.ts';
import { bind } from './bind.ts';
import { defaultHttpShellLimits, type HttpShell, type HttpShellLimits, type HttpShellOptions } from './options.ts';
import { refuse } from './replies.ts';
import { createRest } from './rest.ts';
import { answerBrokenRequest } from './broken-request.ts';
import { createTokens } from './tokens.ts';

/** An import of `node:http` would also load Node's fetch: 14 MB that are not needed here. */
const { createServer } = process.getBuiltinModule('node:http');

/** Rejects with a `TypeError` for an address that other machines can reach without a token. */
export async function listenHttp(options: HttpShellOptions): Promise<HttpShell> {
  const { listen, mcp, onFault = (): void => {} } = options;
  const limits: HttpShellLimits = { ...defaultHttpShellLimits, ...options.limits };
  const tokens = createTokens(options.tokens ?? [], options.operatorToken);
  if ('host' in listen && !isLoopback(listen.host) && !tokens.areRequired)
    throw new TypeError(
      `gateway.listen.host is "${listen.host}", which other machines can reach, and gateway.tokens is empty: add a token (gateway.tokens: [{ name, env }]), or listen on 127.0.0.1`,
    );
  const { allowedHosts = [], allowedOrigins = [], isPublic = () => false } = options;
  const guard = createGuard({ listen, tokens, allowedHosts, allowedOrigins, isPublic });
  const rest = createRest(options.rest, limits.bodyBytes, onFault);

  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const entry = guard(request);
    if ('status' in entry) {
      dropBody(request, limits.bodyBytes);
      return refuse(
        response,
        entry.status,
        entry.code,
        entry.message,
        entry.status === 401 ? { 'www-authenticate': 'Bearer realm="holdfast"' } : {},
      );
    }
    if (entry.foreignOrigin !== undefined) {
      allowOrigin(response, entry.foreignOrigin);
      if (request.method === 'OPTIONS') return answerPreflight(response, request.headers['access-control-request-headers']);
    }
    if (entry.path === '/mcp') mcp(request, response, entry);
    else rest(request, response, entry);
  };

  const server = createServer(serverOptions(limits), (request, response) => {
    try {
      onRequest(request, response);
    } catch (error) {
      onFault(error);
      refuse(response, 500, 'internal_error', 'Internal error', { connection: 'close' });
    }
  });
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  server.on('clientError', answerBrokenRequest);
  const { url, port } = await bind(server, listen);
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  let closing: Promise<void> | undefined;
  return { url, port, connections: () => open, close: (limitMs) => (closing ??= closeServer(server, limitMs)) };
}

const serverOptions = ({ headerBytes, headerTimeoutMs, bodyTimeoutMs, idleTimeoutMs }: HttpShellLimits): ServerOptions => ({
  maxHeaderSize: headerBytes,
  headersTimeout: Math.min(headerTimeoutMs, bodyTimeoutMs),
  requestTimeout: bodyTimeoutMs,
  keepAliveTimeout: idleTimeoutMs,
  connectionsCheckingInterval: Math.max(50, Math.min(2000, headerTimeoutMs / 2)),
  insecureHTTPParser: false,
  noDelay: true,
});

async function closeServer(server: Server, limitMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  const idle = setInterval(() => server.closeIdleConnections(), 20);
  const forceClose = setTimeout(() => server.closeAllConnections(), limitMs);
  server.closeIdleConnections();
  await closed;
  clearInterval(idle);
  clearTimeout(forceClose);
}
