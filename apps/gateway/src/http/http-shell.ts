/**
 * Owns the gateway's HTTP server: its address, its limits, dispatching requests, and closing.
 *
 * Invariants
 * 1. It does not listen on an address that other machines can reach without a token, or with one that is short.
 * 2. No request reaches a handler before the guard has admitted it.
 * 3. No client can block the others: times, sizes and numbers are limited, and a malformed request ends only its own connection.
 */
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from 'node:http';
import { dropBody } from '@holdfast/mcp-wire/server';
import { allowOrigin, answerPreflight } from './cors.ts';
import { AccessRules } from '../access/access-rules.ts';
import { Authenticator } from './authenticate.ts';
import { bind } from './bind.ts';
import { checkReachable } from './check-address.ts';
import { createGuard, type Entry, type Guard, type Refusal } from './guard.ts';
import { OpenResponses } from './open-responses.ts';
import { defaultHttpShellLimits, type HttpShellLimits, type HttpShellOptions, type ReloadableShell } from './options.ts';
import { addSecurityHeaders, refuse } from './replies.ts';
import { createRest } from './rest.ts';
import { answerBrokenRequest } from './broken-request.ts';

/** An import of `node:http` would also load Node's fetch: 14 MB that are not needed here. */
const { createServer } = process.getBuiltinModule('node:http');

/** Rejects with a `TypeError` for an address that other machines can reach without a token, or with one that can be guessed. */
export async function listenHttp(options: HttpShellOptions): Promise<ReloadableShell> {
  const { listen, onFault = (): void => {}, entry: logins = { endpoints: {} } } = options;
  const limits: HttpShellLimits = { ...defaultHttpShellLimits, ...options.limits };
  const tokens = options.tokens ?? [];
  const rules = options.rules ?? new AccessRules({ tokens: tokens.map(({ name }) => ({ name, env: '' })), groups: {}, endpoints: {} });
  const authenticator = new Authenticator({
    rules,
    tokens,
    operatorToken: options.operatorToken,
    entry: logins,
    onFault: (text) => onFault(new Error(text)),
  });
  checkReachable(listen, tokens, authenticator.areRequired);
  const { allowedHosts = [], allowedOrigins = [], isPublic = () => false } = options;
  const guard = createGuard({ listen, authenticator, rules, allowedHosts, allowedOrigins, isPublic });
  const responses = new OpenResponses(limits.connections);
  const server = createServer(serverOptions(limits), requestListener({ options, limits, authenticator, guard, responses }));
  server.maxConnections = limits.connections;
  server.maxHeadersCount = 100;
  server.on('clientError', answerBrokenRequest);
  // Connections that wait for a next request make room.
  server.on('drop', () => server.closeIdleConnections());
  const { url, port } = await bind(server, listen);
  let open = 0;
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  let closing: Promise<void> | undefined;
  return {
    url,
    port,
    connections: () => open,
    prepare(next, changed) {
      checkReachable(listen, next, next.length > 0 || changed.auth !== undefined);
      return () => {
        const ended = authenticator.apply(next, changed);
        const isGone = (principal: string | undefined): boolean => principal !== undefined && ended.has(principal);
        responses.end(isGone);
        options.retain?.((principal) => !isGone(principal));
      };
    },
    close: (limitMs) => (closing ??= closeServer(server, limitMs)),
  };
}

interface Listening {
  readonly options: HttpShellOptions;
  readonly limits: HttpShellLimits;
  readonly authenticator: Authenticator;
  readonly guard: Guard;
  readonly responses: OpenResponses;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

function requestListener({ options, limits, authenticator, guard, responses }: Listening): Listener {
  const { mcp, onFault = (): void => {} } = options;
  const rest = createRest(options.rest, limits.bodyBytes, onFault);
  const refuseRequest = (
    request: IncomingMessage,
    response: ServerResponse,
    { status, code, message, headers, foreignOrigin }: Refusal,
  ): void => {
    dropBody(request, limits.bodyBytes);
    // A page has to see why, and where to log in.
    if (foreignOrigin !== undefined) allowOrigin(response, foreignOrigin);
    refuse(response, status, code, message, headers ?? {});
  };
  const answer = (request: IncomingMessage, response: ServerResponse, entry: Entry | Refusal): void => {
    if ('status' in entry) return refuseRequest(request, response, entry);
    if (entry.foreignOrigin !== undefined) {
      allowOrigin(response, entry.foreignOrigin);
      if (request.method === 'OPTIONS') return answerPreflight(response, request.headers['access-control-request-headers']);
    }
    if (!responses.add(entry.principal, response))
      return refuseRequest(request, response, {
        status: 503,
        code: 'too_many_connections',
        message: 'This client has too many open connections',
        headers: { 'retry-after': '1' },
      });
    if (entry.isMcp) mcp(request, response, entry);
    else rest(request, response, entry);
  };
  const fail = (response: ServerResponse, error: unknown): void => {
    onFault(error);
    refuse(response, 500, 'internal_error', 'Internal error', { connection: 'close' });
  };
  return (request, response) => {
    try {
      const document = request.method === 'GET' ? authenticator.metadata?.document(request.url ?? '') : undefined;
      if (document !== undefined) return sendDocument(response, document);
      const entry = guard(request);
      if (!(entry instanceof Promise)) return answer(request, response, entry);
      entry.then((found) => answer(request, response, found)).catch((error: unknown) => fail(response, error));
    } catch (error) {
      fail(response, error);
    }
  };
}

/** Metadata is public: every page may read it. */
function sendDocument(response: ServerResponse, text: string): void {
  addSecurityHeaders(response);
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'max-age=300',
    'access-control-allow-origin': '*',
  });
  response.end(text);
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
