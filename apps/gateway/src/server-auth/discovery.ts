/**
 * Owns finding the authorization server of an MCP server (RFC 9728) and its metadata (RFC 8414, OpenID Connect).
 *
 * Invariants
 * 1. The metadata of a resource covers the server's URL: same origin, and its path is the beginning of the server's.
 * 2. The issuer in the metadata is the issuer that was asked for, character by character.
 * 3. Every endpoint that will be used is https, or http on this machine.
 */
import type { AuthorizationServer } from 'oauth4webapi';
import type { ResourceMetadata } from './answer-schemas.ts';
import { authError } from './auth-error.ts';
import { type Challenge, readChallenge } from './challenge.ts';
import { checkUrl, type Outbound } from './outbound.ts';
import { probe, type Refused } from './probe.ts';
import type { ProtectedServer } from './settings.ts';

export interface Discovery {
  readonly server: AuthorizationServer;
  readonly challenge: Challenge | undefined;
  /** The resource as it calls itself; `undefined` without metadata. */
  readonly resource: string | undefined;
  /** Scopes that the resource lists. */
  readonly resourceScopes: readonly string[] | undefined;
  /** Tokens must be bound to a key. */
  readonly needsDpop: boolean;
}

export async function discover(server: ProtectedServer, fetch: Outbound, refused: Refused | undefined): Promise<Discovery> {
  const challenge = readChallenge((refused ?? (await probe(server.url, fetch))).header);
  const found = await findResource(server, fetch, challenge);
  const issuer = chooseIssuer(server, found?.authorization_servers);
  return {
    server: await authorizationServer(issuer, fetch),
    challenge,
    resource: found?.resource,
    resourceScopes: found?.scopes_supported,
    needsDpop: found?.dpop_bound_access_tokens_required === true,
  };
}

async function findResource(
  server: ProtectedServer,
  fetch: Outbound,
  challenge: Challenge | undefined,
): Promise<ResourceMetadata | undefined> {
  const { url } = server;
  const path = url.pathname === '/' ? '' : url.pathname;
  const base = `${url.origin}/.well-known/oauth-protected-resource`;
  const named = challenge?.resourceMetadata;
  for (const address of named === undefined ? [...new Set([`${base}${path}${url.search}`, base])] : [named]) {
    const body = await getJson(address, fetch);
    if (body === undefined) continue;
    const { readResourceMetadata } = await import('./answer-schemas.ts');
    const found = readResourceMetadata(body);
    if (found === undefined) throw authError('AUTHORIZATION_FAILED', `${server.name}: ${address} is not the metadata of a resource`);
    if (!covers(found.resource, url))
      throw authError('AUTHORIZATION_FAILED', `${server.name}: its metadata describes another resource, ${found.resource.slice(0, 200)}`);
    return found;
  }
  if (named !== undefined) throw authError('AUTHORIZATION_FAILED', `${server.name}: there is no metadata at ${named}`);
  return undefined;
}

/** Whether a resource is the server's URL, or a folder above it. */
function covers(resource: string, server: URL): boolean {
  if (!URL.canParse(resource)) return false;
  const { origin, pathname, search } = new URL(resource);
  if (origin !== server.origin || (search !== '' && search !== server.search)) return false;
  const folder = pathname.endsWith('/') ? pathname : `${pathname}/`;
  return `${server.pathname}/`.startsWith(folder);
}

function chooseIssuer({ name, url, auth }: ProtectedServer, listed: readonly string[] | undefined): string {
  // Servers of the oldest revision have no metadata of a resource: they are their own authorization server.
  const issuers = listed === undefined || listed.length === 0 ? [url.origin] : listed;
  if (auth.issuer === undefined) return issuers[0] ?? url.origin;
  if (listed === undefined || issuers.includes(auth.issuer)) return auth.issuer;
  throw authError('AUTHORIZATION_FAILED', `${name}: its authorization server is ${issuers[0]}, not ${auth.issuer} as in the manifest`);
}

/** The addresses of the metadata, in the order of the specification. */
function metadataAddresses(issuer: URL): readonly string[] {
  const { origin, pathname } = issuer;
  const path = pathname.replace(/\/$/, '');
  if (path === '') return [`${origin}/.well-known/oauth-authorization-server`, `${origin}/.well-known/openid-configuration`];
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ];
}

export async function authorizationServer(issuer: string, fetch: Outbound): Promise<AuthorizationServer> {
  for (const address of metadataAddresses(checkUrl(issuer))) {
    const body = await getJson(address, fetch);
    if (body === undefined) continue;
    const { readServerMetadata } = await import('./answer-schemas.ts');
    const found = readServerMetadata(body);
    if (found === undefined) throw authError('AUTHORIZATION_FAILED', `${address} is not the metadata of an authorization server`);
    if (found.issuer !== issuer)
      throw authError('AUTHORIZATION_FAILED', `the metadata of ${issuer} belongs to another issuer, ${found.issuer.slice(0, 200)}`);
    for (const [name, value] of Object.entries(found)) if (name.endsWith('_endpoint') && typeof value === 'string') checkUrl(value);
    return found;
  }
  throw authError('AUTHORIZATION_FAILED', `the authorization server ${issuer} has no metadata`);
}

/** `undefined` if there is no such document. */
async function getJson(address: string, fetch: Outbound): Promise<unknown> {
  const answer = await fetch(checkUrl(address).href, { headers: { accept: 'application/json' } });
  if (answer.status >= 400 && answer.status < 500) return undefined;
  if (answer.status !== 200) throw unavailable(address, answer.status);
  try {
    return (await answer.json()) as unknown;
  } catch {
    throw authError('AUTHORIZATION_FAILED', `${address} is not JSON`);
  }
}

function unavailable(address: string, status: number): Error {
  const isDown = status >= 500 || status === 429;
  return authError(isDown ? 'AUTHORIZATION_SERVER_DOWN' : 'AUTHORIZATION_FAILED', `${address} answered with HTTP ${status}`);
}
