/**
 * Owns whether a request may come in at all: its target, its Host, its Origin, its credential.
 *
 * Invariants
 * 1. Every route is guarded, whatever it is. Without a token only health, what is public and a browser's preflight get further.
 * 2. On a loopback address a request names a loopback host or an allowed one: a page of another name that was made to lead here is not let in.
 * 3. An Origin is the gateway's own or an allowed one.
 * 4. What two readers could read differently is refused: headers given twice, targets that are no plain path.
 */
import type { IncomingMessage } from 'node:http';
import type { ListenAddress } from './options.ts';
import type { Tokens } from './tokens.ts';

export interface Entry {
  readonly path: string;
  /** The name of the token that came with it; anyone who has one may act. */
  readonly principal: string | undefined;
  /** An allowed Origin other than the gateway's own: it is to be told that it may read the answer. */
  readonly foreignOrigin: string | undefined;
  readonly isModelProxy: boolean;
}

interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export type Guard = (request: IncomingMessage) => Entry | Refusal;

export interface GuardOptions {
  readonly listen: ListenAddress;
  readonly tokens: Tokens;
  readonly allowedHosts: readonly string[];
  readonly allowedOrigins: readonly string[];
  /** What is there for everybody. */
  readonly isPublic: (method: string, path: string) => boolean;
}

const modelProxy = /^\/(?:openai|anthropic|gemini)(?:\/|$)/;
const open: ReadonlySet<string> = new Set(['/healthz', '/readyz']);
/** A name or an address, and perhaps a port. */
const plainHost = /^(\[[\da-f:.]+\]|[a-z\d._-]+)(?::\d{1,5})?$/;
const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

export function createGuard({ listen, tokens, allowedHosts, allowedOrigins, isPublic }: GuardOptions): Guard {
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
    if (hasTwice(request.rawHeaders)) return refusal(400, 'bad_request', 'A header that may come once came twice');
    if (!isPlainTarget(url)) return refusal(400, 'bad_request', 'The target is no plain path');
    const host = headers.host?.toLowerCase() ?? '';
    if (isHostChecked && !isKnownHost(host))
      return refusal(403, 'host_not_allowed', 'This host name is not allowed here (gateway.allowed_hosts)');
    if (host !== '' && !plainHost.test(host)) return refusal(400, 'bad_request', 'Host is no host');
    const origin = headers.origin?.toLowerCase();
    const isForeign = origin !== undefined && (host === '' || (origin !== `http://${host}` && origin !== `https://${host}`));
    if (isForeign && !origins.has(origin))
      return refusal(403, 'origin_not_allowed', 'This origin is not allowed here (gateway.allowed_origins)');
    const path = url.split('?', 1)[0] as string;
    const isModelProxy = modelProxy.test(path);
    const foreignOrigin = isForeign ? headers.origin : undefined;
    const principal = tokens.nameFor(headers, isModelProxy);
    const isPreflight = method === 'OPTIONS' && foreignOrigin !== undefined;
    if (tokens.areNeeded && principal === undefined && !open.has(path) && !isPreflight && !isPublic(method, path))
      return refusal(401, 'unauthorized', 'A token is needed: Authorization: Bearer …');
    return { path, principal, foreignOrigin, isModelProxy };
  };
}

const refusal = (status: number, code: string, message: string): Refusal => ({ status, code, message });

const single: ReadonlySet<string> = new Set(['host', 'origin', 'authorization', 'content-length', 'transfer-encoding', 'mcp-session-id']);

function hasTwice(rawHeaders: readonly string[]): boolean {
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

/** A path from the root, in printable ASCII, without a way up, a backslash or an end of text, also where they are encoded. */
function isPlainTarget(target: string): boolean {
  if (!/^\/(?!\/)[!-[\]-~]*$/.test(target)) return false;
  const path = target.split('?', 1)[0] as string;
  return !/(?:^|\/)(?:\.|%2e){1,2}(?:\/|$)/i.test(path) && !/%(?:5c|00)/i.test(path);
}

export const isLoopback = (host: string): boolean => /^(?:localhost|127(?:\.\d{1,3}){3}|::1|\[::1\])$/i.test(host);

const hostName = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host).toLowerCase();
