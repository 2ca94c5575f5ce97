/**
 * Owns as which client the gateway logs in: one of the manifest, one described by a document (CIMD), or one that it registers (RFC 7591), in this order.
 *
 * Invariants
 * 1. Credentials of a client are used only with the issuer that they belong to.
 * 2. If none of these works, the error says what to do.
 */
import type { AuthorizationServer } from 'oauth4webapi';
import { authError } from './auth-error.ts';
import { authenticationMethod, registrationMethod } from './client-authentication.ts';
import { isLoopbackHost, type Outbound } from './outbound.ts';
import { revealed } from './revealed.ts';
import type { ProtectedServer } from './settings.ts';
import type { KnownClient, Vault } from './vault.ts';

export interface IdentityParts {
  readonly vault: Vault;
  readonly fetch: Outbound;
  /** `undefined`: a login on another device, without a way back. */
  readonly redirectUri: string | undefined;
  /** The address of the gateway's own client metadata document, if it serves one. @default none */
  readonly clientDocument?: string | undefined;
}

export async function clientFor(server: ProtectedServer, issuer: AuthorizationServer, parts: IdentityParts): Promise<KnownClient> {
  const { auth } = server;
  if (auth.clientId !== undefined) return clientOfManifest(server, issuer, parts.vault);
  const document = auth.clientMetadataUrl ?? parts.clientDocument;
  if (document !== undefined && issuer['client_id_metadata_document_supported'] === true)
    return { client_id: document, token_endpoint_auth_method: 'none' };
  if (issuer.registration_endpoint !== undefined) {
    const known = await parts.vault.client(issuer.issuer, parts.redirectUri ?? deviceClient);
    return known ?? register(issuer, issuer.registration_endpoint, parts);
  }
  throw authError('AUTHORIZATION_FAILED', noClient(server, issuer, parts.redirectUri));
}

/** The first issuer that a client was used with is its own: another one must not get its secret. */
export async function clientOfManifest(
  { name, auth }: ProtectedServer,
  issuer: AuthorizationServer,
  vault: Pick<Vault, 'issuerOf'>,
): Promise<KnownClient> {
  const clientId = revealed(auth.clientId ?? '');
  const owner = auth.issuer ?? (await vault.issuerOf(name, clientId, issuer.issuer));
  if (owner !== issuer.issuer)
    throw authError(
      'AUTHORIZATION_FAILED',
      `${name}: its authorization server is now ${issuer.issuer}, but client_id belongs to ${owner}. If this is intended, set 'issuer' to the new one, and client_id to a client that is registered there.`,
    );
  return { client_id: clientId, token_endpoint_auth_method: authenticationMethod(issuer, auth) };
}

/** The name of a registered client without a redirect URL. */
const deviceClient = 'device';

function noClient({ name, auth }: ProtectedServer, issuer: AuthorizationServer, redirectUri: string | undefined): string {
  const use = redirectUri === undefined ? 'for the device grant' : `with the redirect URL ${redirectUri}`;
  const needs = issuer['client_id_metadata_document_supported'] === true && auth.clientMetadataUrl === undefined;
  const other = needs ? ', or set client_metadata_url to the https address of a client metadata document' : '';
  return `${name}: ${issuer.issuer} does not register clients by itself. Register a client there ${use}, and set client_id (and client_secret) under mcp_servers.${name}.auth${other}.`;
}

async function register(issuer: AuthorizationServer, endpoint: string, { vault, fetch, redirectUri }: IdentityParts): Promise<KnownClient> {
  const answer = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify({ ...clientMetadata(redirectUri), token_endpoint_auth_method: registrationMethod(issuer) }),
  });
  if (answer.status >= 500 || answer.status === 429)
    throw authError('AUTHORIZATION_SERVER_DOWN', `${endpoint} answered with HTTP ${answer.status}`);
  const { readRegistration } = await import('./answer-schemas.ts');
  const data = readRegistration(await answer.json().catch(() => undefined));
  if (answer.status >= 300 || data === undefined)
    throw authError('AUTHORIZATION_FAILED', `${issuer.issuer} did not register the gateway (HTTP ${answer.status}): set client_id.`);
  const client: KnownClient = {
    client_id: data.client_id,
    token_endpoint_auth_method: data.token_endpoint_auth_method ?? assumedMethod(issuer, data.client_secret),
    ...(data.client_secret === undefined ? {} : { client_secret: data.client_secret }),
  };
  await vault.keepClient(issuer.issuer, redirectUri ?? deviceClient, client);
  return client;
}

function assumedMethod(issuer: AuthorizationServer, secret: string | undefined): string {
  if (secret === undefined) return 'none';
  const wanted = registrationMethod(issuer);
  return wanted === 'none' ? 'client_secret_basic' : wanted;
}

/** Describes the gateway to an authorization server. */
export function clientMetadata(redirectUri: string | undefined): Readonly<Record<string, unknown>> {
  if (redirectUri === undefined)
    return {
      client_name: 'Holdfast',
      redirect_uris: [],
      grant_types: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
      response_types: [],
      application_type: 'native',
    };
  return {
    client_name: 'Holdfast',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    application_type: isLoopbackHost(new URL(redirectUri).hostname) ? 'native' : 'web',
  };
}
