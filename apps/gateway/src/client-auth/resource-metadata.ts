/**
 * Owns the metadata of the gateway as a protected resource (RFC 9728), and the challenge that points to it.
 *
 * Invariant: all addresses come from the manifest, never from a request.
 */
import type { GatewayEntry } from '@holdfast/manifest';

/** The settings of logins. */
export type LoginEntry = Pick<GatewayEntry, 'auth' | 'publicUrl' | 'endpoints'>;

export interface ResourceMetadata {
  /** Returns the document for a path; `undefined` for all other paths. */
  readonly document: (path: string) => string | undefined;
  /** Returns the value of `WWW-Authenticate` for a request to a path. */
  readonly challenge: (endpoint: string | undefined, error?: { readonly code: string; readonly scopes: readonly string[] }) => string;
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** `undefined` without logins: clients that find metadata try to log in. */
export function resourceMetadata({ auth, publicUrl, endpoints }: LoginEntry): ResourceMetadata | undefined {
  if (auth === undefined || publicUrl === undefined) return undefined;
  const root = publicUrl.replace(/\/+$/, '');
  const scopes = [...new Set(auth.issuers.flatMap((issuer) => issuer.scopes))];
  const document = (resource: string): string =>
    JSON.stringify({
      resource,
      authorization_servers: auth.issuers.map(({ issuer }) => issuer),
      ...(scopes.length === 0 ? {} : { scopes_supported: scopes }),
      bearer_methods_supported: ['header'],
      resource_name: 'Holdfast',
    });
  const documents = new Map([
    [wellKnown, document(`${root}/mcp`)],
    [`${wellKnown}/mcp`, document(`${root}/mcp`)],
    ...Object.keys(endpoints).map((name) => [`${wellKnown}/mcp/${name}`, document(`${root}/mcp/${name}`)] as const),
  ]);
  return {
    document: (path) => documents.get(path),
    challenge(endpoint, error) {
      const place = endpoint !== undefined && Object.hasOwn(endpoints, endpoint) ? `/mcp/${endpoint}` : '/mcp';
      const wanted = error === undefined || error.scopes.length === 0 ? scopes : error.scopes;
      return [
        `Bearer resource_metadata="${root}${wellKnown}${place}"`,
        ...(wanted.length === 0 ? [] : [`scope="${wanted.join(' ')}"`]),
        ...(error === undefined ? [] : [`error="${error.code}"`]),
      ].join(', ');
    },
  };
}
