/**
 * Owns tokens that the gateway gets without a person: client credentials, the assertion of a workload, and the exchange of a caller's token.
 *
 * Invariants
 * 1. They stay in the memory of this process: they can be got again at any time.
 * 2. An exchanged token belongs to the token that it was exchanged for.
 */
import { randomUUID } from 'node:crypto';
import type { TokenEndpointResponse } from 'oauth4webapi';
import { authError } from './auth-error.ts';
import { authenticationMethod } from './client-authentication.ts';
import { clientOfManifest } from './client-identity.ts';
import { authorizationServer, discover, type Discovery } from './discovery.ts';
import type { Outbound } from './outbound.ts';
import { revealed } from './revealed.ts';
import { scopesFor } from './scopes.ts';
import { type ProtectedServer, resourceParameter } from './settings.ts';
import { clientCredentials, GrantRejected, grants, otherGrant, type TokenEndpoint } from './token-requests.ts';
import { lifetimeOf, type Reason, type Token, type TokenSupply, unionOf } from './token.ts';
import type { Vault } from './vault.ts';

export interface MachineSupplyOptions {
  readonly server: ProtectedServer;
  readonly vault: Pick<Vault, 'issuerOf'>;
  readonly fetch: Outbound;
  /** Returns the caller's token, for an exchange without a fixed one in the manifest. */
  readonly subjectToken?: (() => string | undefined) | undefined;
  /** These are requests of the gateway itself, such as for lists, to a server that runs calls over other connections: it logs in with its own credentials. */
  readonly isForGateway?: boolean | undefined;
  readonly now?: (() => number) | undefined;
}

export function machineSupply(options: MachineSupplyOptions): TokenSupply {
  const { server, fetch, now = Date.now } = options;
  let discovery: Discovery | undefined;
  let extra: readonly string[] = [];
  return {
    async renew(old, reason) {
      if (reason.kind === 'scopes') extra = moreScopes(server, old, reason, extra);
      if (reason.kind === 'refused') discovery = await discover(server, fetch, { header: reason.header });
      discovery ??= await discover(server, fetch, undefined);
      const scopes = unionOf(scopesFor(server, discovery, false), extra);
      const obtainedAt = now();
      const answer = await ask(options, discovery, scopes);
      return {
        accessToken: answer.access_token,
        type: 'bearer',
        requested: scopes,
        version: randomUUID(),
        ...lifetimeOf(answer, obtainedAt),
      };
    },
  };
}

/** Scopes are added once: a scope that was requested and not granted is not requested again. */
function moreScopes(
  { name }: ProtectedServer,
  old: Token | undefined,
  { challenge }: Extract<Reason, { kind: 'scopes' }>,
  extra: readonly string[],
): readonly string[] {
  const wanted = challenge.scopes ?? [];
  if (wanted.every((scope) => old?.requested.includes(scope) === true))
    throw authError('SCOPE_REFUSED', `MCP server '${name}' needs scopes that were requested but not granted: ${wanted.join(' ')}`);
  return unionOf(extra, wanted);
}

async function ask(options: MachineSupplyOptions, discovery: Discovery, scopes: readonly string[]): Promise<TokenEndpointResponse> {
  const { server, vault, fetch } = options;
  const { auth } = server;
  const issuer = discovery.server;
  const client = await clientOfManifest(server, issuer, vault);
  const endpoint: TokenEndpoint = { server: issuer, client, auth, fetch };
  const parameters = { scope: scopes.join(' '), resource: resourceParameter(server, discovery.resource) };
  try {
    if (auth.type === 'token_exchange') return await exchange(options, endpoint, parameters);
    if (auth.assertion !== undefined)
      return await otherGrant(endpoint, grants.jwtBearer, { ...parameters, assertion: revealed(auth.assertion) });
    return await clientCredentials(endpoint, parameters);
  } catch (error) {
    if (error instanceof GrantRejected) throw authError('AUTHORIZATION_FAILED', error.message);
    throw error;
  }
}

const tokenTypes = {
  access_token: 'urn:ietf:params:oauth:token-type:access_token',
  id_token: 'urn:ietf:params:oauth:token-type:id_token',
  jwt: 'urn:ietf:params:oauth:token-type:jwt',
} as const;
const idJag = 'urn:ietf:params:oauth:token-type:id-jag';

type Requested = Readonly<Record<'scope' | 'resource', string | undefined>>;

/** At the server's own issuer (RFC 8693), or first at the identity provider of a company, whose grant that issuer accepts (ID-JAG). */
async function exchange(
  { server, fetch, subjectToken, isForGateway = false }: MachineSupplyOptions,
  endpoint: TokenEndpoint,
  parameters: Requested,
): Promise<TokenEndpointResponse> {
  const { name, auth } = server;
  const given = auth.subjectToken === undefined ? subjectToken?.() : revealed(auth.subjectToken);
  if (given === undefined && isForGateway) return clientCredentials(endpoint, parameters);
  if (given === undefined)
    throw authError(
      'LOGIN_REQUIRED',
      `MCP server '${name}' is called with the caller's own token, but the caller has none: log in to the gateway.`,
    );
  const subject = { subject_token: given, subject_token_type: tokenTypes[auth.subjectTokenType] };
  const { identityProvider } = auth;
  if (identityProvider === undefined)
    return otherGrant(endpoint, grants.tokenExchange, {
      ...parameters,
      ...subject,
      audience: auth.audience,
      requested_token_type: tokenTypes.access_token,
    });
  const idp = await authorizationServer(identityProvider.issuer, fetch);
  const { type, sendResource, subjectTokenType } = auth;
  const { clientSecret } = identityProvider;
  const own = { type, sendResource, subjectTokenType, ...(clientSecret === undefined ? {} : { clientSecret }) };
  const client = { client_id: revealed(identityProvider.clientId), token_endpoint_auth_method: authenticationMethod(idp, own) };
  const grant = await otherGrant({ server: idp, client, auth: own, fetch }, grants.tokenExchange, {
    ...parameters,
    ...subject,
    // The grant is for this server, whatever `resource` the issuer gets.
    resource: parameters.resource ?? server.resource,
    audience: endpoint.server.issuer,
    requested_token_type: idJag,
  });
  return otherGrant(endpoint, grants.jwtBearer, { ...parameters, assertion: grant.access_token });
}
