/**
 * Owns the addresses of the gateway for browsers: the page of logins, the way back from an authorization server, and the document that
 * describes the gateway to it.
 *
 * Invariant: they come from the manifest or from the address that the gateway listens on, never from a request.
 */
import { isIP } from 'node:net';
import { addressJudge } from '@holdfast/runners';
import type { GatewayEntry } from '@holdfast/manifest';
import { clientMetadata } from '../server-auth/client-identity.ts';
import { isLoopbackHost } from '../server-auth/outbound.ts';

/** The address without a slash at its end, or why there is none. */
export type BrowserRoot = { readonly root: string; readonly problem?: undefined } | { readonly root?: undefined; readonly problem: string };

/** `listening`: the address that the gateway listens on, if it does. */
export function browserRoot({ publicUrl }: Pick<GatewayEntry, 'publicUrl'>, listening: string | undefined): BrowserRoot {
  const address = publicUrl ?? listening;
  const url = address !== undefined && URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname)))
    return { root: `${url.origin}${url.pathname.replace(/\/+$/, '')}` };
  const what =
    publicUrl === undefined ? 'Set gateway.public_url to the https address of this gateway' : 'gateway.public_url has to be https';
  return { problem: `${what}: an authorization server redirects browsers to it.` };
}

const callbackPath = '/oauth/callback/';
const documentPath = /^\/\.well-known\/oauth-client\/([^/]+)\.json$/;

export const callbackUri = (root: string, server: string): string => `${root}${callbackPath}${encodeURIComponent(server)}`;

/** The page on which a person logs in at a server. */
export function loginPage(root: string, server: string, link?: string): string {
  const search = new URLSearchParams({ server, ...(link === undefined ? {} : { link }) });
  return `${root}/logins?${search.toString()}`;
}

export const isLoginPath = (path: string): boolean => path.startsWith(callbackPath) || documentPath.test(path);

/** Whether cookies of logins belong to a request. */
export const isCallback = (path: string): boolean => path.startsWith(callbackPath);

/** Names that only the machines of one network know. */
const privateName = /(?:^[^.]+|\.(?:local|localhost|internal|intranet|lan|home|corp|private|test|invalid|home\.arpa))$/i;

/** The id of the gateway as a client of the server, where authorization servers everywhere can read the document. */
export function clientDocumentUrl(root: string, server: string): string | undefined {
  const { protocol, hostname } = new URL(root);
  const host = hostname.replace(/^\[|\]$/g, '');
  const isPublic = isIP(host) === 0 ? !privateName.test(host) : addressJudge('public')(host);
  return protocol === 'https:' && isPublic ? `${root}/.well-known/oauth-client/${encodeURIComponent(server)}.json` : undefined;
}

/** The client metadata document of a path; `undefined` if there is none. */
export function clientDocument(path: string, root: string, isServer: (name: string) => boolean): object | undefined {
  const [, encoded] = documentPath.exec(path) ?? [];
  const server = encoded === undefined ? undefined : decoded(encoded);
  if (server === undefined || !isServer(server)) return undefined;
  const id = clientDocumentUrl(root, server);
  return id === undefined
    ? undefined
    : { client_id: id, client_uri: root, ...clientMetadata(callbackUri(root, server)), token_endpoint_auth_method: 'none' };
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
