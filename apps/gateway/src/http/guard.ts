/**
 * Owns whether a request is admitted: its target, its Host, its Origin, its credentials.
 *
 * Invariants
 * 1. Every route is guarded. Without a token, only health checks, public paths and preflight requests are admitted.
 * 2. On a loopback address, the Host must be a loopback host or an allowed one. This prevents DNS rebinding.
 * 3. The Origin must be the gateway's own or an allowed one.
 * 4. Ambiguous requests are refused: duplicate headers, targets that are not a plain path.
 */
import type { IncomingMessage } from 'node:http';
import type { Access } from '../access/access.ts';
import type { AccessRules } from '../access/access-rules.ts';
import { undividedAccess } from '../access/access.ts';
import type { Authenticator, Sender, SenderRefusal } from './authenticate.ts';
import type { ListenAddress } from './options.ts';

export interface Entry {
  readonly path: string;
  /** Name of the client. */
  readonly principal: string | undefined;
  readonly access: Access;
  /** Of `/mcp/<name>`. */
  readonly endpoint: string | undefined;
  readonly isMcp: boolean;
  /** An allowed Origin other than the gateway's own: the answer needs CORS headers. */
  readonly foreignOrigin: string | undefined;
  readonly isModelProxy: boolean;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly foreignOrigin?: string | undefined;
}

export type Guard = (request: IncomingMessage) => Entry | Refusal | Promise<Entry | Refusal>;

export interface GuardOptions {
  readonly listen: ListenAddress;
  readonly authenticator: Pick<Authenticator, 'sender'>;
  readonly rules: Pick<AccessRules, 'atEndpoint'>;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** Whether a path needs no token. */
  readonly isPublic: (method: string, path: string) => boolean;
}

const modelProxy = /^\/(?:openai|anthropic|gemini)(?:\/|$)/;
/** Where servers of the transport HTTP+SSE (2024-11-05) are usually found. */
const olderTransport = /^\/sse\/?$/;
const mcpPath = /^\/mcp(?:\/([\w-]{1,64}))?$/;
const open: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
/** For requests that need no token. */
const visitor = undividedAccess(undefined);
/** A name or an address, with an optional port. */
const plainHost = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::\d{1,5})?$/;
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function createGuard({ listen, authenticator, rules, allowedHosts, allowedOrigins, isPublic }: GuardOptions): Guard {
  const hosts = new Set(allowedHosts.map((host) => host.toLowerCase()));
  const origins = new Set(allowedOrigins.map((origin) => origin.toLowerCase()));
  const isHostChecked = 'host' in listen && (isLoopback(listen.host) || hosts.size > 0);
  const ownName = 'host' in listen ? hostName(listen.host) : undefined;

  const isKnownHost = (host: string): boolean => {
    const name = plainHost.exec(host)?.[1];
    return name !== undefined && (loopbackNames.has(name) || name === ownName || hosts.has(name) || hosts.has(host));
  };

  return (request) => {
    const { headers, url = '', method = '' } = request;
    if (hasDuplicate(request.rawHeaders)) return refusal(400, 'bad_request', 'A header that must be unique was sent twice');
    if (!isPlainTarget(url)) return refusal(400, 'bad_request', 'The request target is not a plain path');
    const host = headers.host?.toLowerCase() ?? '';
    if (isHostChecked && !isKnownHost(host))
      return refusal(403, 'host_not_allowed', 'This host name is not allowed here (gateway.allowed_hosts)');
    if (host !== '' && !plainHost.test(host)) return refusal(400, 'bad_request', 'The Host header is invalid');
    const origin = headers.origin?.toLowerCase();
    const isForeign = origin !== undefined && (host === '' || (origin !== `http://${host}` && origin !== `https://${host}`));
    if (isForeign && !origins.has(origin))
      return refusal(403, 'origin_not_allowed', 'This origin is not allowed here (gateway.allowed_origins)');
    const path = url.split('?', 1)[0] as string;
    const isModelProxy = modelProxy.test(path);
    const mcp = mcpPath.exec(path);
    const foreignOrigin = isForeign ? headers.origin : undefined;
    const about = { path, foreignOrigin, isModelProxy, isMcp: mcp !== null, endpoint: mcp?.[1] };
    const isPreflight = method === 'OPTIONS' && foreignOrigin !== undefined;
    // Before the token is checked: a client that has to change its address should not be told to log in there.
    if (olderTransport.test(path) && !isPreflight) return { ...useStreamableHttp, foreignOrigin };
    if (open.has(path) || isPreflight || isPublic(method, path)) return { ...about, principal: undefined, access: visitor };
    const sender = authenticator.sender(headers, isModelProxy, about.endpoint);
    return sender instanceof Promise ? sender.then((found) => admit(about, found)) : admit(about, sender);
  };

  function admit(about: Omit<Entry, 'principal' | 'access'>, sender: Sender | SenderRefusal): Entry | Refusal {
    const { foreignOrigin, endpoint, isMcp, isModelProxy, path } = about;
    if (sender.refusal !== undefined) return { ...sender.refusal, foreignOrigin };
    const access = endpoint === undefined ? sender.access : rules.atEndpoint(sender.access, endpoint);
    if (access === undefined) return { ...refusal(404, 'not_found', `There is no endpoint ${path} (gateway.endpoints)`), foreignOrigin };
    const { principal, roles } = access;
    if ((isMcp || isModelProxy) && !roles.has('call')) return { ...lacksRole('call'), foreignOrigin };
    if (path === '/metrics' && !roles.has('read') && !roles.has('operate')) return { ...lacksRole('read'), foreignOrigin };
    return { ...about, principal, access };
  }
}

const lacksRole = (role: string): Refusal =>
  refusal(
    403,
    'role_required',
    `This requires the role '${role}', which this client does not have (roles in gateway.tokens, gateway.groups or gateway.auth)`,
  );

const refusal = (status: number, code: string, message: string): Refusal => ({ status, code, message });

const useStreamableHttp = refusal(
  410,
  'transport_not_supported',
  'There is no HTTP+SSE transport (MCP 2024-11-05) here. Connect with Streamable HTTP: replace /sse by /mcp in the address, and the transport "sse" by "http" (or "streamable-http") in the configuration of the client. A client that only knows HTTP+SSE can start `holdfast serve --stdio` instead',
);

const single: ReadonlySet<string> = new Set(['host', 'origin', 'authorization', 'content-length', 'transfer-encoding', 'mcp-session-id']);

function hasDuplicate(rawHeaders: readonly string[]): boolean {
  let seen: string | undefined;
  let others: Set<string> | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] as string).toLowerCase();
    if (!single.has(name)) continue;
    if (name === seen || others?.has(name) === true) return true;
    if (seen === undefined) seen = name;
    else (others ??= new Set()).add(name);
  }
  return false;
}

/** Whether the target is an absolute path in printable ASCII without `..`, backslash or NUL, also when they are encoded. */
function isPlainTarget(target: string): boolean {
  if (!/^\/(?!\/)[!-[\]-~]*$/.test(target)) return false;
  const path = target.split('?', 1)[0] as string;
  return !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) && !/%(?:5c|00)/i.test(path);
}

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

const hostName = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase();
