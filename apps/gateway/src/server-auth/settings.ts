/**
 * Owns the settings of one server's login, read from its entry in the manifest.
 */
import type { McpServerAuth, McpServerEntry, McpUrlEntry } from '@holdfast/manifest';
import { checkUrl, isLoopbackHost } from './outbound.ts';

/** A server with `auth`. */
export interface ProtectedServer {
  /** Name in the manifest. */
  readonly name: string;
  /** Address of its MCP endpoint. */
  readonly url: URL;
  readonly auth: McpServerAuth;
  /** Its address: credentials for another one are not used. */
  readonly resource: string;
}

/** The value of `resource` in requests (RFC 8707), exactly as the server calls itself; `undefined` if none is sent. */
export const resourceParameter = ({ auth, resource }: ProtectedServer, published: string | undefined): string | undefined =>
  auth.sendResource ? (auth.resource ?? published ?? resource) : undefined;

export const isProtected = (entry: McpServerEntry): entry is McpUrlEntry & { readonly auth: McpServerAuth } =>
  'url' in entry && entry.auth !== undefined;

export function protectedServer(name: string, { url: address, auth }: McpUrlEntry & { readonly auth: McpServerAuth }): ProtectedServer {
  const url = checkUrl(address);
  return { name, url, auth, resource: canonicalUri(url) };
}

/** The canonical form of RFC 8707 in MCP: without a fragment, and without the slash of an empty path. */
function canonicalUri(url: URL): string {
  const { origin, pathname, search } = url;
  return `${origin}${pathname === '/' ? '' : pathname}${search}`;
}

/** A server on this machine may have its authorization server there, too. */
export const addressesOf = ({ url, auth }: ProtectedServer): NonNullable<McpServerAuth['addresses']> =>
  auth.addresses ?? (isLoopbackHost(url.hostname) ? 'any' : 'network');
